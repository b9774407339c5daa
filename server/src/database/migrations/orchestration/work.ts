/**
 * Work pools, their queues and workers. `last_status_event_id` is the event that the next change of a pool's status
 * follows. `online_until` is the time at which a worker becomes offline unless it sends another heartbeat. A clean-up
 * is a request to remove the infrastructure that a cancelled run left behind; it outlives the process that holds the
 * socket of the worker.
 */
export const work: readonly string[] = [
  `create table work_pool (
    workspace {integer} not null,
    id {uuid} not null,
    created {timestamp} not null,
    updated {timestamp} not null,
    name {text} not null,
    description {text},
    type {text} not null,
    base_job_template {json} not null,
    is_paused {boolean} not null,
    default_queue_id {uuid},
    concurrency_limit {integer},
    storage_configuration {json} not null,
    status {text} not null,
    last_status_event_id {uuid},
    primary key (workspace, id),
    unique (workspace, name),
    foreign key (workspace) references workspace (key) on delete cascade
  )`,
  `create index ix_work_pool_ready on work_pool (workspace, id) where status = 'READY'`,
  `create table work_queue (
    workspace {integer} not null,
    id {uuid} not null,
    created {timestamp} not null,
    updated {timestamp} not null,
    name {text} not null,
    description {text} not null,
    is_paused {boolean} not null,
    concurrency_limit {integer},
    priority {integer} not null,
    last_polled {timestamp},
    status {text} not null,
    work_pool_id {uuid} not null,
    filter {json},
    primary key (workspace, id),
    unique (workspace, work_pool_id, name),
    foreign key (workspace, work_pool_id) references work_pool (workspace, id) on delete cascade
  )`,
  `create index ix_work_queue_ready on work_queue (workspace, id) where status = 'READY'`,
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
];
