/** The tables of flows and runs, and the settings of a workspace. */

/** Settings that are stored in the database, one JSON value per key. */
export const configuration = {
  workspace: 'integer',
  key: 'text',
  value: 'json',
} as const;

export const flow = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  name: 'text',
  tags: 'json',
  labels: 'json?',
  /** Time of deletion: the flow is hidden, and its row is deleted after its runs. */
  removed: 'timestamp?',
} as const;

export const flow_run = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  name: 'text',
  flow_id: 'uuid',
  state_id: 'uuid?',
  deployment_id: 'uuid?',
  deployment_version: 'text?',
  work_queue_id: 'uuid?',
  work_queue_name: 'text?',
  flow_version: 'text?',
  parameters: 'json',
  idempotency_key: 'text?',
  context: 'json',
  empirical_policy: 'json',
  tags: 'json',
  labels: 'json',
  parent_task_run_id: 'uuid?',
  state_type: 'text?',
  state_name: 'text?',
  state_timestamp: 'timestamp?',
  run_count: 'integer',
  expected_start_time: 'timestamp?',
  next_scheduled_start_time: 'timestamp?',
  start_time: 'timestamp?',
  end_time: 'timestamp?',
  total_run_time: 'float',
  auto_scheduled: 'boolean',
  infrastructure_document_id: 'uuid?',
  infrastructure_pid: 'text?',
  created_by: 'json?',
  job_variables: 'json?',
} as const;

/** Number of runs by state; several rows of one state add up. Triggers keep them. */
export const flow_run_count = { workspace: 'integer', state_type: 'text', count: 'integer' } as const;

/**
 * Number, duration and lateness of ended runs by state and by the span of time in which they were expected or started.
 * Several rows of one span and state add up. Triggers keep them.
 */
export const flow_run_sum = {
  workspace: 'integer',
  placed_by: 'text',
  span_seconds: 'integer',
  begins: 'timestamp',
  state_type: 'text',
  state_name: 'text',
  count: 'integer',
  run_microseconds: 'wide_integer',
  lateness_microseconds: 'wide_integer',
} as const;

/** Time at which a paused run fails unless it is resumed. */
export const flow_run_pause = { workspace: 'integer', flow_run_id: 'uuid', expires_at: 'timestamp' } as const;

/** Cancelled runs whose children and task runs are cancelled after them; `due` is the time of the next check. */
export const flow_run_cancellation = {
  workspace: 'integer',
  flow_run_id: 'uuid',
  cancelled_at: 'timestamp',
  due: 'timestamp',
} as const;

/** Running runs that send heartbeats. */
export const flow_run_heartbeat = {
  workspace: 'integer',
  flow_run_id: 'uuid',
  /** Time of the last heartbeat by the client's clock. */
  last_occurred: 'timestamp',
  /** Time of the last heartbeat by the server's clock. */
  received: 'timestamp',
  /** Seconds between the last two heartbeats; null after only one. */
  interval_seconds: 'float?',
  /** Earliest time at which the server checks whether heartbeats stopped. */
  silent_at: 'timestamp',
} as const;

export const flow_run_tag = { workspace: 'integer', tag: 'text', flow_run_id: 'uuid' } as const;

export const flow_run_state = {
  workspace: 'integer',
  id: 'uuid',
  flow_run_id: 'uuid',
  type: 'text',
  name: 'text',
  timestamp: 'timestamp',
  message: 'text?',
  data: 'json?',
  state_details: 'json',
} as const;

export const flow_run_input = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  flow_run_id: 'uuid',
  key: 'text',
  value: 'text',
  sender: 'text?',
} as const;

export const task_run = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  name: 'text',
  flow_run_id: 'uuid?',
  task_key: 'text',
  dynamic_key: 'text',
  cache_key: 'text?',
  cache_expiration: 'timestamp?',
  task_version: 'text?',
  empirical_policy: 'json',
  tags: 'json',
  labels: 'json?',
  task_inputs: 'json',
  state_id: 'uuid?',
  state_type: 'text?',
  state_name: 'text?',
  state_timestamp: 'timestamp?',
  run_count: 'integer',
  flow_run_run_count: 'integer',
  expected_start_time: 'timestamp?',
  next_scheduled_start_time: 'timestamp?',
  start_time: 'timestamp?',
  end_time: 'timestamp?',
  total_run_time: 'float',
} as const;

export const task_run_tag = { workspace: 'integer', tag: 'text', task_run_id: 'uuid' } as const;

export const task_run_state = {
  workspace: 'integer',
  id: 'uuid',
  task_run_id: 'uuid',
  type: 'text',
  name: 'text',
  timestamp: 'timestamp',
  message: 'text?',
  data: 'json?',
  state_details: 'json',
} as const;

export const task_run_state_cache = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  cache_key: 'text',
  cache_expiration: 'timestamp?',
  task_run_state_id: 'uuid',
} as const;
