/** Prompts of the built-in server: reviews that a person requests, with the facts already in them. */
import { counted } from '../../../values/counted.ts';
import { ToolRefusal } from '../definition/tool.ts';
import { runTool, type ToolCall } from './call-tool.ts';
import { findTool } from './tools.ts';

interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
  textOf(given: Readonly<Record<string, string>>, call: ToolCall): Promise<string>;
}

async function factsOf(name: string, given: object, call: ToolCall): Promise<string> {
  return JSON.stringify(await runTool(findTool(name)!, given, call), undefined, 1);
}

const MOST_HOURS = 24 * 31;

function hoursIn(text: string | undefined): number {
  if (text === undefined || text === '') return 24;
  const hours = Number(text);
  if (Number.isInteger(hours) && hours >= 1 && hours <= MOST_HOURS) return hours;
  throw new ToolRefusal(`hours: must be a whole number from 1 to ${MOST_HOURS}.`);
}

const prompts: readonly Prompt[] = [
  {
    name: 'review_failure',
    title: 'Review a failure',
    description: 'Finds the cause of a failed run and says what to do about it.',
    arguments: [{ name: 'run_id', description: 'Id of a flow run that failed or crashed.', required: true }],
    textOf: async ({ run_id }, call) =>
      [
        'Review the failure of this flow run. What is known of it:',
        await factsOf('why_did_this_run_fail', { run_id }, call),
        'Say in this order: what failed and where in the code, the most likely cause, what differs from the last successful run, whether it has failed alike before, and what to do now. Read the logs of the task that failed first where the cause is not plain. Say what you do not know. Do not start, retry or cancel anything before the person agrees.',
      ].join('\n\n'),
  },
  {
    name: 'daily_report',
    title: 'Daily report',
    description: 'Summarizes which runs ran, which failed and which wait.',
    arguments: [{ name: 'hours', description: 'Number of past hours to look at. Default: 24.', required: false }],
    textOf: async ({ hours }, call) =>
      [
        `Write a short report of the last ${counted(hoursIn(hours), 'hour')} in this workspace. What is known:`,
        await factsOf('get_overview', { hours: hoursIn(hours) }, call),
        'Begin with what needs a person now. Then failures by their cause, with why_did_this_run_fail for the newest of each cause, runs that wait and why, and what is due next. Give names and ids, so that the reader can look each of them up. Change nothing.',
      ].join('\n\n'),
  },
];

export function listedPrompts() {
  return prompts.map(({ name, title, description, arguments: taken }) => ({
    name,
    title,
    description,
    arguments: taken.map((one) => ({ ...one })),
  }));
}

/** The text of a prompt; undefined for an unknown name. Throws ToolRefusal and the errors of its tools. */
export async function promptText(
  name: string,
  given: Readonly<Record<string, string>>,
  call: ToolCall,
): Promise<{ readonly description: string; readonly text: string } | undefined> {
  const prompt = prompts.find((one) => one.name === name);
  return prompt && { description: prompt.description, text: await prompt.textOf(given, call) };
}
