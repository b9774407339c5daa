/** Counts runs and sums their lateness by state and by the interval of their expected start. */
import type { Context } from '../../../context/context.ts';
import type { EqualIntervals } from '../../../database/dialect/dialect.ts';
import type { Db } from '../../../database/store.ts';
import { addMicroseconds } from '../../../values/time.ts';
import { flowRunCondition, type RelatedFilters, taskRunCondition } from '../../filters/related-conditions.ts';
import type { RunTable } from '../rows/run-estimates.ts';
import type { HistoryResponse, HistoryResponseState } from '../rows/state-schema.ts';
import { type HistorySpan, intervalsOf } from './intervals.ts';
import {
  type Counted,
  type CountedState,
  countStates,
  countStatesBySums,
  countStatesByType,
} from './run-history-counts.ts';
import { SHORTEST_SUMMED_SECONDS } from './run-sums.ts';
import { spanWithin, summableFilter } from './summable-filter.ts';

/** Up to this many intervals get a query each. One such query costs about as much as reading fifty runs. */
const FEW_INTERVALS = 100;

/** Throws Unprocessable for an interval below a second, and for one that ends after the year 9999. */
export async function readFlowRunHistory(
  { db, now }: Context,
  filters: RelatedFilters,
  span: HistorySpan,
): Promise<HistoryResponse[]> {
  const intervals = intervalsOf(span);
  if (intervals.starts.length === 0) return [];
  const summable =
    span.intervalSeconds >= SHORTEST_SUMMED_SECONDS ? summableFilter(filters, 'expected_start_time') : undefined;
  if (!summable) {
    const condition = flowRunCondition(filters, db.dialect);
    return historyOf(intervals, await countRuns(db, filters, { table: 'flow_run', condition, intervals, now }));
  }
  const within = spanWithin(intervals, summable);
  const condition = flowRunCondition(summable.states, db.dialect);
  const { recurs } = summable;
  return historyOf(intervals, within ? await countStatesBySums(db, { condition, span: within, now, recurs }) : []);
}

/** Throws Unprocessable for an interval below a second, and for one that ends after the year 9999. */
export async function readTaskRunHistory(
  { db, now }: Context,
  filters: RelatedFilters,
  span: HistorySpan,
): Promise<HistoryResponse[]> {
  const intervals = intervalsOf(span);
  if (intervals.starts.length === 0) return [];
  const condition = taskRunCondition(filters, db.dialect);
  return historyOf(intervals, await countRuns(db, filters, { table: 'task_run', condition, intervals, now }));
}

/** Reads each run. `counted.condition` was compiled from `filters`. */
function countRuns(db: Db, filters: RelatedFilters, counted: Counted): Promise<CountedState[]> {
  const isFew = counted.intervals.starts.length <= FEW_INTERVALS;
  const count = isFew && asksOnlyForStatesAndTimes(counted.table, filters) ? countStatesByType : countStates;
  return count(db, counted);
}

function historyOf(
  { starts, lengthMicroseconds }: EqualIntervals,
  counted: readonly CountedState[],
): HistoryResponse[] {
  const history = starts.map((interval_start, position) => ({
    interval_start,
    interval_end: starts[position + 1] ?? addMicroseconds(interval_start, lengthMicroseconds),
    states: [] as HistoryResponseState[],
  }));
  for (const state of counted) history[state.interval_index]?.states.push(state);
  return history;
}

/** True when an index contains all columns that the filters read. */
function asksOnlyForStatesAndTimes(table: RunTable, filters: RelatedFilters): boolean {
  const isGiven = ([, value]: [string, unknown]) => value !== null && value !== undefined;
  const own = table === 'flow_run' ? 'flow_runs' : 'task_runs';
  return Object.entries(filters)
    .filter(isGiven)
    .every(
      ([resource, filter]) =>
        resource === own &&
        Object.entries(filter as object)
          .filter(isGiven)
          .every(([field]) => ['operator', 'state', 'expected_start_time'].includes(field)),
    );
}
