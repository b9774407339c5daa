/** Queries of a poll of a pool: one statement for its queues, at a few index lookups each, then one for their runs. */
import { type RawBuilder, sql } from 'kysely';
import type { SqlDialect } from '../../database/dialect/dialect.ts';
import { statement } from '../../database/statement.ts';
import type { Db, Tx } from '../../database/store.ts';
import type { Row } from '../../database/tables/tables.ts';
import type { Timestamp } from '../../values/time.ts';
import { type JoinedState, stateColumns } from '../runs/rows/stored-state.ts';

/** The facts about a queue of the pool that a poll needs; a pool without queues is one row whose `id` is null. */
export interface PolledQueue {
  readonly pool_id: string;
  readonly pool_paused: boolean;
  readonly pool_limit: number | null;
  readonly id: string | null;
  readonly name: string;
  readonly is_paused: boolean;
  readonly concurrency_limit: number | null;
  readonly last_polled: Timestamp | null;
  readonly status: string;
  /** Number of runs that hold a slot; 0 when neither the pool nor the queue has a limit. */
  readonly active: number;
  /** Number of its deployments that are not ready. */
  readonly unready: number;
  /** 1 when a run of the queue is due, else 0. */
  readonly has_due: number;
}

/** A queue whose runs may start, with its `place` among the queues, and the number of runs that it may start. */
export interface QueueRoom {
  readonly id: string;
  readonly place: number;
  readonly room: number;
}

export type DueRun = Row<'flow_run'>;

/** The first and the last time at which a run may be due. */
interface DueTimes {
  readonly after: Timestamp;
  readonly before: Timestamp;
}

interface DueParameters extends DueTimes {
  readonly limit: number;
}

/**
 * `is true` prevents a condition from choosing the index, which must be that of the queue: for a time between two
 * bounds, SQLite 3.53 would choose the index of all queues. Stored policies are compact JSON, so comparing text finds
 * the retries of a run that continues in its process.
 */
function dueCondition(
  run: RawBuilder<unknown>,
  given: { workspace: number; after: Timestamp },
  queue: RawBuilder<unknown>,
  before: RawBuilder<unknown>,
  dialect: SqlDialect,
) {
  return sql`${run}."workspace" = ${given.workspace} and ${run}.work_queue_id = ${queue}
    and ${run}.next_scheduled_start_time <= ${before}
    and (${run}.next_scheduled_start_time >= ${dialect.typed(given.after, 'timestamp')}) is true
    and (${run}.state_type = 'SCHEDULED') is true
    and ${run}.empirical_policy not like '%"retry_type":"in_process"%'`;
}

/**
 * All queues of the pool, the most urgent first; empty when the pool does not exist. Most polls find nothing due, and
 * this statement is then their only one.
 */
export const polledQueues = statement<DueTimes & { pool: string }, PolledQueue>((_query, given, dialect) => {
  const before = sql`${dialect.typed(given.before, 'timestamp')}`;
  return sql<PolledQueue>`select work_pool.id as pool_id, work_pool.is_paused as pool_paused,
        work_pool.concurrency_limit as pool_limit, work_queue.id, work_queue.name, work_queue.is_paused,
        work_queue.concurrency_limit, work_queue.last_polled, work_queue.status,
        case when work_pool.concurrency_limit is null and work_queue.concurrency_limit is null then 0 else
          (select count(*) from flow_run where flow_run.workspace = work_queue.workspace
            and flow_run.work_queue_id = work_queue.id and flow_run.state_type in ('PENDING', 'RUNNING', 'CANCELLING')
            and flow_run.state_type <> 'CANCELLING') end as active,
        (select count(*) from deployment where deployment.workspace = work_queue.workspace
          and deployment.work_queue_id = work_queue.id and deployment.status = 'NOT_READY') as unready,
        case when exists (select 1 from flow_run due where ${dueCondition(sql`due`, given, sql`work_queue.id`, before, dialect)})
          then 1 else 0 end as has_due
      from work_pool left join work_queue on work_queue.workspace = work_pool.workspace
        and work_queue.work_pool_id = work_pool.id
      where work_pool."workspace" = ${given.workspace} and work_pool.name = ${given.pool}
      order by work_queue.priority, work_queue.id`;
});

const dueRunsOfOne = statement<DueParameters & { id: string }, DueRun>((_query, given, dialect) => {
  const before = sql`${dialect.typed(given.before, 'timestamp')}`;
  return sql<DueRun>`select flow_run.* from flow_run
    where ${dueCondition(sql`flow_run`, given, sql`${given.id}`, before, dialect)}
    order by flow_run.next_scheduled_start_time, flow_run.id limit ${given.limit}`;
});

/**
 * `queues` is a JSON array of `QueueRoom`, `last` is `limit` - 1. A queue ranks at most as many runs as the page has:
 * `cutoff` is the time of the last of them, null when there are fewer.
 */
const dueRunsOfMany = statement<DueParameters & { queues: string; last: number }, DueRun>((_query, given, dialect) => {
  const before = sql`${dialect.typed(given.before, 'timestamp')}`;
  const isDue = (until: RawBuilder<unknown>) => dueCondition(sql`due`, given, sql`queue.id`, until, dialect);
  const queues = dialect.rowsFrom(given.queues, { id: 'uuid', place: 'integer', room: 'integer' });
  return sql<DueRun>`select flow_run.* from
      (select ranked.id, ranked.place, ranked.position from
        (select due.id, queue.place, queue.room, row_number()
            over (partition by queue.place order by due.next_scheduled_start_time, due.id) as position
          from (select queue.id, queue.place, queue.room,
              (select due.next_scheduled_start_time from flow_run due where ${isDue(before)}
                order by due.next_scheduled_start_time limit 1 offset ${given.last}) as cutoff
            from ${queues} queue) queue
          ${dialect.joinInOrder} flow_run due on ${isDue(sql`coalesce(queue.cutoff, ${before})`)}) ranked
        where ranked.position <= ranked.room order by ranked.place, ranked.position limit ${given.limit}) page
    ${dialect.joinInOrder} flow_run on flow_run."workspace" = ${given.workspace} and flow_run.id = page.id
    order by page.place, page.position`;
});

/**
 * Due runs by the place of their queue, then by time; at most `limit`, which is above 0. The first queue is read alone:
 * when much is due, it fills the page, and ranking the other queues would cost more than the page itself.
 */
export async function listDueRuns(
  db: Db,
  [first, ...others]: readonly QueueRoom[],
  { after, before, limit }: DueParameters,
): Promise<DueRun[]> {
  if (!first) return [];
  const runs = await db.all(dueRunsOfOne, { id: first.id, after, before, limit: Math.min(limit, first.room) });
  const rest = limit - runs.length;
  if (rest === 0 || others.length === 0) return runs;
  const queues = JSON.stringify(others);
  return [...runs, ...(await db.all(dueRunsOfMany, { queues, after, before, limit: rest, last: rest - 1 }))];
}

/** The states of these runs, by the ids of the runs. */
export async function listStates(db: Db, runs: readonly DueRun[]): Promise<Map<string, JoinedState>> {
  const ids = runs.flatMap(({ state_id }) => (state_id === null ? [] : [state_id]));
  if (ids.length === 0) return new Map();
  const states = await db.query(
    sql<JoinedState & { flow_run_id: string }>`select state.flow_run_id, state.id as state_id, ${stateColumns}
      from flow_run_state state where state."workspace" = ${db.workspace}
        and ${db.dialect.oneOf(sql`state.id`, ids, 'uuid')}`,
    { recurs: true },
  );
  return new Map(states.map((state) => [state.flow_run_id, state]));
}

/** Makes the queues ready that are not, and returns them. Paused queues are not changed. */
export function makeQueuesReady(tx: Tx, ids: readonly string[], now: Timestamp): Promise<Row<'work_queue'>[]> {
  return tx.query(
    sql<Row<'work_queue'>>`update work_queue set status = 'READY', updated = ${now}
      where "workspace" = ${tx.workspace} and status = 'NOT_READY' and ${tx.dialect.oneOf(sql`id`, ids, 'uuid')}
      returning *`,
  );
}

export async function markQueuesPolled(tx: Tx, ids: readonly string[], now: Timestamp): Promise<void> {
  await tx.execute(
    sql`update work_queue set last_polled = ${now}, updated = ${now}
      where "workspace" = ${tx.workspace} and ${tx.dialect.oneOf(sql`id`, ids, 'uuid')}`,
  );
}

export async function listDeploymentsOfQueues(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await db.query(
    sql<{ id: string }>`select id from deployment where "workspace" = ${db.workspace}
      and ${db.dialect.oneOf(sql`work_queue_id`, ids, 'uuid')}`,
  );
  return rows.map(({ id }) => id);
}
