/** Which runs hold the slots of pools and queues. */
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { statement } from '../../../database/statement.ts';
import type { Db } from '../../../database/store.ts';
import type { Row } from '../../../database/tables.ts';
import { secondsBetween, type Timestamp } from '../../../time.ts';
import { pageOf } from '../../filters/pagination.ts';
import { type CountedToo, countQueuesOfPool, listQueues, type WorkQueueRow } from '../queues/queue-queries.ts';
import type { WorkPoolRow } from './queries.ts';

type SlotHolder = Pick<Row<'flow_run'>, 'id' | 'name' | 'state_type' | 'state_name' | 'start_time' | 'state_timestamp'>;

const holdersOfQueue = statement<{ id: string; also: string; limit: number; offset: number }, SlotHolder>(
  (_query, given) =>
    sql<SlotHolder>`select id, name, state_type, state_name, start_time, state_timestamp from flow_run
      where "workspace" = ${given.workspace} and work_queue_id = ${given.id}
        and state_type in ('PENDING', 'RUNNING', 'CANCELLING')
        and (state_type <> 'CANCELLING' or state_type = ${given.also})
      order by id limit ${given.limit} offset ${given.offset}`,
);

const countOfQueue = statement<{ id: string; also: string }, { count: number }>(
  (_query, given) =>
    sql<{ count: number }>`select count(*) as count from flow_run
      where "workspace" = ${given.workspace} and work_queue_id = ${given.id}
        and state_type in ('PENDING', 'RUNNING', 'CANCELLING')
        and (state_type <> 'CANCELLING' or state_type = ${given.also})`,
);

const countOfPool = statement<{ id: string }, { count: number }>(
  (_query, given) =>
    sql<{ count: number }>`select count(*) as count from work_queue join flow_run
        on flow_run.workspace = work_queue.workspace and flow_run.work_queue_id = work_queue.id
      where work_queue."workspace" = ${given.workspace} and work_queue.work_pool_id = ${given.id}
        and flow_run.state_type in ('PENDING', 'RUNNING', 'CANCELLING') and flow_run.state_type <> 'CANCELLING'`,
);

export async function countSlots(db: Db, id: string, also: CountedToo): Promise<number> {
  return (await db.first(countOfQueue, { id, also }))?.count ?? 0;
}

interface Page {
  readonly page: number;
  readonly limit: number;
}

/** One page of the pool's queues by priority, each with the first `runLimit` of its runs. */
export async function poolConcurrency(context: Context, pool: WorkPoolRow, { page, limit }: Page, runLimit: number) {
  const { db } = context;
  const [active, count, queues] = await Promise.all([
    db.first(countOfPool, { id: pool.id }),
    countQueuesOfPool(db, pool.id),
    listQueues(db, { work_pool_id: pool.id, filter: null, limit, offset: (page - 1) * limit }),
  ]);
  const details = queues.map(async (queue) => {
    const [runs, slots] = await Promise.all([
      runLimit > 0 ? db.all(holdersOfQueue, { id: queue.id, also: '', limit: runLimit, offset: 0 }) : [],
      countSlots(db, queue.id, ''),
    ]);
    return {
      queue_id: queue.id,
      queue_name: queue.name,
      active_slots: slots,
      concurrency_limit: queue.concurrency_limit,
      flow_runs: runs.map((run) => summary(run, context.now)),
      flow_run_count: slots,
    };
  });
  const { results, ...paging } = pageOf(await Promise.all(details), count, limit, page);
  return { ...paging, active_slots: active?.count ?? 0, concurrency_limit: pool.concurrency_limit, queues: results };
}

/** One page of the runs that hold a slot of the queue, those being cancelled too. */
export async function queueConcurrency(context: Context, queue: WorkQueueRow, { page, limit }: Page) {
  const { db } = context;
  const also = 'CANCELLING';
  const [runs, count] = await Promise.all([
    db.all(holdersOfQueue, { id: queue.id, also, limit, offset: (page - 1) * limit }),
    countSlots(db, queue.id, also),
  ]);
  const { results, ...paging } = pageOf(runs, count, limit, page);
  return {
    ...paging,
    active_slots: count,
    concurrency_limit: queue.concurrency_limit,
    flow_runs: results.map((run) => summary(run, context.now)),
  };
}

function summary(run: SlotHolder, now: Timestamp) {
  const time_in_current_state =
    run.state_timestamp === null ? null : Math.max(0, secondsBetween(run.state_timestamp, now));
  return { ...run, time_in_current_state };
}
