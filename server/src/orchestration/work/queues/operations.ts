/** Queues without a pool of their own, as agents use them. They live in one pool that is made on demand. */
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { statement } from '../../../database/statement.ts';
import type { Db } from '../../../database/store.ts';
import { ObjectNotFound } from '../../../errors.ts';
import { type JsonText, parseObject } from '../../../json.ts';
import { addSeconds, type Timestamp } from '../../../time.ts';
import type { RelatedFilters } from '../../filters/related-conditions.ts';
import { markAsPolled } from '../../polling/poll.ts';
import { LAST_TIME, listDueRuns } from '../../polling/poll-queries.ts';
import { countFlowRuns, listFlowRuns } from '../../runs/flow-runs/list-queries.ts';
import type { FlowRunWithState } from '../../runs/rows/flow-runs.ts';
import { LEGACY_POOL } from '../pools/on-demand.ts';
import { workQueueResponse } from '../pools/response.ts';
import { countSlots } from '../pools/slots.ts';
import { findQueue, type WorkQueueWithPool } from './queue-queries.ts';

/** How a queue is judged. `maximum_seconds_since_last_polled` is in seconds. */
const healthPolicy = { maximum_late_runs: 0, maximum_seconds_since_last_polled: 60 };

const late = statement<{ id: string }, { count: number }>((query, given) =>
  query
    .selectFrom('flow_run')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('workspace', '=', given.workspace)
    .where('work_queue_id', '=', given.id)
    .where('next_scheduled_start_time', 'is not', null)
    .where('state_type', '=', 'SCHEDULED')
    .where('state_name', '=', 'Late'),
);

/** Runs that name a queue and no pool. */
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

/** Whether runs are late and when the queue was last asked for its runs. Throws ObjectNotFound. */
export async function queueHealth(context: Context, id: string) {
  const queue = await findQueue(context.db, id);
  if (!queue) throw new ObjectNotFound(`Work queue with id ${id} not found`);
  const late_runs_count = (await context.db.first(late, { id }))?.count ?? 0;
  const oldest = addSeconds(context.now, -healthPolicy.maximum_seconds_since_last_polled);
  const wasPolled = queue.last_polled !== null && queue.last_polled >= oldest;
  return {
    healthy: wasPolled && late_runs_count <= healthPolicy.maximum_late_runs,
    late_runs_count,
    last_polled: queue.last_polled,
    health_check_policy: healthPolicy,
  };
}

/**
 * The due runs of a queue, as many as it has room for. `isPoll` is false for those who only look. Throws ObjectNotFound.
 * Source: reference behaviour, "Work pools, queues, workers", Legacy.
 */
export async function readQueueRuns(
  context: Context,
  id: string,
  { before, limit, isPoll }: { before: Timestamp | undefined; limit: number; isPoll: boolean },
): Promise<FlowRunWithState[]> {
  const queue = await findQueue(context.db, id);
  if (!queue) throw new ObjectNotFound(`Work queue with id ${id} not found.`);
  const room = queue.is_paused ? 0 : Math.min(limit, await roomOf(context, queue));
  const runs = room > 0 ? await dueRuns(context, queue, before ?? LAST_TIME, room) : [];
  // Its deployments are looked at each time: agents are few.
  if (isPoll) await markAsPolled(context, [{ ...queue, pool_id: queue.work_pool_id, unready: 1 }]);
  return runs;
}

async function roomOf({ db }: Context, queue: WorkQueueWithPool): Promise<number> {
  if (queue.concurrency_limit === null) return Number.POSITIVE_INFINITY;
  if (queue.filter !== null) return queue.concurrency_limit - (await countActive(db, queue.filter));
  const named = isLegacy(queue) ? await db.first(namedActive, { name: queue.name }) : undefined;
  return queue.concurrency_limit - (named?.count ?? 0) - (await countSlots(db, queue.id, 'CANCELLING'));
}

/** A run that names a queue and no pool means one of these. */
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
    listDueRuns(db, [{ id: queue.id, place: 0, room: limit }], { before, limit }),
    isLegacy(queue) ? db.all(namedRuns, { name: queue.name, before, limit }) : [],
  ]);
  const ids = [...due, ...named].map(({ id }) => id);
  return ids.length === 0 ? [] : listFlowRuns(db, { flow_runs: { id: { any_: ids } } }, page);
}

/** What the oldest queues have in place of deployments that name them: runs of any deployment that meet it are theirs. */
function filtersOf(filter: JsonText, own: RelatedFilters['flow_runs']): RelatedFilters {
  const { tags, deployment_ids } = parseObject(filter);
  return {
    flow_runs: {
      deployment_id: deployment_ids ? { any_: deployment_ids as string[] } : { is_null_: false },
      ...(tags ? { tags: { all_: tags as string[] } } : {}),
      ...own,
    },
  };
}

/** The runs that hold a slot of a queue with a filter. Unlike in other queues, those being cancelled do not. */
function countActive(db: Db, filter: JsonText): Promise<number> {
  return countFlowRuns(db, filtersOf(filter, { state: { type: { any_: ['PENDING', 'RUNNING'] } } }));
}

/** A queue in the shape of `WorkQueueResponse`, as these routes tell it. */
export async function queueResponse({ db, now }: Context, queue: WorkQueueWithPool) {
  const response = workQueueResponse(queue, now);
  if (queue.filter === null || queue.concurrency_limit === null) return response;
  return { ...response, active_slots: await countActive(db, queue.filter) };
}
