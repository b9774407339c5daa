/** How many runs were in which state, by the time they were expected to start, and how late they were. */
import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../context.ts';
import type { Condition, EqualIntervals, SqlDialect } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';
import { Unprocessable } from '../errors.ts';
import { addMicroseconds, microsecondsOf, type Timestamp } from '../time.ts';
import { flowRunCondition, type RelatedFilters, taskRunCondition } from './related-conditions.ts';
import type { HistoryResponse, HistoryResponseState, StateType } from './states/schema.ts';
import { terminalTypes } from './states/state.ts';

/** The span a history covers. Intervals begin at its start; the last one may reach beyond its end. */
export interface HistorySpan {
  readonly start: Timestamp;
  readonly end: Timestamp;
  readonly intervalSeconds: number;
}

/** A longer span is cut: what comes after so many intervals is left out. Source: reference behaviour. */
const MAX_INTERVALS = 500;
const MICROSECONDS_PER_SECOND = 1_000_000;
const LAST_MICROSECOND = microsecondsOf('9999-12-31T23:59:59.999999Z' as Timestamp);

type RunTable = 'flow_run' | 'task_run';

/** Throws Unprocessable for an interval below a second, and for one that ends after the year 9999. */
export function readFlowRunHistory(
  context: Context,
  filters: RelatedFilters,
  span: HistorySpan,
): Promise<HistoryResponse[]> {
  return readHistory(context, 'flow_run', flowRunCondition(filters, context.db.dialect), span);
}

/** Throws Unprocessable for an interval below a second, and for one that ends after the year 9999. */
export function readTaskRunHistory(
  context: Context,
  filters: RelatedFilters,
  span: HistorySpan,
): Promise<HistoryResponse[]> {
  return readHistory(context, 'task_run', taskRunCondition(filters, context.db.dialect), span);
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
  const last = ends.at(-1);
  if (last === undefined) return [];
  const intervals = { starts, lengthMicroseconds };
  for (const { interval_index, ...state } of await countStates(
    context.db,
    table,
    condition,
    intervals,
    last,
    context.now,
  )) {
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

interface CountedState extends HistoryResponseState {
  readonly interval_index: number;
}

/**
 * One pass over the runs of the span. Without filters the index on `expected_start_time` holds every column that is read
 * here; 3,300 runs of 100,000 take 1.5 ms on SQLite.
 */
function countStates(
  db: Db,
  table: RunTable,
  condition: Condition,
  intervals: EqualIntervals,
  end: Timestamp,
  now: Timestamp,
): Promise<CountedState[]> {
  const { dialect, workspace } = db;
  const column = columnsOf(table);
  return db.query(
    sql<CountedState>`select ${dialect.intervalOf(column('expected_start_time'), intervals)} as interval_index,
        ${column('state_type')} as state_type, ${column('state_name')} as state_name, count(*) as count_runs,
        sum(${runTimeOf(table, now, dialect)}) as sum_estimated_run_time,
        sum(${latenessOf(table, now, dialect)}) as sum_estimated_lateness
      from ${sql.table(table)}
      where ${column('workspace')} = ${workspace} and ${column('expected_start_time')} >= ${intervals.starts[0]}
        and ${column('expected_start_time')} < ${end} and ${column('state_type')} is not null and ${condition}
      group by 1, 2, 3 order by 1, 2, 3`,
  );
}

function columnsOf(table: RunTable) {
  return (name: string) => sql.ref(`${table}.${name}`);
}

/** Seconds in RUNNING, the current stretch included. */
function runTimeOf(table: RunTable, now: Timestamp, dialect: SqlDialect): RawBuilder<number> {
  const column = columnsOf(table);
  const since = column('state_timestamp');
  const running = 'RUNNING' satisfies StateType;
  return sql`(${column('total_run_time')} + case when ${column('state_type')} = ${running} and ${since} < ${now}
    then ${dialect.secondsBetween(since, sql`${now}`)} else 0 end)`;
}

/**
 * Seconds between the expected and the real start, or until now for a run that should have started. The first part is
 * written as the index of a history has it on SQLite (migration 0016-run-orders), so that it is read and not computed.
 */
function latenessOf(table: RunTable, now: Timestamp, dialect: SqlDialect): RawBuilder<number> {
  const column = columnsOf(table);
  const [expected, start] = [column('expected_start_time'), column('start_time')];
  return sql`coalesce(case when ${start} is null then null
      when ${start} > ${expected} then ${dialect.secondsBetween(expected, start)} else 0.0 end,
    case when ${expected} < ${now} and ${column('state_type')} not in (${sql.join(terminalTypes)})
      then ${dialect.secondsBetween(expected, sql`${now}`)} else 0.0 end)`;
}
