/** Hands out runs to workers. Source: `POST /work_pools/{name}/get_scheduled_flow_runs` of the Prefect server 3.9.1. */
import type { Context } from '../../context/context.ts';
import { NotFound } from '../../errors.ts';
import { addSeconds, FIRST_TIME, LAST_TIME, type Timestamp } from '../../values/time.ts';
import { missingPool, missingQueue, workPools } from '../lookups/work-pools.ts';
import { estimatedRunTime, estimatedStartTimeDelta } from '../runs/rows/derived-columns.ts';
import { type JoinedState, wireState } from '../runs/rows/stored-state.ts';
import { recordQueueStatus } from '../work/events.ts';
import { markDeploymentsPolled } from './poll-deployments.ts';
import {
  type DueRun,
  listDeploymentsOfQueues,
  listDueRuns,
  listStates,
  makeQueuesReady,
  markQueuesPolled,
  type PolledQueue,
  polledQueues,
  type QueueRoom,
} from './poll-queries.ts';

/** A poll is stored only if the stored one is older than this, so that idle workers do not write all the time. */
const POLL_RESOLUTION_SECONDS = 5;

interface PoolPoll {
  /** Absent or empty for all queues of the pool. */
  readonly work_queue_names?: readonly string[] | undefined;
  readonly scheduled_before?: Timestamp | undefined;
  readonly scheduled_after?: Timestamp | undefined;
  readonly limit: number;
}

/**
 * The runs of a pool that may start: by the priority of their queues, then by time, up to the limits of queues and
 * pool. Handing out a run does not reserve it: the first proposal of PENDING wins. Throws NotFound for the pool and for
 * a queue.
 */
export async function pollWorkPool(context: Context, pool: string, poll: PoolPoll) {
  const times = { after: poll.scheduled_after ?? FIRST_TIME, before: poll.scheduled_before ?? LAST_TIME };
  const queues = await context.db.all(polledQueues, { pool, ...times });
  if (queues.length === 0) throw new NotFound(missingPool(pool));
  const asked = queuesAsked(queues, pool, poll.work_queue_names);
  const limit = Math.min(poll.limit, roomOfPool(queues));
  const rooms = limit > 0 ? roomsOf(asked, limit) : [];
  const runs = await listDueRuns(context.db, rooms, { ...times, limit });
  await markAsPolled(context, asked);
  const states = await listStates(context.db, runs);
  return runs.map((run) => ({
    work_pool_id: queues[0]!.pool_id,
    work_queue_id: run.work_queue_id,
    flow_run: polledRun(run, states.get(run.id), context.now),
  }));
}

function queuesAsked(
  queues: readonly PolledQueue[],
  pool: string,
  names: readonly string[] | undefined,
): readonly PolledQueue[] {
  if (!names || names.length === 0) return queues.filter(({ id }) => id !== null);
  const missing = names.find((name) => !queues.some((queue) => queue.name === name));
  if (missing !== undefined) throw new NotFound(missingQueue(pool, missing));
  return queues.filter(({ name }) => names.includes(name));
}

function roomOfPool(queues: readonly PolledQueue[]): number {
  const { pool_paused, pool_limit } = queues[0]!;
  if (pool_paused) return 0;
  return pool_limit === null
    ? Number.POSITIVE_INFINITY
    : pool_limit - queues.reduce((sum, { active }) => sum + active, 0);
}

/** The queues that may start a run and have one that is due. */
function roomsOf(queues: readonly PolledQueue[], limit: number): QueueRoom[] {
  return queues.flatMap(({ id, is_paused, concurrency_limit, active, has_due }, place) => {
    const room = concurrency_limit === null ? limit : Math.min(limit, concurrency_limit - active);
    return id === null || is_paused || room <= 0 || has_due === 0 ? [] : [{ id, place, room }];
  });
}

/** Omits the names of pool and queue, which the worker knows. */
function polledRun(run: DueRun, state: JoinedState | undefined, now: Timestamp) {
  return {
    ...run,
    estimated_run_time: estimatedRunTime(run, now),
    estimated_start_time_delta: estimatedStartTimeDelta(run, now),
    state: state ? wireState(state) : null,
  };
}

/** Makes these queues and their deployments ready: a worker polls for their runs. */
export async function markAsPolled(
  context: Context,
  queues: readonly Pick<PolledQueue, 'id' | 'pool_id' | 'status' | 'last_polled' | 'unready'>[],
): Promise<void> {
  const recently = addSeconds(context.now, -POLL_RESOLUTION_SECONDS);
  const isNews = queues.some(
    ({ status, last_polled, unready }) =>
      status === 'NOT_READY' || unready > 0 || last_polled === null || last_polled < recently,
  );
  if (!isNews) return;
  const ids = queues.flatMap(({ id }) => (id === null ? [] : [id]));
  const { pool_id } = queues[0]!;
  await context.transaction(async (tx) => {
    // Polls of one pool take turns, so that they lock its queues in one order.
    await tx.lock('work_pool', pool_id);
    const pool = await workPools.first(tx, { id: pool_id });
    if (!pool) return;
    for (const queue of await makeQueuesReady(tx, ids, context.now)) await recordQueueStatus(context, tx, pool, queue);
    await markQueuesPolled(tx, ids, context.now);
    const deployments = await listDeploymentsOfQueues(tx, ids);
    if (deployments.length > 0) await markDeploymentsPolled(context, tx, deployments);
  });
}
