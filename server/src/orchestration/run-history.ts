/** How many runs were in which state, by the time they were expected to start, and how late they were. */
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import type { Condition, EqualIntervals } from '../database/dialect.ts';
import { Unprocessable } from '../errors.ts';
import { addMicroseconds, microsecondsOf, type Timestamp } from '../time.ts';
import { flowRunCondition, type RelatedFilters, taskRunCondition } from './related-conditions.ts';
import { latenessOf, type RunTable } from './run-estimates.ts';
import { countStates, countStatesByType } from './run-history-counts.ts';
import type { HistoryResponse, HistoryResponseState } from './states/schema.ts';

/** The span a history covers. Intervals begin at its start; the last one may reach beyond its end. */
export interface HistorySpan {
  readonly start: Timestamp;
  readonly end: Timestamp;
  readonly intervalSeconds: number;
}

/** A longer span is cut: what comes after so many intervals is left out. Source: reference behaviour. */
const MAX_INTERVALS = 500;
/** Each interval costs as much as some fifty runs where it is asked for by itself. */
const FEW_INTERVALS = 100;
const MICROSECONDS_PER_SECOND = 1_000_000;
const LAST_MICROSECOND = microsecondsOf('9999-12-31T23:59:59.999999Z' as Timestamp);

/** Throws Unprocessable for an interval below a second, and for one that ends after the year 9999. */
export function readFlowRunHistory(
  context: Context,
  filters: RelatedFilters,
  span: HistorySpan,
): Promise<HistoryResponse[]> {
  return readHistory(context, 'flow_run', filters, flowRunCondition(filters, context.db.dialect), span);
}

/** Throws Unprocessable for an interval below a second, and for one that ends after the year 9999. */
export function readTaskRunHistory(
  context: Context,
  filters: RelatedFilters,
  span: HistorySpan,
): Promise<HistoryResponse[]> {
  return readHistory(context, 'task_run', filters, taskRunCondition(filters, context.db.dialect), span);
}

/** Mean lateness of the matching flow runs in seconds, those on time counting as 0; null when none matches. */
export async function readFlowRunLateness(context: Context, filters: RelatedFilters): Promise<number | null> {
  const { db, now } = context;
  const [row] = await db.query(
    sql<{ lateness: number | null }>`select avg(${latenessOf('flow_run', now, db.dialect)}) as lateness
      from flow_run where flow_run."workspace" = ${db.workspace} and ${flowRunCondition(filters, db.dialect)}`,
  );
  return row?.lateness ?? null;
}

async function readHistory(
  context: Context,
  table: RunTable,
  filters: RelatedFilters,
  condition: Condition,
  span: HistorySpan,
): Promise<HistoryResponse[]> {
  const { starts, lengthMicroseconds } = intervalsOf(span);
  const ends = starts.map((start) => addMicroseconds(start, lengthMicroseconds));
  const history = starts.map((interval_start, index) => ({
    interval_start,
    interval_end: ends[index]!,
    states: [] as HistoryResponseState[],
  }));
  if (starts.length === 0) return [];
  const ofItself = starts.length <= FEW_INTERVALS && asksOnlyForStatesAndTimes(table, filters);
  const count = ofItself ? countStatesByType : countStates;
  const counted = await count(context.db, {
    table,
    condition,
    intervals: { starts, lengthMicroseconds },
    now: context.now,
  });
  for (const { interval_index, ...state } of counted) {
    history[interval_index]?.states.push(state);
  }
  return history;
}

function intervalsOf({ start, end, intervalSeconds }: HistorySpan): EqualIntervals {
  const lengthMicroseconds = Math.round(intervalSeconds * MICROSECONDS_PER_SECOND);
  if (!(lengthMicroseconds >= MICROSECONDS_PER_SECOND)) {
    throw new Unprocessable('History interval must not be less than 1 second.');
  }
  const first = microsecondsOf(start);
  const count = Math.min(MAX_INTERVALS, Math.max(0, Math.ceil((microsecondsOf(end) - first) / lengthMicroseconds)));
  if (first + count * lengthMicroseconds > LAST_MICROSECOND) {
    throw new Unprocessable('History intervals must not end after the year 9999.');
  }
  return {
    starts: Array.from({ length: count }, (_, index) => addMicroseconds(start, index * lengthMicroseconds)),
    lengthMicroseconds,
  };
}

/** True where an index holds every column that the filters look at. */
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
