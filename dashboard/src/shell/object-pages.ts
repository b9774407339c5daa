/** The pages of single objects: what the object is, and the list that leads to it. */

export interface ObjectPage {
  /** As in a sentence: `flow run`. */
  readonly kind: string;
  readonly list: { readonly path: string; readonly title: string };
}

const runs = { path: '/runs', title: 'Runs' };
const taskRuns = { path: '/runs?tab=task-runs', title: 'Task runs' };
const pools = { path: '/work-pools', title: 'Work pools' };
const limits = { path: '/concurrency', title: 'Concurrency' };
const blocks = { path: '/blocks', title: 'Blocks' };
const inbox = { path: '/inbox', title: 'Inbox' };
const artifacts = { path: '/artifacts', title: 'Artifacts' };

/** By the address up to the id or the name of the object. */
const pages: readonly (readonly [string, ObjectPage])[] = [
  ['/runs/flow-run/', { kind: 'flow run', list: runs }],
  ['/runs/task-run/', { kind: 'task run', list: taskRuns }],
  ['/inbox/cause/', { kind: 'cause of failures', list: inbox }],
  ['/inbox/server-cause/', { kind: 'cause of failures', list: inbox }],
  ['/flows/flow/', { kind: 'flow', list: { path: '/flows', title: 'Flows' } }],
  ['/deployments/deployment/', { kind: 'deployment', list: { path: '/deployments', title: 'Deployments' } }],
  ['/work-pools/work-pool/', { kind: 'work pool', list: pools }],
  ['/work-queues/work-queue/', { kind: 'work queue', list: pools }],
  ['/concurrency-limits/concurrency-limit/', { kind: 'concurrency limit', list: limits }],
  ['/automations/automation/', { kind: 'automation', list: { path: '/automations', title: 'Automations' } }],
  ['/webhooks/webhook/', { kind: 'webhook', list: { path: '/webhooks', title: 'Webhooks' } }],
  ['/blocks/block/', { kind: 'block', list: blocks }],
  ['/blocks/catalog/', { kind: 'block type', list: { path: '/blocks/catalog', title: 'Types of blocks' } }],
  ['/artifacts/artifact/', { kind: 'artifact', list: artifacts }],
  ['/artifacts/key/', { kind: 'artifact', list: artifacts }],
  ['/events/event/', { kind: 'event', list: { path: '/events', title: 'Events' } }],
  ['/catalog/', { kind: 'server', list: { path: '/catalog', title: 'Catalog' } }],
  ['/servers/', { kind: 'MCP server', list: { path: '/servers', title: 'MCP servers' } }],
  ['/people/service-account/', { kind: 'service account', list: { path: '/people', title: 'People' } }],
  ['/workspaces/', { kind: 'workspace', list: { path: '/workspaces', title: 'Workspaces' } }],
];

/** The page of an object that this path is, or a part of which it is, such as a form. */
export function objectPage(path: string): ObjectPage | undefined {
  return pages.find(([beginning]) => path.startsWith(beginning) && path.length > beginning.length)?.[1];
}

/** The kind, such as `Flow run`, of the object whose own page has this path; undefined for forms, parts and other pages. */
export function kindOfPage(path: string): string | undefined {
  const [beginning, page] = pages.find(([one]) => one === path.slice(0, path.lastIndexOf('/') + 1)) ?? [];
  const isNamed = beginning !== undefined && path.length > beginning.length && path !== '/servers/new';
  return isNamed && page ? sentence(page.kind) : undefined;
}

export function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
