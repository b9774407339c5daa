/** The tables of failures and their causes. */

/** The columns of something that happens again and again. `recurrence/` counts it. */
const recurring = {
  first_seen: 'timestamp',
  last_seen: 'timestamp',
  count: 'integer',
  /** The newest days, each with its count: `[["2026-11-29", 3]]`. */
  days: 'json',
  /** Null while it is not resolved. */
  resolved: 'timestamp?',
  /** The time at which it came again after it was resolved. */
  regressed: 'timestamp?',
  muted_until: 'timestamp?',
  /** The count at which it is heard again. */
  muted_until_count: 'integer?',
  owner_id: 'uuid?',
  owner_name: 'text?',
} as const;

/** A state in which a flow run failed. */
export const failure = {
  workspace: 'integer',
  /** The id of the state. */
  id: 'uuid',
  flow_run_id: 'uuid',
  timestamp: 'timestamp',
  /** Null until the failure is sorted. The cause may be gone. */
  cause_id: 'uuid?',
  /** The failure of which it is a part, and which is counted in its place: of the run above, or an earlier one. */
  part_of: 'uuid?',
} as const;

/** A cause of failures of a flow: of the deepest subflow that the runs above it report. */
export const failure_cause = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  flow_id: 'uuid',
  /** The common part of the messages. */
  cause: 'text',
  ...recurring,
  /** The newest versions that failed. */
  versions: 'json',
  /** The newest failure: the run at the top of its tree, its state, and the message of the run with the cause. */
  last_run_id: 'uuid',
  last_run_name: 'text',
  last_state_type: 'text',
  last_state_name: 'text',
  last_message: 'text?',
} as const;

/** The failed requests to an MCP server of one kind of failure. */
export const mcp_failure_cause = {
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  server_id: 'uuid',
  failure: 'text',
  ...recurring,
  /** The sentence of the newest failure; null for the sentence of its kind. */
  last_text: 'text?',
} as const;
