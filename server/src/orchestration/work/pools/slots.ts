/** Lists the runs that hold the slots of pools and queues. */
import { sql } from 'kysely';
import type { Context } from '../../../context/context.ts';
import { statement } from '../../../database/statement.ts';
import { pageOf } from '../../filters/pagination.ts';
import type { WorkPoolRow } from '../../lookups/work-pools.ts';
import { countQueuesOfPool, listQueues } from '../queues/queue-queries.ts';
import { countSlots, holdersOfQueue, type SlotPage, slotSummary } from '../queues/slots.ts';

const countOfPool = statement<{ id: string }, { count: number }>(
  (_query, given) =>
    sql<{ count: number }>`select count(*) as count from work_queue join flow_run
        on flow_run.workspace = work_queue.workspace and flow_run.work_queue_id = work_queue.id
      where work_queue."workspace" = ${given.workspace} and work_queue.work_pool_id = ${given.id}
        and flow_run.state_type in ('PENDING', 'RUNNING', 'CANCELLING') and flow_run.state_type <> 'CANCELLING'`,
);

/** One page of the pool's queues by priority, each with the first `runLimit` of its runs. */
export async function poolConcurrency(
  context: Context,
  pool: WorkPoolRow,
  { page, limit }: SlotPage,
  runLimit: number,
) {
  const { db } = context;
  const [active, count, queues] = await Promise.all([
    db.first(countOfPool, { id: pool.id }),
    countQueuesOfPool(db, pool.id),
    listQueues(db, { work_pool_id: pool.id, filter: null, limit, offset: (page - 1) * limit }),
  ]);
  const details = queues.map(async (queue) => {
    const [runs, slots] = await Promise.all([
      runLimit > 0 ? db.all(holdersOfQueue, { id: queue.id, name: null, also: '', limit: runLimit, offset: 0 }) : [],
      countSlots(db, { id: queue.id, name: null, also: '' }),
    ]);
    return {
      queue_id: queue.id,
      queue_name: queue.name,
      active_slots: slots,
      concurrency_limit: queue.concurrency_limit,
      flow_runs: runs.map((run) => slotSummary(run, context.now)),
      flow_run_count: slots,
    };
  });
  const { results, ...paging } = pageOf(await Promise.all(details), count, limit, page);
  return { ...paging, active_slots: active?.count ?? 0, concurrency_limit: pool.concurrency_limit, queues: results };
}
