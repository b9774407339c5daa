/** The tables of events, automations and queues of background work. */

export const event = {
  workspace: 'integer',
  id: 'uuid',
  occurred: 'timestamp',
  received: 'timestamp',
  event: 'text',
  resource_id: 'text',
  resource: 'json',
  related: 'json',
  payload: 'json',
  follows: 'uuid?',
} as const;

/** One row for each related resource of an event; the primary one is in the event itself. */
export const event_resource = {
  workspace: 'integer',
  resource_id: 'text',
  role: 'text',
  occurred: 'timestamp',
  event_id: 'uuid',
} as const;

export const automation = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  name: 'text',
  description: 'text',
  tags: 'json',
  enabled: 'boolean',
  trigger: 'json',
  actions: 'json',
  actions_on_trigger: 'json',
  actions_on_resolve: 'json',
} as const;

export const automation_related_resource = {
  workspace: 'integer',
  automation_id: 'uuid',
  resource_id: 'text',
  automation_owned_by_resource: 'boolean',
} as const;

/**
 * One row a workspace, locked by the process that evaluates its triggers. `version` grows with every change of an
 * automation; `last_occurred` is the time of the latest event that triggers have seen, `last_seen` the time at which
 * they saw it.
 */
export const automation_progress = {
  workspace: 'integer',
  version: 'integer',
  last_occurred: 'timestamp?',
  last_seen: 'timestamp?',
} as const;

/** The number of events since `start`, with the labels in `bucketing_key`, that an event trigger has counted. */
export const automation_bucket = {
  workspace: 'integer',
  trigger_id: 'uuid',
  key_digest: 'text',
  automation_id: 'uuid',
  bucketing_key: 'json',
  start: 'timestamp',
  end: 'timestamp',
  count: 'integer',
  last_event_id: 'uuid?',
  last_ended: 'timestamp?',
} as const;

/** An event that only counts, for windows of a proactive trigger that open later. */
export const automation_held_event = {
  workspace: 'integer',
  trigger_id: 'uuid',
  key_digest: 'text',
  event_id: 'uuid',
  automation_id: 'uuid',
  occurred: 'timestamp',
  held: 'timestamp',
} as const;

/** The latest firing of each part of a compound or sequence trigger that its parent has not used. */
export const automation_child_firing = {
  workspace: 'integer',
  parent_trigger_id: 'uuid',
  child_trigger_id: 'uuid',
  automation_id: 'uuid',
  fired: 'timestamp',
  firing: 'json',
} as const;

/**
 * Events that no trigger has seen yet. An event that arrived before the event that it `follows` waits for that event,
 * up to a limit.
 */
export const automation_event = {
  position: 'integer',
  workspace: 'integer',
  event_id: 'uuid',
  follows: 'uuid?',
  waits_until: 'timestamp?',
} as const;

/** Actions of firings that have not been carried out. `id` is the invocation. */
export const automation_action = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  automation_id: 'uuid',
  firing: 'json',
  triggering_event: 'json?',
  action: 'json',
  action_index: 'integer',
  /** `waiting` or `started`. */
  state: 'text',
  started: 'timestamp?',
  holder: 'text?',
} as const;

/** A background task run that waits for a task worker, or that `claim` holds until `claimed_until`. */
export const queued_task_run = {
  workspace: 'integer',
  task_run_id: 'uuid',
  task_key: 'text',
  /** Retries come before the others. */
  is_retry: 'boolean',
  position: 'uuid',
  claim: 'uuid?',
  claimed_until: 'timestamp?',
} as const;

/** A connection of a task worker, offline at `online_until` unless it reports again. */
export const task_worker = {
  workspace: 'integer',
  id: 'uuid',
  identifier: 'text',
  task_keys: 'json',
  timestamp: 'timestamp',
  online_until: 'timestamp',
} as const;

/** A request to the workers of a pool; one of them has it until `lease_expires_at`, for the `deliveries`th time. */
export const worker_cleanup = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  work_pool_id: 'uuid',
  work_queue_id: 'uuid?',
  kind: 'text',
  target: 'json',
  deliveries: 'integer',
  reservation_token: 'text?',
  lease_expires_at: 'timestamp?',
} as const;
