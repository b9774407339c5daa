/** The tables of deployments, work pools and concurrency limits. */

export const deployment = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  created_by: 'json?',
  updated_by: 'json?',
  name: 'text',
  version: 'text?',
  description: 'text?',
  flow_id: 'uuid',
  paused: 'boolean',
  concurrency_limit_id: 'uuid?',
  concurrency_options: 'json?',
  job_variables: 'json',
  parameters: 'json',
  pull_steps: 'json?',
  tags: 'json',
  labels: 'json?',
  last_polled: 'timestamp?',
  parameter_openapi_schema: 'json?',
  path: 'text?',
  entrypoint: 'text?',
  storage_document_id: 'uuid?',
  infrastructure_document_id: 'uuid?',
  work_queue_id: 'uuid?',
  work_queue_name: 'text?',
  status: 'text',
  enforce_parameter_schema: 'boolean',
  schedule_due: 'timestamp?',
} as const;

export const deployment_schedule = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  deployment_id: 'uuid',
  schedule: 'json',
  active: 'boolean',
  max_scheduled_runs: 'integer?',
  parameters: 'json',
  slug: 'text?',
  /** A person paused this schedule. It stays paused when its deployment is deployed again. */
  paused: 'boolean?',
} as const;

export const work_pool = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  name: 'text',
  description: 'text?',
  type: 'text',
  base_job_template: 'json',
  is_paused: 'boolean',
  default_queue_id: 'uuid?',
  concurrency_limit: 'integer?',
  storage_configuration: 'json',
  status: 'text',
  last_status_event_id: 'uuid?',
} as const;

export const work_queue = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  name: 'text',
  description: 'text',
  is_paused: 'boolean',
  concurrency_limit: 'integer?',
  priority: 'integer',
  last_polled: 'timestamp?',
  status: 'text',
  work_pool_id: 'uuid',
  filter: 'json?',
} as const;

export const worker = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  name: 'text',
  work_pool_id: 'uuid',
  last_heartbeat_time: 'timestamp',
  heartbeat_interval_seconds: 'integer?',
  online_until: 'timestamp',
} as const;

/**
 * A global concurrency limit. The slots of a lease are rows of their own; `unleased_slots` counts the slots that were
 * taken without one, as of `updated`, from which both kinds decay.
 */
export const concurrency_limit = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  name: 'text',
  limit: 'integer',
  active: 'boolean',
  denied_slots: 'integer',
  slot_decay_per_second: 'float',
  avg_slot_occupancy_seconds: 'float',
  unleased_slots: 'integer',
} as const;

/** Slots held until a time that the holder keeps extending. An expired lease holds no slots. */
export const concurrency_lease = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  expires_at: 'timestamp',
  /** The holder that a client names for the lease. */
  holder_type: 'text?',
  holder_id: 'uuid?',
  /** The run for which the server took the lease: deleting it ends the lease. */
  flow_run_id: 'uuid?',
  task_run_id: 'uuid?',
} as const;

export const concurrency_slot = {
  workspace: 'integer',
  lease_id: 'uuid',
  concurrency_limit_id: 'uuid',
  slots: 'integer',
} as const;
