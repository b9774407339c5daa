/** Queues without a pool of their own, as agents use them. They live in one pool that is made on demand. */
import type { Context } from '../../context.ts';
import { statement } from '../../database/statement.ts';
import { ObjectNotFound } from '../../errors.ts';
import { type JsonText, parseObject } from '../../json.ts';
import { addSeconds, type Timestamp } from '../../time.ts';
import { type FlowRunWithState, listFlowRuns } from '../flow-runs/queries.ts';
import type { RelatedFilters } from '../related-conditions.ts';
import { markAsPolled } from '../work-pools/poll.ts';
import { listDueRuns } from '../work-pools/poll-queries.ts';
import { findQueue, type WorkQueueRow } from '../work-pools/queue-queries.ts';
import { countSlots } from '../work-pools/slots.ts';

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
  const runs = room > 0 ? await dueRuns(context, queue, before, room) : [];
  // Its deployments are looked at each time: agents are few.
  if (isPoll) await markAsPolled(context, [{ ...queue, pool_id: queue.work_pool_id, unready: 1 }]);
  return runs;
}

async function roomOf(context: Context, queue: WorkQueueRow): Promise<number> {
  if (queue.concurrency_limit === null) return Number.POSITIVE_INFINITY;
  return queue.concurrency_limit - (await countSlots(context.db, queue.id, 'CANCELLING'));
}

async function dueRuns(
  context: Context,
  queue: WorkQueueRow,
  before: Timestamp | undefined,
  limit: number,
): Promise<FlowRunWithState[]> {
  const page = { sort: 'NEXT_SCHEDULED_START_TIME_ASC', limit, offset: 0 } as const;
  if (queue.filter !== null) return listFlowRuns(context.db, filtersOf(queue.filter, before), page);
  const due = await listDueRuns(context.db, [{ id: queue.id, place: 0, room: limit }], {
    ...(before && { before }),
    limit,
  });
  if (due.length === 0) return [];
  return listFlowRuns(context.db, { flow_runs: { id: { any_: due.map(({ id }) => id) } } }, page);
}

/** What the oldest queues have in place of deployments that name them. */
function filtersOf(filter: JsonText, before: Timestamp | undefined): RelatedFilters {
  const { tags, deployment_ids } = parseObject(filter);
  return {
    flow_runs: {
      state: { type: { any_: ['SCHEDULED'] } },
      ...(before === undefined ? {} : { next_scheduled_start_time: { before_: before } }),
      ...(tags ? { tags: { all_: tags } } : {}),
      ...(deployment_ids ? { deployment_id: { any_: deployment_ids } } : {}),
    },
  };
}
