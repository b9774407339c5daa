/** The fields by which runs are narrowed, as the address of their page holds them, and the search in logs. */
import type { Condition, Field } from '../../components/list/fields.ts';
import { addressed } from '../../components/list/language.ts';
import { type ListFields, readsOf } from '../../components/list/use-filters.ts';
import { type SearchOf, text } from '../../shell/search.ts';

const state = { name: 'state', title: 'State', kind: 'state', example: 'failed' } as const;
const flow = { name: 'flow', title: 'Flow', kind: 'text' } as const;
const deployment = { name: 'deployment', title: 'Deployment', kind: 'text' } as const;
const tag = { name: 'tag', title: 'Tag', kind: 'text', aliases: ['tags'] } as const;
const tries = { name: 'tries', title: 'Tries', kind: 'number', example: '>1', aliases: ['attempts'] } as const;
const duration = { name: 'duration', title: 'Duration', kind: 'duration', example: '>5m' } as const;
const name = { name: 'name', title: 'Name', kind: 'text', isPart: true, aliases: ['id', 'run'] } as const;

const ofFlowRuns = [
  state,
  flow,
  deployment,
  { name: 'work_pool', title: 'Work pool', kind: 'text', aliases: ['pool'] },
  { name: 'work_queue', title: 'Work queue', kind: 'text', aliases: ['queue'] },
  tag,
  tries,
  duration,
  { name: 'parameter', title: 'Parameter', kind: 'text', isPart: true, example: 'region=eu', aliases: ['parameters'] },
  { name: 'cause', title: 'Cause', kind: 'text', isPart: true, aliases: ['reason', 'error'] },
  {
    name: 'failed',
    title: 'Failed attempts',
    kind: 'choice',
    aliases: ['failures'],
    choices: [
      ['yes', 'one or more'],
      ['no', 'none'],
    ],
  },
  {
    name: 'subflow',
    title: 'Subflows',
    kind: 'choice',
    aliases: ['subflows'],
    choices: [
      ['no', 'hidden'],
      ['yes', 'only'],
    ],
  },
  name,
] as const satisfies readonly Field[];

const ofTaskRuns = [
  state,
  flow,
  deployment,
  { name: 'task', title: 'Task', kind: 'text' },
  tag,
  tries,
  duration,
  name,
] as const satisfies readonly Field[];

export const flowRunFields: ListFields = {
  fields: ofFlowRuns,
  text: 'name',
  // A link that asks for something shows the subflows too: the counts beside such links have them.
  hiding: { field: 'subflow', value: 'no', reveal: 'Show subflows', isOff: (given) => given.length > 0 },
};

export const taskRunFields: ListFields = { fields: ofTaskRuns, text: 'name' };

export const runsSearch = {
  /** `task-runs`; flow runs when it is absent. */
  tab: text,
  /** A column, with `-` before it for descending order: `name`, `-duration`. By default, the latest runs come first. */
  sort: text,
  ...readsOf(ofFlowRuns, text),
  ...readsOf(ofTaskRuns, text),
  /** `1h`, `24h`, `7d`, or two times with a slash between them. */
  span: text,
};
export type RunsSearch = SearchOf<typeof runsSearch>;

/** The search of the runs of these objects, by their names. */
export function runsNamed(
  names: { readonly [Name in 'flow' | 'deployment' | 'tag']?: string | undefined },
  more: RunsSearch = {},
): RunsSearch {
  const given = Object.entries(names).flatMap(([field, value]) => (value ? [[field, addressed(value)] as const] : []));
  return { ...more, ...Object.fromEntries(given) };
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isId(text: string): boolean {
  return ID.test(text);
}

/** The whole id that is searched for by name. */
export function searchedId(conditions: readonly Condition[]): string | undefined {
  const [value, ...others] = conditions.filter((one) => one.field === 'name' && !one.not).flatMap((one) => one.values);
  return value !== undefined && others.length === 0 && isId(value.trim()) ? value.trim() : undefined;
}

export const logSearch = {
  level: text,
  /** Text that lines contain. */
  q: text,
  /** The id of a record that is shown. */
  line: text,
};
export type LogSearch = SearchOf<typeof logSearch>;

const ofLogs = [
  { name: 'q', title: 'Text', kind: 'text', isPart: true, isOwn: true, aliases: ['contains', 'words'] },
  {
    name: 'level',
    title: 'Level',
    kind: 'choice',
    choices: [
      ['debug', 'debug'],
      ['info', 'info and above'],
      ['warning', 'warnings and errors'],
      ['error', 'errors'],
      ['critical', 'critical'],
    ],
  },
  flow,
  deployment,
  { name: 'run', title: 'Run', kind: 'text', aliases: ['id'] },
  { name: 'task', title: 'Task', kind: 'text' },
  { name: 'logger', title: 'Logger', kind: 'text' },
] as const satisfies readonly Field[];

/** The fields by which log lines of all runs are narrowed. */
export const logFields: ListFields = { fields: ofLogs, text: 'q' };

export const logsSearch = {
  ...readsOf(ofLogs, text),
  /** `parts`; words when it is absent. */
  match: text,
  /** `1h`, `24h`, `7d`, or two times with a slash between them; all time when it is absent. */
  span: text,
};
export type LogsSearch = SearchOf<typeof logsSearch>;
