/**
 * Every resource of a Prefect server and of Signalbox, and whether an import copies it. The dry run and
 * docs/migrating.md show the list; `server/test/conformance/import-resources.test.ts` compares it with the tables of
 * the reference and with the routes of the API.
 */
interface Resource {
  readonly what: string;
  readonly comes: boolean;
  /** The way it is imported, or the reason why it is not, with an alternative. */
  readonly why: string;
  /** Tables of a Prefect server 3.9.1. */
  readonly tables?: readonly string[];
  /** First segments of API paths. */
  readonly routes?: readonly string[];
}

export const resources: readonly Resource[] = [
  { what: 'variables', comes: true, why: 'with their values and tags', tables: ['variable'], routes: ['variables'] },
  {
    what: 'concurrency limits',
    comes: true,
    why: 'global ones and those of tags; not the slots that are held',
    tables: ['concurrency_limit', 'concurrency_limit_v2'],
    routes: ['concurrency_limits', 'v2'],
  },
  {
    what: 'block types, schemas and documents',
    comes: true,
    why: 'with the secrets that the source shows; the report lists those that it hides',
    tables: ['block_type', 'block_schema', 'block_schema_reference', 'block_document', 'block_document_reference'],
    routes: ['block_types', 'block_schemas', 'block_documents', 'block_capabilities'],
  },
  {
    what: 'work pools and queues',
    comes: true,
    why: 'they become ready when a worker polls them here',
    tables: ['work_pool', 'work_queue'],
    routes: ['work_pools', 'work_queues'],
  },
  { what: 'flows', comes: true, why: 'with tags and labels', tables: ['flow'], routes: ['flows'] },
  {
    what: 'deployments and schedules',
    comes: true,
    why: 'schedules are inactive until an import with `--activate`',
    tables: ['deployment', 'deployment_schedule'],
    routes: ['deployments'],
  },
  {
    what: 'automations',
    comes: true,
    why: 'disabled until an import with `--activate`',
    tables: ['automation', 'automation_related_resource'],
    routes: ['automations'],
  },
  { what: 'saved searches', comes: true, why: 'as they are', tables: ['saved_search'], routes: ['saved_searches'] },
  {
    what: 'artifacts',
    comes: true,
    why: 'all of them, however old',
    tables: ['artifact', 'artifact_collection'],
    routes: ['artifacts'],
  },
  {
    what: 'flow runs that have begun, with their states',
    comes: true,
    why: 'within `--days`; import again when unfinished ones have ended',
    tables: ['flow_run', 'flow_run_state'],
    routes: ['flow_runs', 'flow_run_states'],
  },
  {
    what: 'flow runs that have not started: scheduled by hand, overdue, or waiting for a retry',
    comes: true,
    why: 'with `--activate`, however old',
  },
  {
    what: 'inputs of unfinished flow runs',
    comes: true,
    why: 'so that they can be resumed here',
    tables: ['flow_run_input'],
  },
  {
    what: 'task runs with their last state',
    comes: true,
    why: 'with their flow runs, and background tasks within `--days`',
    tables: ['task_run'],
    routes: ['task_runs'],
  },
  { what: 'logs', comes: true, why: 'with their flow runs', tables: ['log'], routes: ['logs'] },
  { what: 'events', comes: true, why: 'within `--days`', tables: ['events', 'event_resources'], routes: ['events'] },
  {
    what: 'flow runs that schedules made ahead',
    comes: false,
    why: 'The schedules create them again.',
  },
  {
    what: 'flow runs that are pending',
    comes: false,
    why: 'A worker of the source has taken them: import again when they have ended.',
  },
  { what: 'inputs of ended flow runs', comes: false, why: 'Nothing reads them any more.' },
  {
    what: 'earlier states of task runs',
    comes: false,
    why: 'The source returns them only one task run at a time. The last state is imported.',
    tables: ['task_run_state'],
    routes: ['task_run_states', 'observed-states'],
  },
  {
    what: 'workers and agents',
    comes: false,
    why: 'They register themselves when PREFECT_API_URL names Signalbox.',
    tables: ['worker', 'agent'],
    routes: ['task_workers'],
  },
  { what: 'slots that are held', comes: false, why: 'Their holders use only the source.' },
  {
    what: 'counters of triggers',
    comes: false,
    why: 'Triggers begin to count again.',
    tables: [
      'automation_bucket',
      'automation_event_follower',
      'automation_held_event',
      'composite_trigger_child_firing',
    ],
  },
  {
    what: 'the automations that a deployment owns',
    comes: false,
    why: 'The API does not show them. The next deploy creates the triggers of a deployment again: delete the imported ones then.',
  },
  {
    what: 'cached states of task runs',
    comes: false,
    why: 'Prefect 3 keeps results in its own storage, where they stay valid.',
    tables: ['task_run_state_cache'],
  },
  {
    what: 'default storage of results',
    comes: false,
    why: 'Set it again: prefect server default-result-storage, or PUT /admin/storage.',
    tables: ['configuration'],
    routes: ['admin'],
  },
  { what: 'CSRF tokens', comes: false, why: 'Each is for one client.', tables: ['csrf_token'], routes: ['csrf-token'] },
  {
    what: 'webhooks, backfills, bulk work and causes of failures',
    comes: false,
    why: 'Prefect has none of them, or only Prefect Cloud. The API does not show the secrets of webhooks: create them again. Imported failures are sorted by their causes anew.',
    routes: ['webhooks', 'backfills', 'bulk_work', 'failure_causes'],
  },
  {
    what: 'the first hour of a workspace',
    comes: false,
    why: 'Each workspace has its own. The objects of a sample come as ordinary ones: remove the sample first.',
    routes: ['first_hour'],
  },
  {
    what: 'people, keys, roles and MCP servers',
    comes: false,
    why: 'They belong to the server, not to a workspace: a backup contains them.',
  },
];

/** First segments of paths without data of their own: probes, views of other resources, checks of texts. */
export const ROUTES_WITHOUT_ROWS: readonly string[] = [
  'collections',
  'health',
  'hello',
  'ready',
  'templates',
  'ui',
  'version',
  'views',
];

/** The list as Markdown. */
export function resourcesTable(): string {
  const rows = resources.map(({ what, comes, why }) => [what, comes ? 'yes' : 'no', why]);
  const head = ['in the source', 'comes', ''];
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join('\n');
}
