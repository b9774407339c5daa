/**
 * Flows and their runs. Indexes end with `id` so that pages are stable. START_TIME sorts on `coalesce(start_time,
 * expected_start_time)`. A run keeps its deployment_id and its parent's history when those are deleted, so these
 * columns are not foreign keys.
 */
export const flowRuns: readonly string[] = [
  `create table flow (
    workspace {integer} not null,
    id {uuid} not null,
    created {timestamp} not null,
    updated {timestamp} not null,
    name {text} not null,
    tags {json} not null,
    labels {json},
    removed {timestamp},
    primary key (workspace, id),
    unique (workspace, name),
    foreign key (workspace) references workspace (key) on delete cascade
  )`,
  'create index ix_flow_removed on flow (workspace, removed) where removed is not null',
  'create index ix_flow_created on flow (workspace, created)',
  'create index ix_flow_updated on flow (workspace, updated)',
  `create table flow_run (
    workspace {integer} not null,
    id {uuid} not null,
    created {timestamp} not null,
    updated {timestamp} not null,
    name {text} not null,
    flow_id {uuid} not null,
    state_id {uuid},
    deployment_id {uuid},
    deployment_version {text},
    work_queue_id {uuid},
    work_queue_name {text},
    flow_version {text},
    parameters {json} not null,
    idempotency_key {text},
    context {json} not null,
    empirical_policy {json} not null,
    tags {json} not null,
    labels {json} not null,
    parent_task_run_id {uuid},
    state_type {text},
    state_name {text},
    state_timestamp {timestamp},
    run_count {integer} not null,
    expected_start_time {timestamp},
    next_scheduled_start_time {timestamp},
    start_time {timestamp},
    end_time {timestamp},
    total_run_time {float} not null,
    auto_scheduled {boolean} not null,
    infrastructure_document_id {uuid},
    infrastructure_pid {text},
    created_by {json},
    job_variables {json},
    primary key (workspace, id),
    foreign key (workspace, flow_id) references flow (workspace, id) on delete cascade
  )`,
  'create unique index ix_flow_run_idempotency on flow_run (workspace, flow_id, idempotency_key) where idempotency_key is not null',
  'create index ix_flow_run_next on flow_run (workspace, next_scheduled_start_time) where next_scheduled_start_time is not null',
  'create index ix_flow_run_end on flow_run (workspace, end_time {nullsFirst}, id)',
  'create index ix_flow_run_name on flow_run (workspace, name, id)',
  'create index ix_flow_run_run_time on flow_run (workspace, total_run_time, id)',
  'create index ix_flow_run_deployment on flow_run (workspace, deployment_id, expected_start_time) where deployment_id is not null',
  'create index ix_flow_run_queue on flow_run (workspace, work_queue_id, next_scheduled_start_time) where work_queue_id is not null',
  'create index ix_flow_run_parent on flow_run (workspace, parent_task_run_id) where parent_task_run_id is not null',
  `create index ix_flow_run_not_late on flow_run (workspace, next_scheduled_start_time)
    where state_type = 'SCHEDULED' and state_name = 'Scheduled'`,
  `create index ix_flow_run_cancelling on flow_run (workspace, state_timestamp) where state_type = 'CANCELLING'`,
  `create index ix_flow_run_infrastructure_document on flow_run (workspace, infrastructure_document_id)
    where infrastructure_document_id is not null`,
  `create table flow_run_tag (
    workspace {integer} not null,
    tag {text} not null,
    flow_run_id {uuid} not null,
    primary key (workspace, flow_run_id, tag),
    foreign key (workspace, flow_run_id) references flow_run (workspace, id) on delete cascade
  )`,
  'create index ix_flow_run_tag_tag on flow_run_tag (workspace, tag, flow_run_id)',
  `create table flow_run_state (
    workspace {integer} not null,
    id {uuid} not null,
    flow_run_id {uuid} not null,
    type {text} not null,
    name {text} not null,
    timestamp {timestamp} not null,
    message {text},
    data {json},
    state_details {json} not null,
    primary key (workspace, id),
    foreign key (workspace, flow_run_id) references flow_run (workspace, id) on delete cascade
  )`,
  'create unique index ix_flow_run_state_history on flow_run_state (workspace, flow_run_id, timestamp)',
  'create index ix_flow_run_state_observed on flow_run_state (workspace, type, name, timestamp)',
  `create table flow_run_input (
    workspace {integer} not null,
    id {uuid} not null,
    created {timestamp} not null,
    updated {timestamp} not null,
    flow_run_id {uuid} not null,
    key {text} not null,
    value {text} not null,
    sender {text},
    primary key (workspace, id),
    unique (workspace, flow_run_id, key),
    foreign key (workspace, flow_run_id) references flow_run (workspace, id) on delete cascade
  )`,
];

/** Due times of background services, so that a pass reads only the due rows, not the runs. */
export const runDeadlines: readonly string[] = [
  `create table flow_run_pause (
    workspace {integer} not null,
    flow_run_id {uuid} not null,
    expires_at {timestamp} not null,
    primary key (workspace, flow_run_id),
    foreign key (workspace, flow_run_id) references flow_run (workspace, id) on delete cascade
  )`,
  'create index ix_flow_run_pause_expires_at on flow_run_pause (workspace, expires_at)',
  `create table flow_run_cancellation (
    workspace {integer} not null,
    flow_run_id {uuid} not null,
    cancelled_at {timestamp} not null,
    due {timestamp} not null,
    primary key (workspace, flow_run_id),
    foreign key (workspace, flow_run_id) references flow_run (workspace, id) on delete cascade
  )`,
  'create index ix_flow_run_cancellation_due on flow_run_cancellation (workspace, due)',
  `create table flow_run_heartbeat (
    workspace {integer} not null,
    flow_run_id {uuid} not null,
    last_occurred {timestamp} not null,
    received {timestamp} not null,
    interval_seconds {float},
    silent_at {timestamp} not null,
    primary key (workspace, flow_run_id),
    foreign key (workspace, flow_run_id) references flow_run (workspace, id) on delete cascade
  )`,
  'create index ix_flow_run_heartbeat_silent_at on flow_run_heartbeat (workspace, silent_at)',
];
