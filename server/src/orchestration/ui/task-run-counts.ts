import type { Context } from '../../context/context.ts';
import { Unprocessable } from '../../errors.ts';
import { addMicroseconds, microsecondsOf, type Timestamp } from '../../values/time.ts';
import type { RelatedFilters } from '../filters/related-conditions.ts';
import { countEndedTaskRuns } from './queries.ts';

const SPANS = 20;

/**
 * Counts task runs that completed (or were cancelled) and failed (or crashed), by the start time, in 20 equal spans of
 * time. The spans reach from `after_` of the start time filter to its `before_`, or to now. The reference computes its
 * spans from rounded days, so short ones are off there. Throws Unprocessable without `after_`.
 */
export async function countTaskRunsForDashboard(context: Context, filters: RelatedFilters) {
  const taskRuns: Record<string, unknown> = { ...filters.task_runs };
  const criteria = (taskRuns['start_time'] ?? {}) as {
    after_?: Timestamp | null;
    before_?: Timestamp | null;
  };
  if (!criteria.after_) throw new Unprocessable('task_runs.start_time.after_ is required');
  const first = criteria.after_;
  const total = microsecondsOf(criteria.before_ ?? context.now) - microsecondsOf(first);
  const counts = Array.from({ length: SPANS }, () => ({ completed: 0, failed: 0 }));
  if (total <= 0) return counts;
  const lengthMicroseconds = Math.ceil(total / SPANS);
  const starts = counts.map((_, index) => addMicroseconds(first, index * lengthMicroseconds));
  for (const { span, state_type, count } of await countEndedTaskRuns(context.db, filters, {
    starts,
    lengthMicroseconds,
  })) {
    const counted = counts[Math.min(span, SPANS - 1)];
    if (counted) counted[state_type === 'FAILED' || state_type === 'CRASHED' ? 'failed' : 'completed'] += count;
  }
  return counts;
}
