/**
 * Counts runs by the interval of their start: the time by which lists sort them. Stored sums answer filters on states of
 * flow runs, exactly and for any number of runs. For other filters the runs are read;
 * if there are many, only the latest ones.
 */
import { sql } from 'kysely';
import type { Context } from '../../../context/context.ts';
import { always, type Condition, type EqualIntervals } from '../../../database/dialect/dialect.ts';
import type { Db } from '../../../database/store.ts';
import { secondsBetween, type Timestamp } from '../../../values/time.ts';
import type { StateType } from '../../filters/field-schema.ts';
import { flowRunCondition, type RelatedFilters } from '../../filters/related-conditions.ts';
import { countFlowRuns } from '../flow-runs/list-queries.ts';
import { columnsOf } from '../rows/run-estimates.ts';
import { endOf, type HistorySpan, intervalsOf } from './intervals.ts';
import { findReadWindow } from './read-window.ts';
import { summedRuns } from './run-sums.ts';
import { flowRunsByStart, type StartOrder } from './start-order.ts';
import { type SummableFilter, spanWithin, summableFilter } from './summable-filter.ts';

interface StartCounts {
  /** Number of matching runs, in the history and outside of it. */
  readonly count: number;
  readonly history: readonly StartInterval[];
  /** Older runs are not counted. Null if all are counted. */
  readonly counted_since: Timestamp | null;
}

interface StartInterval {
  readonly interval_start: Timestamp;
  readonly states: { state_type: StateType; state_name: string; count_runs: number }[];
}

/** The runs of one state in one interval; the state is null for runs without one. */
interface CountedStarts {
  readonly interval_index: number | null;
  readonly state_type: StateType | null;
  readonly state_name: string | null;
  readonly count_runs: number;
}

/** Throws Unprocessable like `readFlowRunHistory`. */
export async function countRunsByStart(
  context: Context,
  filters: RelatedFilters,
  span: HistorySpan,
  runs: StartOrder = flowRunsByStart,
): Promise<StartCounts> {
  const { db } = context;
  const intervals = intervalsOf(span);
  const hasSums = runs === flowRunsByStart && intervals.starts.length > 0;
  const summable = hasSums ? summableFilter(filters, 'start_time') : undefined;
  if (summable) {
    const counted = await countBySums(context, summable, intervals);
    const count = isWithin(summable, intervals) ? totalOf(counted) : await countFlowRuns(db, filters);
    return { count, history: historyOf(intervals, counted), counted_since: null };
  }
  const window = await findReadWindow(db, runs, filters, { order: 'newest', beyond: always, counts: true });
  const counted = await countByRuns(db, runs, window.condition, intervals);
  return { count: totalOf(counted), history: historyOf(intervals, counted), counted_since: window.end ?? null };
}

async function countBySums({ db, now }: Context, summable: SummableFilter, intervals: EqualIntervals) {
  const span = spanWithin(intervals, summable);
  if (!span) return [];
  const condition = flowRunCondition(summable.states, db.dialect);
  const runs = summedRuns(db, span, { placedBy: 'start', condition, now, withStateless: true, countsOnly: true });
  return db.query(
    sql<CountedStarts>`select position as interval_index, state_type, state_name, sum(count_runs) as count_runs
      from (${runs}) run group by 1, 2, 3 having sum(count_runs) <> 0 order by 1, 2, 3`,
    { recurs: summable.recurs },
  );
}

function countByRuns(db: Db, { table, start }: StartOrder, condition: Condition, intervals: EqualIntervals) {
  const column = columnsOf(table);
  const position =
    intervals.starts.length > 0
      ? sql`case when ${start} >= ${intervals.starts[0]}
          and ${start} < ${endOf(intervals, intervals.starts.length - 1)}
          then ${db.dialect.intervalOf(start, intervals)} end`
      : sql`null`;
  return db.query(
    sql<CountedStarts>`select ${position} as interval_index, ${column('state_type')} as state_type,
        ${column('state_name')} as state_name, count(*) as count_runs
      from ${sql.table(table)} where ${column('workspace')} = ${db.workspace} and ${condition}
      group by 1, 2, 3 order by 1, 2, 3`,
  );
}

function isWithin({ after, before }: SummableFilter, intervals: EqualIntervals): boolean {
  if (after === undefined || before === undefined) return false;
  return after >= intervals.starts[0]! && before < endOf(intervals, intervals.starts.length - 1);
}

function totalOf(counted: readonly CountedStarts[]): number {
  return counted.reduce((sum, { count_runs }) => sum + count_runs, 0);
}

function historyOf({ starts }: EqualIntervals, counted: readonly CountedStarts[]): StartInterval[] {
  const history = starts.map((interval_start): StartInterval => ({ interval_start, states: [] }));
  for (const { interval_index, state_type, state_name, count_runs } of counted) {
    const interval = interval_index === null ? undefined : history[interval_index];
    if (state_type && state_name) interval?.states.push({ state_type, state_name, count_runs });
  }
  return history;
}

/** The number of matching flow runs, of which at most about `most` are read where no sum answers the filters. */
export async function countRunsBriefly(
  context: Context,
  filters: RelatedFilters,
  most: number,
): Promise<Pick<StartCounts, 'count' | 'counted_since'>> {
  const summable = summableFilter(filters, 'start_time');
  const { after, before } = summable ?? {};
  if (after !== undefined && before !== undefined && after <= before) {
    const intervalSeconds = Math.floor(secondsBetween(after, before)) + 1;
    return countRunsByStart(context, filters, { start: after, end: before, intervalSeconds });
  }
  if (summable?.recurs && after === undefined && before === undefined) {
    return { count: await countFlowRuns(context.db, filters), counted_since: null };
  }
  const window = await findReadWindow(context.db, flowRunsByStart, filters, {
    order: 'newest',
    beyond: always,
    counts: true,
    most,
  });
  const [row] = await context.db.query(
    sql<{ count: number }>`select count(*) as count from flow_run
      where flow_run."workspace" = ${context.db.workspace} and ${window.condition}`,
  );
  return { count: row?.count ?? 0, counted_since: window.end ?? null };
}
