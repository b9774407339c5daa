/** The poll of a queue by its id, which agents use. */
import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { statement } from '../../database/statement.ts';
import { ObjectNotFound } from '../../errors.ts';
import { FIRST_TIME, LAST_TIME, type Timestamp } from '../../values/time.ts';
import { listFlowRuns } from '../runs/flow-runs/list-queries.ts';
import type { FlowRunWithState } from '../runs/rows/flow-runs.ts';
import { countActive, filtersOf } from '../work/agent-queues/operations.ts';
import { LEGACY_POOL } from '../work/pools/on-demand.ts';
import { queueById, type WorkQueueWithPool } from '../work/queues/queue-queries.ts';
import { countSlots } from '../work/queues/slots.ts';
import { markAsPolled } from './poll-pool.ts';
import { listDueRuns } from './poll-queries.ts';

/** Runs that name a queue but no pool. */
const namedRuns = statement<{ name: string; before: Timestamp; limit: number }, { id: string }>(
  (_query, given) =>
    sql<{ id: string }>`select id from flow_run where "workspace" = ${given.workspace} and state_type = 'SCHEDULED'
      and work_queue_id is null and work_queue_name = ${given.name} and next_scheduled_start_time <= ${given.before}
      and empirical_policy not like '%"retry_type":"in_process"%'
      order by next_scheduled_start_time, id limit ${given.limit}`,
);

const namedActive = statement<{ name: string }, { count: number }>(
  (_query, given) =>
    sql<{ count: number }>`select count(*) as count from flow_run where "workspace" = ${given.workspace}
      and state_type in ('PENDING', 'RUNNING', 'CANCELLING') and work_queue_id is null
      and work_queue_name = ${given.name}`,
);

/**
 * The due runs of a queue, up to its limit. `isPoll` is false for callers that will not start them. Throws
 * ObjectNotFound. Source: `POST /work_queues/{id}/get_runs` of the Prefect server 3.9.1.
 */
export async function readQueueRuns(
  context: Context,
  id: string,
  { before, limit, isPoll }: { before: Timestamp | undefined; limit: number; isPoll: boolean },
): Promise<FlowRunWithState[]> {
  const queue = await context.db.first(queueById, { id, also: '' });
  if (!queue) throw new ObjectNotFound(`Work queue with id ${id} not found.`);
  const room = queue.is_paused ? 0 : Math.min(limit, await roomOf(context, queue));
  const runs = room > 0 ? await dueRuns(context, queue, before ?? LAST_TIME, room) : [];
  // Every poll checks the deployments of the queue, because agents are few.
  if (isPoll) await markAsPolled(context, [{ ...queue, pool_id: queue.work_pool_id, unready: 1 }]);
  return runs;
}

async function roomOf({ db }: Context, queue: WorkQueueWithPool): Promise<number> {
  if (queue.concurrency_limit === null) return Number.POSITIVE_INFINITY;
  if (queue.filter !== null) return queue.concurrency_limit - (await countActive(db, queue.filter));
  const named = isLegacy(queue) ? await db.first(namedActive, { name: queue.name }) : undefined;
  return (
    queue.concurrency_limit -
    (named?.count ?? 0) -
    (await countSlots(db, { id: queue.id, name: null, also: 'CANCELLING' }))
  );
}

/** True for a queue to which a run that names a queue but no pool may belong. */
function isLegacy(queue: WorkQueueWithPool): boolean {
  return queue.work_pool_name === LEGACY_POOL;
}

async function dueRuns(
  { db }: Context,
  queue: WorkQueueWithPool,
  before: Timestamp,
  limit: number,
): Promise<FlowRunWithState[]> {
  const page = { sort: 'NEXT_SCHEDULED_START_TIME_ASC', limit, offset: 0 } as const;
  if (queue.filter !== null) {
    const due = { state: { type: { any_: ['SCHEDULED' as const] } }, next_scheduled_start_time: { before_: before } };
    return listFlowRuns(db, filtersOf(queue.filter, due), page);
  }
  const [due, named] = await Promise.all([
    listDueRuns(db, [{ id: queue.id, place: 0, room: limit }], { after: FIRST_TIME, before, limit }),
    isLegacy(queue) ? db.all(namedRuns, { name: queue.name, before, limit }) : [],
  ]);
  const ids = [...due, ...named].map(({ id }) => id);
  return ids.length === 0 ? [] : listFlowRuns(db, { flow_runs: { id: { any_: ids } } }, page);
}
