/** Queues without a pool of their own, for agents. They belong to one pool that is made on demand. */
import type { Context } from '../../../context/context.ts';
import { statement } from '../../../database/statement.ts';
import type { Db } from '../../../database/store.ts';
import { ObjectNotFound } from '../../../errors.ts';
import { type JsonText, parseObject } from '../../../values/json.ts';
import { addSeconds } from '../../../values/time.ts';
import type { RelatedFilters } from '../../filters/related-conditions.ts';
import { countFlowRuns } from '../../runs/flow-runs/list-queries.ts';
import { queueById, type WorkQueueWithPool } from '../queues/queue-queries.ts';
import { workQueueResponse } from '../queues/response.ts';

/** The conditions for a healthy queue. `maximum_seconds_since_last_polled` is in seconds. */
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

/** Reports whether runs are late and when the queue was last polled. Throws ObjectNotFound. */
export async function queueHealth(context: Context, id: string) {
  const queue = await context.db.first(queueById, { id, also: '' });
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

/** The filter by which the oldest queues select runs of any deployment, because no deployment names these queues. */
export function filtersOf(filter: JsonText, own: RelatedFilters['flow_runs']): RelatedFilters {
  const { tags, deployment_ids } = parseObject(filter);
  return {
    flow_runs: {
      deployment_id: deployment_ids ? { any_: deployment_ids as string[] } : { is_null_: false },
      ...(tags ? { tags: { all_: tags as string[] } } : {}),
      ...own,
    },
  };
}

/** The runs that hold a slot of a queue with a filter. Unlike in other queues, CANCELLING runs do not hold one. */
export function countActive(db: Db, filter: JsonText): Promise<number> {
  return countFlowRuns(db, filtersOf(filter, { state: { type: { any_: ['PENDING', 'RUNNING'] } } }));
}

/** A queue in the shape of `WorkQueueResponse`, for these routes. */
export async function queueResponse({ db, now }: Context, queue: WorkQueueWithPool) {
  const response = workQueueResponse(queue, now);
  if (queue.filter === null || queue.concurrency_limit === null) return response;
  return { ...response, active_slots: await countActive(db, queue.filter) };
}
