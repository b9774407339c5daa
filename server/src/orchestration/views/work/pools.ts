/** Work pools with their queues, workers and runs, and the reasons why runs do not start. */
import { sql } from 'kysely';
import type { Context } from '../../../context/context.ts';
import { statement } from '../../../database/statement.ts';
import type { Db } from '../../../database/store.ts';
import type { Timestamp } from '../../../values/time.ts';
import { workQueues } from '../../lookups/work-pools.ts';
import { poolReasons, queueReasons } from '../../why/work-reasons.ts';
import { workPoolNow } from '../../work/pools/queries.ts';
import { workPoolResponse } from '../../work/pools/response.ts';
import { listWorkers } from '../../work/workers/worker-queries.ts';
import { runRow, runRowColumns, runRowJoins, type StoredRunRow } from '../runs/run-row.ts';
import { MOST_POOLS } from './pools-schema.ts';
import { rowsOf } from './recent-runs.ts';

const MOST_WORKERS = 200;
const MOST_RUNS = 100;

interface StoredPool {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly description: string | null;
  readonly is_paused: boolean;
  readonly concurrency_limit: number | null;
  readonly workers_online: number;
  readonly last_heartbeat: Timestamp | null;
}

const poolColumns = (now: unknown) => sql`work_pool.id, work_pool.name, work_pool.type, work_pool.description,
  work_pool.is_paused, work_pool.concurrency_limit,
  (select count(*) from worker where worker.workspace = work_pool.workspace
    and worker.work_pool_id = work_pool.id and worker.online_until >= ${now}) as workers_online,
  (select max(worker.last_heartbeat_time) from worker where worker.workspace = work_pool.workspace
    and worker.work_pool_id = work_pool.id) as last_heartbeat`;

const pools = statement<{ now: Timestamp }, StoredPool>(
  (_query, given) =>
    sql<StoredPool>`select ${poolColumns(given.now)} from work_pool where work_pool."workspace" = ${given.workspace}
      order by work_pool.name limit ${sql.lit(MOST_POOLS)}`,
);

const poolById = statement<{ id: string; now: Timestamp }, StoredPool>(
  (_query, given) =>
    sql<StoredPool>`select ${poolColumns(given.now)} from work_pool
      where work_pool."workspace" = ${given.workspace} and work_pool.id = ${given.id}`,
);

interface StoredQueue {
  readonly id: string;
  readonly work_pool_id: string;
  readonly name: string;
  readonly description: string;
  readonly priority: number;
  readonly is_paused: boolean;
  readonly concurrency_limit: number | null;
  readonly last_polled: Timestamp | null;
  readonly running: number;
  readonly pending: number;
  readonly late: number;
  readonly deployments: number;
}

const ofQueue = sql`flow_run.workspace = work_queue.workspace and flow_run.work_queue_id = work_queue.id`;

const queuesOfPools = statement<{ ids: string; now: Timestamp }, StoredQueue>(
  (_query, given, dialect) =>
    sql<StoredQueue>`select work_queue.id, work_queue.work_pool_id, work_queue.name, work_queue.description,
        work_queue.priority, work_queue.is_paused, work_queue.concurrency_limit, work_queue.last_polled,
        (select count(*) from flow_run where ${ofQueue}
          and flow_run.state_type in ('PENDING', 'RUNNING', 'CANCELLING') and flow_run.state_type = 'RUNNING') as running,
        (select count(*) from flow_run where ${ofQueue}
          and flow_run.state_type in ('PENDING', 'RUNNING', 'CANCELLING') and flow_run.state_type = 'PENDING') as pending,
        (select count(*) from flow_run where ${ofQueue} and flow_run.next_scheduled_start_time <= ${given.now}
          and flow_run.state_type = 'SCHEDULED' and flow_run.state_name = 'Late') as late,
        (select count(*) from deployment where deployment.workspace = work_queue.workspace
          and deployment.work_queue_id = work_queue.id) as deployments
      from ${dialect.rowsFrom(given.ids, { id: 'uuid' })} asked
      ${dialect.joinInOrder} work_queue on work_queue."workspace" = ${given.workspace} and work_queue.work_pool_id = asked.id
      order by work_queue.priority, work_queue.created, work_queue.id`,
);

export async function readWorkPoolsView({ db, now }: Context) {
  const found = await db.all(pools, { now });
  const queues = await db.all(queuesOfPools, { ids: rowsOf(found.map(({ id }) => id)), now });
  const byPool = Map.groupBy(queues, ({ work_pool_id }) => work_pool_id);
  return { as_of: now, work_pools: found.map((pool) => summaryOf(pool, byPool.get(pool.id) ?? [], now)) };
}

/** Undefined when the pool does not exist. */
export async function readWorkPoolView(context: Context, name: string) {
  const { db, now, client } = context;
  const pool = await db.first(workPoolNow, { name, now });
  const parts = pool && (await partsOf(db, pool.id, now));
  if (!pool || !parts) return undefined;
  const [workers, active, waiting] = await Promise.all([
    listWorkers(db, now, { work_pool_id: pool.id, filter: null, limit: MOST_WORKERS, offset: 0 }),
    db.all(activeRuns, { ids: rowsOf(parts.queues.map(({ id }) => id)) }),
    db.all(waitingRuns, { ids: rowsOf(parts.queues.map(({ id }) => id)), now }),
  ]);
  return {
    as_of: now,
    work_pool: workPoolResponse(pool, client),
    ...parts,
    workers: workers.map((worker) => ({ ...worker, status: worker.online_until >= now ? 'ONLINE' : 'OFFLINE' })),
    active: active.map((run) => runRow(run, now)),
    waiting: waiting.map((run) => runRow(run, now)),
  };
}

/** Undefined when the queue does not exist. */
export async function readWorkQueueView({ db, now }: Context, id: string) {
  const row = await workQueues.first(db, { id });
  const parts = row && (await partsOf(db, row.work_pool_id, now));
  const queue = parts?.queues.find((one) => one.id === id);
  if (!parts || !queue) return undefined;
  const [active, waiting] = await Promise.all([
    db.all(activeRuns, { ids: rowsOf([id]) }),
    db.all(waitingRuns, { ids: rowsOf([id]), now }),
  ]);
  return {
    as_of: now,
    work_queue: queue,
    work_pool: parts.summary,
    active: active.map((run) => runRow(run, now)),
    waiting: waiting.map((run) => runRow(run, now)),
  };
}

async function partsOf(db: Db, poolId: string, now: Timestamp) {
  const [pool, queues] = await Promise.all([
    db.first(poolById, { id: poolId, now }),
    db.all(queuesOfPools, { ids: rowsOf([poolId]), now }),
  ]);
  if (!pool) return undefined;
  const use = useOf(pool, queues);
  return {
    summary: summaryOf(pool, queues, now),
    queues: queues.map((queue) => ({
      ...queue,
      reasons: queueReasons({ ...use, ...queue, active: activeOf(queue) }, { pool: [], queue: [] }, now),
    })),
  };
}

function summaryOf(pool: StoredPool, queues: readonly StoredQueue[], now: Timestamp) {
  const use = useOf(pool, queues);
  const sum = (name: 'running' | 'pending' | 'late' | 'deployments') =>
    queues.reduce((total, queue) => total + queue[name], 0);
  return {
    ...pool,
    queues: queues.length,
    last_polled: use.last_polled,
    running: sum('running'),
    pending: sum('pending'),
    late: sum('late'),
    deployments: sum('deployments'),
    reasons: poolReasons(use, now),
  };
}

function useOf(pool: StoredPool, queues: readonly StoredQueue[]) {
  const polls = queues.flatMap(({ last_polled }) => last_polled ?? []).toSorted();
  return {
    pool_id: pool.id,
    pool_name: pool.name,
    pool_paused: pool.is_paused,
    pool_limit: pool.concurrency_limit,
    pool_active: queues.reduce((total, queue) => total + activeOf(queue), 0),
    workers_online: pool.workers_online,
    last_heartbeat: pool.last_heartbeat,
    last_polled: polls.at(-1) ?? null,
  };
}

/** Runs that take a slot. */
function activeOf({ running, pending }: StoredQueue): number {
  return running + pending;
}

const activeRuns = statement<{ ids: string }, StoredRunRow>(
  (_query, given, dialect) =>
    sql<StoredRunRow>`select ${runRowColumns} from (
        select flow_run.id from ${dialect.rowsFrom(given.ids, { id: 'uuid' })} asked
        ${dialect.joinInOrder} flow_run on flow_run."workspace" = ${given.workspace} and flow_run.work_queue_id = asked.id
          and flow_run.state_type in ('PENDING', 'RUNNING', 'CANCELLING') limit ${sql.lit(MOST_RUNS)}) page
      ${dialect.joinInOrder} flow_run on flow_run."workspace" = ${given.workspace} and flow_run.id = page.id
      ${runRowJoins} order by flow_run.state_timestamp desc, flow_run.id`,
);

const waitingRuns = statement<{ ids: string; now: Timestamp }, StoredRunRow>(
  (_query, given, dialect) =>
    sql<StoredRunRow>`select ${runRowColumns} from (
        select flow_run.id from ${dialect.rowsFrom(given.ids, { id: 'uuid' })} asked
        ${dialect.joinInOrder} flow_run on flow_run."workspace" = ${given.workspace} and flow_run.work_queue_id = asked.id
          and flow_run.next_scheduled_start_time <= ${given.now} and flow_run.state_type = 'SCHEDULED'
        order by flow_run.next_scheduled_start_time limit ${sql.lit(MOST_RUNS)}) page
      ${dialect.joinInOrder} flow_run on flow_run."workspace" = ${given.workspace} and flow_run.id = page.id
      ${runRowJoins} order by flow_run.next_scheduled_start_time, flow_run.id`,
);
