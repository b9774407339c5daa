/** Lists the runs that hold the slots of a queue. */
import { sql } from 'kysely';
import type { Context } from '../../../context/context.ts';
import { statement } from '../../../database/statement.ts';
import type { Db } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import { secondsBetween, type Timestamp } from '../../../values/time.ts';
import { pageOf } from '../../filters/pagination.ts';
import type { WorkQueueRow } from '../../lookups/work-pools.ts';
import type { CountedToo } from './queue-queries.ts';

type SlotHolder = Pick<Row<'flow_run'>, 'id' | 'name' | 'state_type' | 'state_name' | 'start_time' | 'state_timestamp'>;

/** `name` also counts runs that name a queue but are in none; null counts none of them. */
interface HoldersOf {
  readonly id: string;
  readonly name: string | null;
  readonly also: CountedToo;
}

export const holdersOfQueue = statement<HoldersOf & { limit: number; offset: number }, SlotHolder>(
  (_query, given) =>
    sql<SlotHolder>`select id, name, state_type, state_name, start_time, state_timestamp from flow_run
      where "workspace" = ${given.workspace}
        and (work_queue_id = ${given.id} or (work_queue_id is null and work_queue_name = ${given.name}))
        and state_type in ('PENDING', 'RUNNING', 'CANCELLING')
        and (state_type <> 'CANCELLING' or state_type = ${given.also})
      order by id limit ${given.limit} offset ${given.offset}`,
);

const countOfQueue = statement<HoldersOf, { count: number }>(
  (_query, given) =>
    sql<{ count: number }>`select count(*) as count from flow_run
      where "workspace" = ${given.workspace}
        and (work_queue_id = ${given.id} or (work_queue_id is null and work_queue_name = ${given.name}))
        and state_type in ('PENDING', 'RUNNING', 'CANCELLING')
        and (state_type <> 'CANCELLING' or state_type = ${given.also})`,
);

export async function countSlots(db: Db, holders: HoldersOf): Promise<number> {
  return (await db.first(countOfQueue, holders))?.count ?? 0;
}

export interface SlotPage {
  readonly page: number;
  readonly limit: number;
}

/** One page of the runs that hold a slot of the queue, including those being cancelled and those that only name it. */
export async function queueConcurrency(context: Context, queue: WorkQueueRow, { page, limit }: SlotPage) {
  const { db } = context;
  const holders = { id: queue.id, name: queue.name, also: 'CANCELLING' } as const;
  const [runs, count] = await Promise.all([
    db.all(holdersOfQueue, { ...holders, limit, offset: (page - 1) * limit }),
    countSlots(db, holders),
  ]);
  const { results, ...paging } = pageOf(runs, count, limit, page);
  return {
    ...paging,
    active_slots: count,
    concurrency_limit: queue.concurrency_limit,
    flow_runs: results.map((run) => slotSummary(run, context.now)),
  };
}

export function slotSummary(run: SlotHolder, now: Timestamp) {
  const time_in_current_state =
    run.state_timestamp === null ? null : Math.max(0, secondsBetween(run.state_timestamp, now));
  return { ...run, time_in_current_state };
}
