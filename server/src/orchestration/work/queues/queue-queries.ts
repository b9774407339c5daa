import { sql } from 'kysely';
import { compileFilter } from '../../../database/lists/filters.ts';
import { statement } from '../../../database/statement.ts';
import type { Db, Tx } from '../../../database/store.ts';
import type { WorkQueueFilter } from '../../filters/work-pool-filter.ts';
import { workQueueFields } from '../../filters/work-pool-filter.ts';
import { deployments } from '../../lookups/deployments.ts';
import type { WorkQueueRow } from '../../lookups/work-pools.ts';
import { flowRuns } from '../../runs/rows/flow-runs.ts';

/** A queue with the name of its pool and the number of its runs that hold a slot. */
export interface WorkQueueWithPool extends WorkQueueRow {
  readonly work_pool_name: string;
  /** Null when the queue has no limit. */
  readonly active_slots: number | null;
}

/** Agents count a run until its cancellation is complete; workers do not. */
export type CountedToo = 'CANCELLING' | '';

/** `also` is a value or a placeholder. */
const columns = (also: CountedToo) => sql`work_queue.*, work_pool.name as work_pool_name,
  case when work_queue.concurrency_limit is not null then
    (select count(*) from flow_run where flow_run.workspace = work_queue.workspace
      and flow_run.work_queue_id = work_queue.id
      and flow_run.state_type in ('PENDING', 'RUNNING', 'CANCELLING')
      and (flow_run.state_type <> 'CANCELLING' or flow_run.state_type = ${also}))
    end as active_slots`;

const joined = sql`work_queue join work_pool on work_pool.workspace = work_queue.workspace
  and work_pool.id = work_queue.work_pool_id`;

export const queueById = statement<{ id: string; also: CountedToo }, WorkQueueWithPool>(
  (_query, given) =>
    sql<WorkQueueWithPool>`select ${columns(given.also)} from ${joined}
      where work_queue."workspace" = ${given.workspace} and work_queue.id = ${given.id}`,
);

export const queueByNames = statement<{ pool: string; name: string; also: CountedToo }, WorkQueueWithPool>(
  (_query, given) =>
    sql<WorkQueueWithPool>`select ${columns(given.also)} from ${joined} where work_pool."workspace" = ${given.workspace}
      and work_pool.name = ${given.pool} and work_queue.name = ${given.name}`,
);

/** The queue of this pool; if the pool does not exist, the oldest of any pool. */
export const queueByName = statement<{ pool: string; name: string; also: CountedToo }, WorkQueueWithPool>(
  (_query, given) =>
    sql<WorkQueueWithPool>`select ${columns(given.also)} from ${joined} where work_pool."workspace" = ${given.workspace}
      and work_queue.name = ${given.name} and (work_pool.name = ${given.pool} or not exists
        (select 1 from work_pool preferred where preferred."workspace" = ${given.workspace} and preferred.name = ${given.pool}))
      order by work_queue.created, work_queue.id limit 1`,
);

/** All queues of the pool, the most urgent first; queues with the same priority, oldest first. */
export const queuesOfPool = statement<{ work_pool_id: string }, WorkQueueRow>((query, given) =>
  query
    .selectFrom('work_queue')
    .selectAll()
    .where('workspace', '=', given.workspace)
    .where('work_pool_id', '=', given.work_pool_id)
    .orderBy('priority')
    .orderBy('created')
    .orderBy('id'),
);

/** Clears the id of the queue in its runs and deployments, which stay. */
export async function forgetQueue(tx: Tx, id: string): Promise<void> {
  await flowRuns.changeAll(tx, { work_queue_id: id }, { work_queue_id: null });
  await deployments.changeAll(tx, { work_queue_id: id }, { work_queue_id: null });
}

interface QueuePage {
  /** Null for the queues of all pools. */
  readonly work_pool_id: string | null;
  readonly filter: WorkQueueFilter | null | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** The queues of one pool by priority, then the oldest first; those of all pools by name, for agents. */
export function listQueues(db: Db, { work_pool_id, filter, limit, offset }: QueuePage): Promise<WorkQueueWithPool[]> {
  const ofOnePool = work_pool_id === null ? sql`` : sql`and work_queue.work_pool_id = ${work_pool_id}`;
  const order =
    work_pool_id === null
      ? sql`work_queue.name, work_queue.id`
      : sql`work_queue.priority, work_queue.created, work_queue.id`;
  return db.query(
    sql<WorkQueueWithPool>`select ${columns(work_pool_id === null ? 'CANCELLING' : '')} from ${joined} where work_queue."workspace" = ${db.workspace} ${ofOnePool}
      and ${compileFilter(filter, workQueueFields, db.dialect)} order by ${order} limit ${limit} offset ${offset}`,
  );
}

const countOfPool = statement<{ work_pool_id: string }, { count: number }>(
  (_query, given) =>
    sql<{ count: number }>`select count(*) as count from work_queue where "workspace" = ${given.workspace}
      and work_pool_id = ${given.work_pool_id}`,
);

export async function countQueuesOfPool(db: Db, work_pool_id: string): Promise<number> {
  return (await db.first(countOfPool, { work_pool_id }))?.count ?? 0;
}
