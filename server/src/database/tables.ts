/**
 * The tables, column by column, as the code sees them. The kind of a column decides how its values are bound and decoded
 * on both databases; the migrations hold the same columns as DDL, and a test compares the two.
 *
 * Every table of Surface A starts with `workspace`, the small integer key of the workspace that owns the row.
 */
import type { JsonText } from '../json.ts';
import type { Timestamp } from '../time.ts';

interface KindTypes {
  uuid: string;
  text: string;
  timestamp: Timestamp;
  /** JSON as its text, exactly as it was given. */
  json: JsonText;
  boolean: boolean;
  integer: number;
  float: number;
}

export type ColumnKind = keyof KindTypes;
/** A trailing `?` marks a column that can be null. */
export type ColumnSpec = ColumnKind | `${ColumnKind}?`;

type ColumnType<Spec> = Spec extends `${infer Kind extends ColumnKind}?`
  ? KindTypes[Kind] | null
  : Spec extends ColumnKind
    ? KindTypes[Spec]
    : never;

type RowOf<Table> = { -readonly [Column in keyof Table]: ColumnType<Table[Column]> };

/** Owns workspaces and servers; the "account" of the hosted addresses. */
const organization = {
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  name: 'text',
  slug: 'text',
} as const;

/** A workspace row for each tenant; `key` is what the other tables carry. */
const workspace = {
  key: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  name: 'text',
  organization_id: 'uuid',
  handle: 'text',
  description: 'text',
  default_role: 'text?',
} as const;

/** A person. `email` is in lower case; without `password_hash` the person signs in some other way, or not yet. */
const user_account = {
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  email: 'text',
  name: 'text?',
  password_hash: 'text?',
  state: 'text',
} as const;

const membership = {
  organization_id: 'uuid',
  user_id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  role: 'text',
} as const;

const service_account = {
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  organization_id: 'uuid',
  name: 'text',
  description: 'text',
  role: 'text',
  state: 'text',
} as const;

/** `hash` is the SHA-256 of the secret. The owner is a user or a service account. */
const api_key = {
  id: 'uuid',
  created: 'timestamp',
  hash: 'text',
  descriptor: 'text',
  owner_type: 'text',
  owner_id: 'uuid',
  revoked_at: 'timestamp?',
  last_used_at: 'timestamp?',
} as const;

/** Of a workspace or an MCP server to a user or a service account. */
const resource_grant = {
  resource_type: 'text',
  resource_id: 'uuid',
  actor_type: 'text',
  actor_id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  role: 'text',
} as const;

const invitation = {
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  organization_id: 'uuid',
  email: 'text',
  role: 'text',
  token_hash: 'text',
  state: 'text',
  expires_at: 'timestamp',
  invited_by: 'uuid?',
} as const;

/** A browser that signed in; `id` is the SHA-256 of the cookie. */
const session = {
  id: 'text',
  created: 'timestamp',
  user_id: 'uuid',
  csrf_token: 'text',
  expires_at: 'timestamp',
  last_seen_at: 'timestamp',
} as const;

/** A device (or the one-time set-up link) that waits for a person to approve it; codes are kept as SHA-256. */
const device_authorization = {
  id: 'uuid',
  created: 'timestamp',
  device_code_hash: 'text',
  user_code: 'text',
  device_name: 'text?',
  state: 'text',
  user_id: 'uuid?',
  expires_at: 'timestamp',
  last_polled_at: 'timestamp?',
} as const;

/** What somebody did: written in the transaction that did it. It names who, never which key. */
const audit_entry = {
  id: 'uuid',
  organization_id: 'uuid?',
  occurred: 'timestamp',
  actor_type: 'text',
  actor_id: 'uuid?',
  actor_name: 'text',
  action: 'text',
  target_type: 'text',
  target_id: 'text?',
  target_name: 'text?',
  address: 'text?',
  details: 'json',
} as const;

/** Settings that live in the database, one JSON value a key. */
const configuration = {
  workspace: 'integer',
  key: 'text',
  value: 'json',
} as const;

const flow = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  name: 'text',
  tags: 'json',
  labels: 'json?',
} as const;

const flow_run = {
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

/** Runs by state; several rows of one state add up. Kept by triggers. */
const flow_run_count = { workspace: 'integer', state_type: 'text', count: 'integer' } as const;

/** When a paused run that nobody resumes fails. */
const flow_run_pause = { workspace: 'integer', flow_run_id: 'uuid', expires_at: 'timestamp' } as const;

/** Cancelled runs whose children and task runs are cancelled after them, and when that is looked at again. */
const flow_run_cancellation = {
  workspace: 'integer',
  flow_run_id: 'uuid',
  cancelled_at: 'timestamp',
  due: 'timestamp',
} as const;

/** Running runs that send heartbeats. */
const flow_run_heartbeat = {
  workspace: 'integer',
  flow_run_id: 'uuid',
  /** By the client's clock. */
  last_occurred: 'timestamp',
  /** By ours. */
  received: 'timestamp',
  /** Between the last two; null while there was one. */
  interval_seconds: 'float?',
  /** Before this, nobody asks whether the run fell silent. */
  silent_at: 'timestamp',
} as const;

const flow_run_tag = { workspace: 'integer', tag: 'text', flow_run_id: 'uuid' } as const;

const flow_run_state = {
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

const flow_run_input = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  flow_run_id: 'uuid',
  key: 'text',
  value: 'text',
  sender: 'text?',
} as const;

const task_run = {
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

const task_run_tag = { workspace: 'integer', tag: 'text', task_run_id: 'uuid' } as const;

const task_run_state = {
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

const task_run_state_cache = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  cache_key: 'text',
  cache_expiration: 'timestamp?',
  task_run_state_id: 'uuid',
} as const;

const deployment = {
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

const deployment_schedule = {
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
} as const;

const work_pool = {
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

const work_queue = {
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

const worker = {
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
 * A global concurrency limit. The slots of a lease are rows of their own; `unleased_slots` counts those that were taken
 * without one, as they were at `updated`: both kinds decay from then on.
 */
const concurrency_limit = {
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

/** Slots held until a time that the holder puts off again and again. An expired lease holds nothing. */
const concurrency_lease = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  expires_at: 'timestamp',
  /** What a client says it holds the lease for. */
  holder_type: 'text?',
  holder_id: 'uuid?',
  /** The run that the server took the lease for: deleting it ends the lease. */
  flow_run_id: 'uuid?',
  task_run_id: 'uuid?',
} as const;

const concurrency_slot = {
  workspace: 'integer',
  lease_id: 'uuid',
  concurrency_limit_id: 'uuid',
  slots: 'integer',
} as const;

const log = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  name: 'text',
  level: 'integer',
  message: 'text',
  timestamp: 'timestamp',
  flow_run_id: 'uuid?',
  task_run_id: 'uuid?',
} as const;

const artifact = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  key: 'text?',
  type: 'text?',
  description: 'text?',
  data: 'json?',
  metadata_: 'json?',
  flow_run_id: 'uuid?',
  task_run_id: 'uuid?',
} as const;

/** The newest artifact of each key, with its content beside it. */
const artifact_collection = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  key: 'text',
  latest_id: 'uuid',
  type: 'text?',
  description: 'text?',
  data: 'json?',
  metadata_: 'json?',
  flow_run_id: 'uuid?',
  task_run_id: 'uuid?',
} as const;

const variable = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  name: 'text',
  value: 'json',
  tags: 'json',
} as const;

const saved_search = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  name: 'text',
  filters: 'json',
} as const;

const block_type = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  name: 'text',
  slug: 'text',
  logo_url: 'text?',
  documentation_url: 'text?',
  description: 'text?',
  code_example: 'text?',
  is_protected: 'boolean',
} as const;

/** `fields` without the definitions of nested blocks: those are the fields of other rows. */
const block_schema = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  checksum: 'text',
  fields: 'json',
  capabilities: 'json',
  version: 'text',
  block_type_id: 'uuid',
} as const;

/** A field of a block schema that holds another block; several rows of one field are its alternatives. */
const block_schema_reference = {
  workspace: 'integer',
  parent_block_schema_id: 'uuid',
  name: 'text',
  position: 'integer',
  reference_block_schema_id: 'uuid',
} as const;

/** `encrypted_data` is a JSON object, without the fields that hold another document. */
const block_document = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  name: 'text',
  encrypted_data: 'text',
  is_anonymous: 'boolean',
  block_type_id: 'uuid',
  block_schema_id: 'uuid',
} as const;

const block_document_reference = {
  workspace: 'integer',
  parent_block_document_id: 'uuid',
  name: 'text',
  reference_block_document_id: 'uuid',
} as const;

const event = {
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
const event_resource = {
  workspace: 'integer',
  resource_id: 'text',
  role: 'text',
  occurred: 'timestamp',
  event_id: 'uuid',
} as const;

const automation = {
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

const automation_related_resource = {
  workspace: 'integer',
  automation_id: 'uuid',
  resource_id: 'text',
  automation_owned_by_resource: 'boolean',
} as const;

/**
 * One row a workspace, locked by whoever evaluates its triggers. `version` grows with every change of an automation;
 * `last_occurred` is the time of the latest event that triggers have seen, `last_seen` when they saw it.
 */
const automation_progress = {
  workspace: 'integer',
  version: 'integer',
  last_occurred: 'timestamp?',
  last_seen: 'timestamp?',
} as const;

/** What an event trigger counted since `start` of the events that have the labels in `bucketing_key`. */
const automation_bucket = {
  workspace: 'integer',
  trigger_id: 'uuid',
  key_digest: 'text',
  automation_id: 'uuid',
  bucketing_key: 'json',
  start: 'timestamp',
  end: 'timestamp',
  count: 'integer',
  last_event_id: 'uuid?',
} as const;

/** The newest firing of each part of a compound or sequence trigger that its parent has not used. */
const automation_child_firing = {
  workspace: 'integer',
  parent_trigger_id: 'uuid',
  child_trigger_id: 'uuid',
  automation_id: 'uuid',
  fired: 'timestamp',
  firing: 'json',
} as const;

/** Events that no trigger has seen yet. One that came before the event it `follows` waits for that one, not for ever. */
const automation_event = {
  position: 'integer',
  workspace: 'integer',
  event_id: 'uuid',
  follows: 'uuid?',
  waits_until: 'timestamp?',
} as const;

/** Actions of firings that have not been carried out. `id` is the invocation. */
const automation_action = {
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

/** A background task run that waits for a task worker, or that `claim` was handed until `claimed_until`. */
const queued_task_run = {
  workspace: 'integer',
  task_run_id: 'uuid',
  task_key: 'text',
  /** Retries come before the others. */
  is_retry: 'boolean',
  position: 'uuid',
  claim: 'uuid?',
  claimed_until: 'timestamp?',
} as const;

/** A connection of a task worker, gone at `online_until` unless it is heard of again. */
const task_worker = {
  workspace: 'integer',
  id: 'uuid',
  identifier: 'text',
  task_keys: 'json',
  timestamp: 'timestamp',
  online_until: 'timestamp',
} as const;

/** A request to the workers of a pool; one of them has it until `lease_expires_at`, for the `deliveries`th time. */
const worker_cleanup = {
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

export const tables = {
  organization,
  workspace,
  user_account,
  membership,
  service_account,
  api_key,
  resource_grant,
  invitation,
  session,
  device_authorization,
  audit_entry,
  configuration,
  flow,
  flow_run,
  flow_run_count,
  flow_run_pause,
  flow_run_cancellation,
  flow_run_heartbeat,
  flow_run_tag,
  flow_run_state,
  flow_run_input,
  task_run,
  task_run_tag,
  task_run_state,
  task_run_state_cache,
  deployment,
  deployment_schedule,
  work_pool,
  work_queue,
  worker,
  queued_task_run,
  task_worker,
  worker_cleanup,
  concurrency_limit,
  concurrency_lease,
  concurrency_slot,
  log,
  artifact,
  artifact_collection,
  variable,
  saved_search,
  block_type,
  block_schema,
  block_schema_reference,
  block_document,
  block_document_reference,
  event,
  event_resource,
  automation,
  automation_related_resource,
  automation_progress,
  automation_bucket,
  automation_child_firing,
  automation_event,
  automation_action,
} satisfies Record<string, Record<string, ColumnSpec>>;

export type Tables = { [Name in keyof typeof tables]: RowOf<(typeof tables)[Name]> };
export type TableName = keyof Tables;
/** A whole row as the code sees it. */
export type Row<Name extends TableName> = Tables[Name];
/** A row to insert; the store adds `workspace`. */
export type NewRow<Name extends TableName> = Omit<Tables[Name], 'workspace'>;

export function columnsOf<Name extends TableName>(name: Name): (keyof Tables[Name] & string)[] {
  return Object.keys(tables[name]) as (keyof Tables[Name] & string)[];
}

export function kindOf(spec: ColumnSpec): ColumnKind {
  return (spec.endsWith('?') ? spec.slice(0, -1) : spec) as ColumnKind;
}
