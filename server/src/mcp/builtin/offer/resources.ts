/** Resources of the built-in server: runs, logs and artifacts by address, as attachments of a conversation. */
import type { Role } from '../../../identity/access/access.ts';
import type { Tool } from '../definition/tool.ts';
import type { WorkspaceApi } from '../definition/workspace-api.ts';
import { runTool, type ToolCall } from './call-tool.ts';
import { findTool, mayUse } from './tools.ts';

const JSON_TYPE = 'application/json';

interface Template {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  /** The tool that gives the answer. */
  readonly tool: string;
  /** The part of the path that is an id. */
  readonly pattern: RegExp;
  argumentsOf(id: string): Readonly<Record<string, unknown>>;
  textOf?(answer: object): string;
}

const ID = '([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})';
const LOG_LINES = 100;

interface Lines {
  readonly lines: readonly { readonly at: string; readonly level: string; readonly message: string }[];
  readonly next_cursor?: string;
}

function linesText(answer: object): string {
  const { lines, next_cursor } = answer as Lines;
  const text = lines.map(({ at, level, message }) => `${at} ${level} ${message}`).join('\n');
  return next_cursor ? `${text}\n(There are more lines. read_logs shows them page by page.)` : text;
}

const templates: readonly Template[] = [
  {
    uriTemplate: 'signalbox://flow-runs/{id}',
    name: 'flow-run',
    title: 'Flow run',
    description: 'A flow run with its states and task runs.',
    mimeType: JSON_TYPE,
    tool: 'get_flow_run',
    pattern: new RegExp(`^signalbox://flow-runs/${ID}$`),
    argumentsOf: (run_id) => ({ run_id }),
  },
  {
    uriTemplate: 'signalbox://flow-runs/{id}/logs',
    name: 'flow-run-logs',
    title: 'Logs of a flow run',
    description: `The last ${LOG_LINES} log lines of a flow run and its tasks, newest first.`,
    mimeType: 'text/plain',
    tool: 'read_logs',
    pattern: new RegExp(`^signalbox://flow-runs/${ID}/logs$`),
    argumentsOf: (run_id) => ({ run_id, min_level: 'debug', order: 'newest', limit: LOG_LINES }),
    textOf: linesText,
  },
  {
    uriTemplate: 'signalbox://flow-runs/{id}/failure',
    name: 'flow-run-failure',
    title: 'Failure of a flow run',
    description: 'Why a flow run failed, and its differences from the last successful run.',
    mimeType: JSON_TYPE,
    tool: 'why_did_this_run_fail',
    pattern: new RegExp(`^signalbox://flow-runs/${ID}/failure$`),
    argumentsOf: (run_id) => ({ run_id }),
  },
  {
    uriTemplate: 'signalbox://task-runs/{id}',
    name: 'task-run',
    title: 'Task run',
    description: 'A task run with its states.',
    mimeType: JSON_TYPE,
    tool: 'get_task_run',
    pattern: new RegExp(`^signalbox://task-runs/${ID}$`),
    argumentsOf: (task_run_id) => ({ task_run_id }),
  },
  {
    uriTemplate: 'signalbox://task-runs/{id}/logs',
    name: 'task-run-logs',
    title: 'Logs of a task run',
    description: `The last ${LOG_LINES} log lines of a task run, newest first.`,
    mimeType: 'text/plain',
    tool: 'read_logs',
    pattern: new RegExp(`^signalbox://task-runs/${ID}/logs$`),
    argumentsOf: (task_run_id) => ({ task_run_id, min_level: 'debug', order: 'newest', limit: LOG_LINES }),
    textOf: linesText,
  },
  {
    uriTemplate: 'signalbox://artifacts/{id}',
    name: 'artifact',
    title: 'Artifact',
    description: 'An artifact with the first 20,000 characters of its data.',
    mimeType: JSON_TYPE,
    tool: 'get_artifact',
    pattern: new RegExp(`^signalbox://artifacts/${ID}$`),
    argumentsOf: (artifact_id) => ({ artifact_id, length: 20_000 }),
  },
];

const OVERVIEW = {
  uri: 'signalbox://overview',
  name: 'overview',
  title: 'Overview of the workspace',
  description: 'Failures of the last day, runs that wait and runs that are due.',
  mimeType: JSON_TYPE,
};
const OVERVIEW_TOOL = 'get_overview';

function toolNamed(name: string): Tool {
  const tool = findTool(name);
  if (!tool) throw new Error(`A resource names the tool ${name}, which does not exist.`);
  return tool;
}

export function listedResources(role: Role, api: WorkspaceApi) {
  return mayUse(toolNamed(OVERVIEW_TOOL), role, api) ? [OVERVIEW] : [];
}

export function listedTemplates(role: Role, api: WorkspaceApi) {
  return templates
    .filter(({ tool }) => mayUse(toolNamed(tool), role, api))
    .map(({ uriTemplate, name, title, description, mimeType }) => ({
      uriTemplate,
      name,
      title,
      description,
      mimeType,
    }));
}

interface ResourceContent {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

/** Undefined when no resource has this address. Throws the errors of the tool behind it. */
export async function readResource(uri: string, call: ToolCall): Promise<ResourceContent | undefined> {
  if (uri === OVERVIEW.uri) {
    return { uri, mimeType: JSON_TYPE, text: JSON.stringify(await runTool(toolNamed(OVERVIEW_TOOL), {}, call)) };
  }
  for (const template of templates) {
    const [, id] = template.pattern.exec(uri) ?? [];
    if (id === undefined) continue;
    const tool = toolNamed(template.tool);
    if (!mayUse(tool, call.caller.role, call.api)) return undefined;
    const answer = await runTool(tool, template.argumentsOf(id), call);
    const text = template.textOf ? template.textOf(answer) : JSON.stringify(answer);
    return { uri, mimeType: template.mimeType, text };
  }
  return undefined;
}
