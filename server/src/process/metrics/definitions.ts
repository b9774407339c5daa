/**
 * Every metric of the server: its name, its kind, its labels and its meaning. `docs/metrics.md` is generated from this
 * file.
 */

interface Common {
  readonly help: string;
  /** Each label has a bounded number of values; see `BoundedLabel` for values that users choose. */
  readonly labels: readonly string[];
  /** Makes one value from those of several processes of one machine; by default they are added up. */
  readonly together?: 'max';
}

export type Definition = Common &
  (
    | { readonly kind: 'counter' }
    | { readonly kind: 'gauge' }
    | { readonly kind: 'histogram'; readonly buckets: readonly number[] }
  );

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const LONG_SECONDS = [0.01, 0.05, 0.25, 1, 2.5, 10, 30, 60, 300, 900];

/** Metrics that the server counts as it works, for this process only. */
export const processDefinitions = {
  signalbox_build_info: {
    kind: 'gauge',
    together: 'max',
    labels: ['version'],
    help: 'Always 1; the label is the version of the server.',
  },
  signalbox_http_requests_total: {
    kind: 'counter',
    labels: ['route', 'status'],
    help: 'Answered requests of the APIs and pages, by declared route ("other" for files and unknown paths) and status.',
  },
  signalbox_http_request_duration_seconds: {
    kind: 'histogram',
    labels: ['route'],
    buckets: SECONDS,
    help: 'Time from the head of a request until its answer was sent, without streams.',
  },
  signalbox_http_requests_under_way: {
    kind: 'gauge',
    labels: [],
    help: 'Requests in progress. SIGNALBOX_MAX_REQUESTS is the limit.',
  },
  signalbox_limit_refusals_total: {
    kind: 'counter',
    labels: ['limit'],
    help: 'Connections, requests and websockets that were refused because this process was at its limit.',
  },
  signalbox_evictions_total: {
    kind: 'counter',
    labels: ['map'],
    help: 'Values that were dropped because the map that keeps them was full. They are read or made again when they are needed.',
  },
  signalbox_unmatched_texts_total: {
    kind: 'counter',
    labels: ['cause'],
    help: 'Filters and triggers that did not match, because a label of the event has more than 65,536 characters (label_length) or the comparison takes too much work (work).',
  },
  signalbox_dropped_events_total: {
    kind: 'counter',
    labels: ['cause'],
    help: 'Events of clients that were not stored, because they are invalid (invalid), too large (size) or refused by the database (database).',
  },
  signalbox_mails_total: {
    kind: 'counter',
    labels: ['kind', 'outcome'],
    help: 'Mails by kind (invitation, password_reset, key_expires, notification) and outcome: sent (the mail server accepted it), failed, or limited (an organization, a person or this process was at its limit).',
  },
  signalbox_websockets: {
    kind: 'gauge',
    labels: ['path'],
    help: 'Open websockets, by the path of their route.',
  },
  signalbox_database_commit_duration_seconds: {
    kind: 'histogram',
    labels: ['outcome'],
    buckets: SECONDS,
    help: 'Time of a transaction until its commit (committed) or rollback (failed). On SQLite, writes share a transaction.',
  },
  signalbox_database_commit_writes: {
    kind: 'histogram',
    labels: [],
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    help: 'Writes that shared one commit. Always 1 on PostgreSQL.',
  },
  signalbox_database_read_duration_seconds: {
    kind: 'histogram',
    labels: [],
    buckets: SECONDS,
    help: 'Time of a read of the database, including the wait for a connection or a process.',
  },
  signalbox_service_pass_duration_seconds: {
    kind: 'histogram',
    labels: ['service'],
    buckets: LONG_SECONDS,
    help: 'Time of a pass of a background service.',
  },
  signalbox_service_failures_total: {
    kind: 'counter',
    labels: ['service'],
    help: 'Passes of a background service that failed; the log has the errors.',
  },
  signalbox_service_last_success_timestamp_seconds: {
    kind: 'gauge',
    together: 'max',
    labels: ['service'],
    help: 'Unix time at which a pass of the service last completed all due work. Absent until then.',
  },
  signalbox_gateway_requests_total: {
    kind: 'counter',
    labels: ['server', 'method', 'decision', 'status'],
    help: 'Requests to MCP servers, by slug of the server, method, decision (allowed, denied, invalid) and HTTP status.',
  },
  signalbox_gateway_request_duration_seconds: {
    kind: 'histogram',
    labels: ['server'],
    buckets: LONG_SECONDS,
    help: 'Time from the arrival of a request to an MCP server until its answer has ended. Streams last long.',
  },
  signalbox_gateway_upstream_duration_seconds: {
    kind: 'histogram',
    labels: ['outcome'],
    buckets: LONG_SECONDS,
    help: 'Time until an MCP server began its answer (answered), or until the failure that the label names.',
  },
  signalbox_hosted_servers: {
    kind: 'gauge',
    labels: ['state'],
    help: 'Hosted MCP servers in this process: starting, running, or waiting after a failure.',
  },
  signalbox_hosted_processes: {
    kind: 'gauge',
    labels: [],
    help: 'Processes of hosted MCP servers that this process runs.',
  },
  signalbox_build_duration_seconds: {
    kind: 'histogram',
    labels: ['outcome'],
    buckets: LONG_SECONDS,
    help: 'Time of a build of a hosted MCP server: succeeded, failed, canceled or interrupted.',
  },
} as const satisfies Record<string, Definition>;

/**
 * Metrics that are read from the database: every process on it has the same values, so take the maximum instead of the
 * sum.
 */
export const databaseDefinitions = {
  signalbox_database_up: {
    kind: 'gauge',
    labels: [],
    help: '1 if the values from the database are current; 0 if it could not be read, and they are absent.',
  },
  signalbox_database_size_bytes: {
    kind: 'gauge',
    labels: [],
    help: 'Size of the database on its disk.',
  },
  signalbox_database_free_bytes: {
    kind: 'gauge',
    labels: [],
    help: 'Free space in the database file (SQLite).',
  },
  signalbox_flow_runs: {
    kind: 'gauge',
    labels: ['workspace', 'state_type'],
    help: 'Flow runs, by type of their state.',
  },
  signalbox_flow_runs_due: {
    kind: 'gauge',
    labels: ['workspace', 'work_pool'],
    help: 'Overdue flow runs, by work pool ("none" without one). At most 10,000 of a workspace are counted.',
  },
  signalbox_flow_runs_late: {
    kind: 'gauge',
    labels: ['workspace', 'work_pool'],
    help: 'Overdue flow runs that are marked late.',
  },
  signalbox_flow_runs_oldest_due_seconds: {
    kind: 'gauge',
    labels: ['workspace', 'work_pool'],
    help: 'How long the oldest overdue flow run has been due; 0 if there is none.',
  },
  signalbox_flow_runs_awaiting_slots: {
    kind: 'gauge',
    labels: ['workspace', 'work_pool'],
    help: 'Flow runs that wait for a slot of a concurrency limit.',
  },
  signalbox_concurrency_slots: {
    kind: 'gauge',
    labels: ['workspace'],
    help: 'Slots of all active concurrency limits, including those of deployments.',
  },
  signalbox_concurrency_slots_held: {
    kind: 'gauge',
    labels: ['workspace'],
    help: 'Held slots of these limits. Slots without a lease are counted without their decay.',
  },
  signalbox_work_pools: {
    kind: 'gauge',
    labels: ['workspace', 'status'],
    help: 'Work pools, by status.',
  },
  signalbox_workers_online: {
    kind: 'gauge',
    labels: ['workspace'],
    help: 'Workers with a recent heartbeat.',
  },
  signalbox_automation_events_waiting: {
    kind: 'gauge',
    labels: [],
    help: 'Events that the triggers have not processed yet; at most 10,000 are counted.',
  },
  signalbox_automation_actions_waiting: {
    kind: 'gauge',
    labels: [],
    help: 'Actions of automations that have not run yet; at most 10,000 are counted.',
  },
} as const satisfies Record<string, Definition>;
