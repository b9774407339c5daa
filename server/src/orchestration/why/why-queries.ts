/** Reads the facts that decide whether one run may start. */
import { sql } from 'kysely';
import { statement } from '../../database/statement.ts';
import type { Db } from '../../database/store.ts';
import type { Timestamp } from '../../values/time.ts';
import { type LimitInUse, leasedSlots } from '../limits/global-limits/queries.ts';
import type { SlotHolder } from './why-schema.ts';

const MOST_HOLDERS = 20;

/** The queue and the pool of the run, and the runs that hold their slots, whether an agent or a worker runs them. */
export interface QueueOfRun {
  readonly id: string;
  readonly name: string;
  readonly is_paused: boolean;
  readonly concurrency_limit: number | null;
  readonly last_polled: Timestamp | null;
  readonly active: number;
  readonly pool_id: string;
  readonly pool_name: string;
  readonly pool_paused: boolean;
  readonly pool_limit: number | null;
  readonly pool_active: number;
  readonly workers_online: number;
  readonly last_heartbeat: Timestamp | null;
}

const queuesOfRuns = statement<{ ids: string; now: Timestamp }, QueueOfRun>(
  (_query, given, dialect) =>
    sql<QueueOfRun>`select work_queue.id, work_queue.name, work_queue.is_paused, work_queue.concurrency_limit,
        work_queue.last_polled, work_pool.id as pool_id, work_pool.name as pool_name,
        work_pool.is_paused as pool_paused, work_pool.concurrency_limit as pool_limit,
        (select count(*) from flow_run where flow_run.workspace = work_queue.workspace
          and flow_run.work_queue_id = work_queue.id and flow_run.state_type in ('PENDING', 'RUNNING', 'CANCELLING')
          and flow_run.state_type <> 'CANCELLING') as active,
        (select count(*) from work_queue other join flow_run on flow_run.workspace = other.workspace
            and flow_run.work_queue_id = other.id
          where other.workspace = work_pool.workspace and other.work_pool_id = work_pool.id
            and flow_run.state_type in ('PENDING', 'RUNNING', 'CANCELLING')
            and flow_run.state_type <> 'CANCELLING') as pool_active,
        (select count(*) from worker where worker.workspace = work_pool.workspace
          and worker.work_pool_id = work_pool.id and worker.online_until >= ${given.now}) as workers_online,
        (select max(worker.last_heartbeat_time) from worker where worker.workspace = work_pool.workspace
          and worker.work_pool_id = work_pool.id) as last_heartbeat
      from ${dialect.rowsFrom(given.ids, { id: 'uuid' })} asked
      ${dialect.joinInOrder} work_queue on work_queue."workspace" = ${given.workspace} and work_queue.id = asked.id
      join work_pool on work_pool.workspace = work_queue.workspace and work_pool.id = work_queue.work_pool_id`,
);

const holdersOfPool = statement<{ pool_id: string; queue_id: string | null; limit: number }, SlotHolder>(
  (_query, given, dialect) =>
    sql<SlotHolder>`select 'flow_run' as type, flow_run.id, flow_run.name from work_queue
      join flow_run on flow_run.workspace = work_queue.workspace and flow_run.work_queue_id = work_queue.id
      where work_queue."workspace" = ${given.workspace} and work_queue.work_pool_id = ${given.pool_id}
        and work_queue.id = coalesce(${dialect.typed(given.queue_id, 'uuid')}, work_queue.id)
        and flow_run.state_type in ('PENDING', 'RUNNING', 'CANCELLING') and flow_run.state_type <> 'CANCELLING'
      order by flow_run.id limit ${given.limit}`,
);

const holdersOfLimit = statement<{ id: string; now: Timestamp; limit: number }, SlotHolder>(
  (_query, given) =>
    sql<SlotHolder>`select coalesce(lease.holder_type, 'unknown') as type, lease.holder_id as id,
        coalesce(flow_run.name, task_run.name) as name
      from concurrency_slot slot
      join concurrency_lease lease on lease.workspace = slot.workspace and lease.id = slot.lease_id
      left join flow_run on flow_run.workspace = lease.workspace and flow_run.id = lease.holder_id
      left join task_run on task_run.workspace = lease.workspace and task_run.id = lease.holder_id
      where slot."workspace" = ${given.workspace} and slot.concurrency_limit_id = ${given.id}
        and lease.expires_at > ${given.now}
      order by lease.created, lease.id limit ${given.limit}`,
);

/** Limits on the tags of those task runs of the flow run that have not started. */
export const limitsOnWaitingTasks = statement<{ id: string; now: Timestamp }, LimitInUse>((_query, given) => {
  const leased = leasedSlots(sql`concurrency_limit.workspace`, sql`concurrency_limit.id`, sql`${given.now}`);
  return sql<LimitInUse>`select concurrency_limit.*, ${leased} as leased_slots from concurrency_limit
      where concurrency_limit."workspace" = ${given.workspace} and active = true and name in
        (select 'tag:' || tag.tag from task_run join task_run_tag tag on tag.workspace = task_run.workspace
            and tag.task_run_id = task_run.id
          where task_run."workspace" = ${given.workspace} and task_run.flow_run_id = ${given.id}
            and task_run.state_type in ('SCHEDULED', 'PENDING'))
      order by name limit ${MOST_HOLDERS}`;
});

const MOST_TAG_LIMITS = 1000;

export const activeTagLimits = statement<{ now: Timestamp }, LimitInUse>((_query, given) => {
  const leased = leasedSlots(sql`concurrency_limit.workspace`, sql`concurrency_limit.id`, sql`${given.now}`);
  return sql<LimitInUse>`select concurrency_limit.*, ${leased} as leased_slots from concurrency_limit
      where concurrency_limit."workspace" = ${given.workspace} and active = true and name >= 'tag:' and name < 'tag;'
      order by name limit ${sql.lit(MOST_TAG_LIMITS)}`;
});

const activeSchedules = statement<{ id: string }, { count: number }>(
  (_query, given) =>
    sql<{ count: number }>`select count(*) as count from deployment_schedule
      where "workspace" = ${given.workspace} and deployment_id = ${given.id} and active = true`,
);

/** The stored queues, in any order. */
export function listQueuesOfRuns(db: Db, ids: readonly string[], now: Timestamp): Promise<QueueOfRun[]> {
  return db.all(queuesOfRuns, { ids: JSON.stringify(ids.map((id) => ({ id }))), now });
}

export async function findQueueOfRun(db: Db, id: string, now: Timestamp): Promise<QueueOfRun | undefined> {
  return (await listQueuesOfRuns(db, [id], now))[0];
}

/** The first runs that hold slots of the pool, or of one queue of the pool. */
export function listHoldersOfPool(db: Db, pool_id: string, queue_id: string | null): Promise<SlotHolder[]> {
  return db.all(holdersOfPool, { pool_id, queue_id, limit: MOST_HOLDERS });
}

/** The first holders of leases on the limit. */
export function listHoldersOfLimit(db: Db, id: string, now: Timestamp): Promise<SlotHolder[]> {
  return db.all(holdersOfLimit, { id, now, limit: MOST_HOLDERS });
}

export async function countActiveSchedules(db: Db, deployment_id: string): Promise<number> {
  return (await db.first(activeSchedules, { id: deployment_id }))?.count ?? 0;
}
