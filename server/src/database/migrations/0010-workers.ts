import type { Migration } from '../migrate.ts';

/**
 * Workers, and what polls ask: how many runs of a queue are active, and which of its deployments are not ready.
 * `online_until` is when a worker counts as offline unless it is heard of again. `last_status_event_id` is what the next
 * change of a pool's status follows.
 */
export const workers: Migration = {
  name: '0010-workers',
  statements: [
    `create table worker (
      workspace {integer} not null,
      id {uuid} not null,
      created {timestamp} not null,
      updated {timestamp} not null,
      name {text} not null,
      work_pool_id {uuid} not null,
      last_heartbeat_time {timestamp} not null,
      heartbeat_interval_seconds {integer},
      online_until {timestamp} not null,
      primary key (workspace, id),
      unique (workspace, work_pool_id, name),
      foreign key (workspace, work_pool_id) references work_pool (workspace, id) on delete cascade
    )`,
    'create index ix_worker_online_until on worker (workspace, work_pool_id, online_until)',
    'alter table work_pool add column last_status_event_id {uuid}',
    'alter table work_queue add column filter {json}',
    `create index ix_flow_run_active on flow_run (workspace, work_queue_id)
      where state_type in ('PENDING', 'RUNNING', 'CANCELLING')`,
    `create index ix_deployment_unready on deployment (workspace, work_queue_id) where status = 'NOT_READY'`,
  ],
};
