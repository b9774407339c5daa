/** All tools of the built-in server, in the order of its list, and the selection for a caller with a role. */
import type { Role } from '../../../identity/access/access.ts';
import type { Effect, Tool } from '../definition/tool.ts';
import type { WorkspaceApi } from '../definition/workspace-api.ts';
import { changingTools } from '../tools/changes.ts';
import { explainingTools } from '../tools/explain.ts';
import { flowTools } from '../tools/flows.ts';
import { overviewTools } from '../tools/overview.ts';
import { recordTools } from '../tools/records.ts';
import { runTools } from '../tools/runs.ts';
import { settingTools } from '../tools/settings.ts';
import { workTools } from '../tools/work.ts';

export const tools: readonly Tool[] = [
  ...overviewTools,
  ...explainingTools,
  ...flowTools,
  ...runTools,
  ...recordTools,
  ...workTools,
  ...changingTools,
  ...settingTools,
];

const byName = new Map(tools.map((tool) => [tool.name, tool]));

export function findTool(name: string): Tool | undefined {
  return byName.get(name);
}

export function mayUse(tool: Tool, role: Role, api: WorkspaceApi): boolean {
  return tool.routes.every((route) => api.allows(route, role));
}

/** Source: modelcontextprotocol.io/specification/2025-11-25/schema, `ToolAnnotations`. */
const ANNOTATIONS: Readonly<Record<Effect, Readonly<Record<string, boolean>>>> = {
  read: { readOnlyHint: true, openWorldHint: false },
  add: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  change: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  end: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
};

interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown };
  readonly outputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown };
  readonly annotations: Readonly<Record<string, boolean>>;
}

const listed = new Map<Tool, ListedTool>();

/** The item of `tools/list`. */
export function listedTool(tool: Tool): ListedTool {
  let item = listed.get(tool);
  if (!item) {
    const { name, title, description, effect, input, output } = tool;
    const annotations = { ...ANNOTATIONS[effect] };
    item = { name, title, description, inputSchema: givenBy(input), outputSchema: plain(output), annotations };
    listed.set(tool, item);
  }
  return item;
}

type ListedSchema = ListedTool['inputSchema'];

function plain(schema: object): ListedSchema {
  return JSON.parse(JSON.stringify(schema)) as ListedSchema;
}

/** The arguments that a caller must give: those with a default are optional. */
function givenBy(input: object): ListedSchema {
  const { required, ...schema } = plain(input) as ListedSchema & {
    readonly required?: readonly string[];
    readonly properties: Readonly<Record<string, object>>;
  };
  const missing = (required ?? []).filter((name) => !('default' in schema.properties[name]!));
  return missing.length === 0 ? schema : { ...schema, required: missing };
}
