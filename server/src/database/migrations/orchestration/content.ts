/**
 * Logs, artifacts, variables and searches. Logs and artifacts outlive the runs that they name, and may be written
 * before them, so they have no foreign keys.
 */
export const content: readonly string[] = [
  `create table log (
    workspace {integer} not null,
    id {uuid} not null,
    created {timestamp} not null,
    name {text} not null,
    level {integer} not null,
    message {text} not null,
    timestamp {timestamp} not null,
    flow_run_id {uuid},
    task_run_id {uuid},
    primary key (workspace, id)
  )`,
  'create index ix_log_timestamp on log (workspace, timestamp)',
  'create index ix_log_flow_run on log (workspace, flow_run_id, timestamp) where flow_run_id is not null',
  'create index ix_log_task_run on log (workspace, task_run_id, timestamp) where task_run_id is not null',
  `create table artifact (
    workspace {integer} not null,
    id {uuid} not null,
    created {timestamp} not null,
    updated {timestamp} not null,
    key {text},
    type {text},
    description {text},
    data {json},
    metadata_ {json},
    flow_run_id {uuid},
    task_run_id {uuid},
    primary key (workspace, id)
  )`,
  'create index ix_artifact_key on artifact (workspace, key, created) where key is not null',
  'create index ix_artifact_created on artifact (workspace, created)',
  'create index ix_artifact_updated on artifact (workspace, updated)',
  'create index ix_artifact_flow_run on artifact (workspace, flow_run_id) where flow_run_id is not null',
  'create index ix_artifact_task_run on artifact (workspace, task_run_id) where task_run_id is not null',
  `create table artifact_collection (
    workspace {integer} not null,
    id {uuid} not null,
    created {timestamp} not null,
    updated {timestamp} not null,
    key {text} not null,
    latest_id {uuid} not null,
    type {text},
    description {text},
    data {json},
    metadata_ {json},
    flow_run_id {uuid},
    task_run_id {uuid},
    primary key (workspace, id),
    unique (workspace, key)
  )`,
  'create index ix_artifact_collection_latest on artifact_collection (workspace, latest_id)',
  `create table variable (
    workspace {integer} not null,
    id {uuid} not null,
    created {timestamp} not null,
    updated {timestamp} not null,
    name {text} not null,
    value {json} not null,
    tags {json} not null,
    primary key (workspace, id),
    unique (workspace, name)
  )`,
  `create table saved_search (
    workspace {integer} not null,
    id {uuid} not null,
    created {timestamp} not null,
    updated {timestamp} not null,
    name {text} not null,
    filters {json} not null,
    primary key (workspace, id),
    unique (workspace, name)
  )`,
];
