import type { Migration } from '../migrate.ts';

/**
 * What is handed out over the sockets of workers, so that it outlives the process that holds the socket: background task
 * runs that wait for a task worker, and requests to remove what a cancelled run left behind. Each is claimed until a time
 * that the holder puts off; a claim that ran out binds nobody.
 */
export const taskQueueAndWorkerChannel: Migration = {
  name: '0014-task-queue-and-worker-channel',
  statements: [
    `create table queued_task_run (
      workspace {integer} not null,
      task_run_id {uuid} not null,
      task_key {text} not null,
      is_retry {boolean} not null,
      position {uuid} not null,
      claim {uuid},
      claimed_until {timestamp},
      primary key (workspace, task_run_id),
      foreign key (workspace, task_run_id) references task_run (workspace, id) on delete cascade
    )`,
    'create index ix_queued_task_run_turn on queued_task_run (workspace, task_key, is_retry desc, position)',
    `create table task_worker (
      workspace {integer} not null,
      id {uuid} not null,
      identifier {text} not null,
      task_keys {json} not null,
      timestamp {timestamp} not null,
      online_until {timestamp} not null,
      primary key (workspace, id),
      foreign key (workspace) references workspace (key) on delete cascade
    )`,
    `create table worker_cleanup (
      workspace {integer} not null,
      id {uuid} not null,
      created {timestamp} not null,
      work_pool_id {uuid} not null,
      work_queue_id {uuid},
      kind {text} not null,
      target {json} not null,
      deliveries {integer} not null,
      reservation_token {text},
      lease_expires_at {timestamp},
      primary key (workspace, id),
      foreign key (workspace, work_pool_id) references work_pool (workspace, id) on delete cascade
    )`,
    'create index ix_worker_cleanup_pool on worker_cleanup (workspace, work_pool_id, created)',
    `create index ix_work_queue_ready on work_queue (workspace, id) where status = 'READY'`,
    `create index ix_work_pool_ready on work_pool (workspace, id) where status = 'READY'`,
    `create index ix_deployment_ready on deployment (workspace, id) where status = 'READY'`,
  ],
};
