/**
 * Concurrency limits and their slots. A slot of a lease is a row, deleted with the lease. Slots taken without a lease
 * have no identifiable holder, so the limit counts them. Deleting a run deletes the lease that the server took for it.
 * A lease that a client took may name a run that does not exist.
 */
export const limits: readonly string[] = [
  `create table concurrency_limit (
    workspace {integer} not null,
    id {uuid} not null,
    created {timestamp} not null,
    updated {timestamp} not null,
    name {text} not null,
    "limit" {integer} not null,
    active {boolean} not null,
    denied_slots {integer} not null,
    slot_decay_per_second {float} not null,
    avg_slot_occupancy_seconds {float} not null,
    unleased_slots {integer} not null default 0,
    primary key (workspace, id),
    unique (workspace, name),
    foreign key (workspace) references workspace (key) on delete cascade
  )`,
  `create table concurrency_lease (
    workspace {integer} not null,
    id {uuid} not null,
    created {timestamp} not null,
    expires_at {timestamp} not null,
    holder_type {text},
    holder_id {uuid},
    flow_run_id {uuid},
    task_run_id {uuid},
    primary key (workspace, id),
    foreign key (workspace) references workspace (key) on delete cascade,
    foreign key (workspace, flow_run_id) references flow_run (workspace, id) on delete cascade,
    foreign key (workspace, task_run_id) references task_run (workspace, id) on delete cascade
  )`,
  'create index ix_concurrency_lease_expires_at on concurrency_lease (workspace, expires_at)',
  'create index ix_concurrency_lease_holder on concurrency_lease (workspace, holder_id) where holder_id is not null',
  'create index ix_concurrency_lease_flow_run on concurrency_lease (workspace, flow_run_id) where flow_run_id is not null',
  'create index ix_concurrency_lease_task_run on concurrency_lease (workspace, task_run_id) where task_run_id is not null',
  `create table concurrency_slot (
    workspace {integer} not null,
    lease_id {uuid} not null,
    concurrency_limit_id {uuid} not null,
    slots {integer} not null,
    primary key (workspace, lease_id, concurrency_limit_id),
    foreign key (workspace, lease_id) references concurrency_lease (workspace, id) on delete cascade,
    foreign key (workspace, concurrency_limit_id) references concurrency_limit (workspace, id) on delete cascade
  )`,
  'create index ix_concurrency_slot_limit on concurrency_slot (workspace, concurrency_limit_id)',
];
