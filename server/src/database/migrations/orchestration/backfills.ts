/** Backfills with their dates. The id of a run is not a foreign key, because the run may be deleted first. */
export const backfills: readonly string[] = [
  `create table backfill (
    workspace {integer} not null,
    id {uuid} not null,
    created {timestamp} not null,
    updated {timestamp} not null,
    deployment_id {uuid} not null,
    name {text} not null,
    status {text} not null,
    schedule {json} not null,
    start_time {timestamp} not null,
    end_time {timestamp} not null,
    parameters {json} not null,
    date_parameter {text},
    max_unfinished {integer} not null,
    total {integer} not null,
    problem {text},
    ended {timestamp},
    created_by {json},
    primary key (workspace, id),
    foreign key (workspace, deployment_id) references deployment (workspace, id) on delete cascade
  )`,
  'create index ix_backfill_deployment on backfill (workspace, deployment_id, created)',
  'create index ix_backfill_created on backfill (workspace, created, id)',
  `create index ix_backfill_working on backfill (workspace, id) where status in ('RUNNING', 'CANCELLING')`,
  `create table backfill_date (
    workspace {integer} not null,
    backfill_id {uuid} not null,
    position {integer} not null,
    date {timestamp} not null,
    flow_run_id {uuid},
    primary key (workspace, backfill_id, position),
    foreign key (workspace, backfill_id) references backfill (workspace, id) on delete cascade
  )`,
  'create index ix_backfill_date_waiting on backfill_date (workspace, backfill_id, position) where flow_run_id is null',
];
