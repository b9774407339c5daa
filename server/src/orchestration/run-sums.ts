/**
 * Sums of flow runs over spans of time, from the sums that are kept of ended runs (migration 0040-flow-run-sums). Only
 * what those leave open is read run by run: the edges of a span, and the runs that have not ended.
 */
import { sql } from 'kysely';
import type { Condition, EqualIntervals, Expression } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';
import { microsecondsOf, type Timestamp, timestampFromMicroseconds } from '../time.ts';
import { latenessOf, latenessOfEnded, runTimeOf } from './run-estimates.ts';
import { stateTypes } from './states/schema.ts';
import { isTerminal, terminalTypes } from './states/state.ts';

/** What ended runs are summed by; each span begins at a whole number of its lengths. Longer ones last. */
const SUMMED_SPANS_SECONDS = [300, 3600] as const;
export const SHORTEST_SUMMED_SECONDS = SUMMED_SPANS_SECONDS[0];
const MICROSECONDS_PER_SECOND = 1_000_000;
const openTypes = stateTypes.filter((type) => !isTerminal(type));

/** What is asked: the runs of each interval that are expected from `from` on and before `until`. */
export interface SummedSpan {
  readonly intervals: EqualIntervals;
  readonly from: Timestamp;
  readonly until: Timestamp;
}

export interface SummedRuns {
  /** Looks at nothing but the type and the name of the state of `flow_run`. */
  readonly condition: Condition;
  /** Ends what still goes on. */
  readonly now: Timestamp;
  /** Runs without a state count too. */
  readonly withStateless?: boolean;
}

/** Of an interval: what sums of a length cover, or, with a length of 0, what single runs are read for. */
interface Part {
  readonly position: number;
  readonly span_seconds: number;
  readonly begins: Timestamp;
  readonly ends: Timestamp;
}

/**
 * A select of `position` (of the interval), `state_type`, `state_name`, `count_runs`, `run_time` and `lateness` (seconds).
 * Several rows of one position and state add up to its runs.
 */
export function summedRuns(
  { dialect, workspace }: Db,
  { intervals, from, until }: SummedSpan,
  { condition, now, withStateless = false }: SummedRuns,
): Expression {
  const parts = intervals.starts.flatMap((start, position) =>
    partsOf(
      position,
      Math.max(microsecondsOf(start), microsecondsOf(from)),
      Math.min(microsecondsOf(start) + intervals.lengthMicroseconds, microsecondsOf(until)),
    ),
  );
  const seconds = (microseconds: Expression) =>
    sql`cast(${microseconds} as double precision) / ${sql.lit(MICROSECONDS_PER_SECOND)}`;
  const [type, expected] = [sql`flow_run.state_type`, sql`flow_run.expected_start_time`];
  const ended = [0, ...SUMMED_SPANS_SECONDS].flatMap((spanSeconds) => {
    const ofLength = parts.filter((part) => part.span_seconds === spanSeconds);
    if (ofLength.length === 0) return [];
    const part = sql`(select * from ${dialect.rowsFrom(JSON.stringify(ofLength), {
      position: 'integer',
      begins: 'timestamp',
      ends: 'timestamp',
    })} item limit 10000) part`;
    return spanSeconds > 0
      ? // The sums go by the name of the runs, so that a condition on the states of runs is one on sums.
        sql`select part.position, ${type}, flow_run.state_name, flow_run.count as count_runs,
          ${seconds(sql`flow_run.run_microseconds`)} as run_time, ${seconds(sql`flow_run.lateness_microseconds`)} as lateness
        from ${part} ${dialect.joinInOrder} flow_run_sum flow_run on flow_run."workspace" = ${workspace}
          and flow_run.span_seconds = ${sql.lit(spanSeconds)}
          and flow_run.begins >= part.begins and flow_run.begins < part.ends
        where ${condition}`
      : sql`select part.position, ${type}, flow_run.state_name, 1 as count_runs, flow_run.total_run_time as run_time,
          ${latenessOfEnded('flow_run', dialect)} as lateness
        from ${part} ${dialect.joinInOrder} flow_run on flow_run."workspace" = ${workspace}
          and ${expected} >= part.begins and ${expected} < part.ends
        where ${dialect.unindexed(type)} in (${sql.join(terminalTypes.map(sql.lit))}) and ${condition}`;
  });
  const open = [
    sql`${type} in (${sql.join(openTypes.map(sql.lit))})`,
    ...(withStateless ? [sql`${type} is null`] : []),
  ].map(
    (hasType) => sql`select ${dialect.intervalOf(expected, intervals)} as position, ${type}, flow_run.state_name,
        1 as count_runs, ${runTimeOf('flow_run', now, dialect)} as run_time,
        ${latenessOf('flow_run', now, dialect)} as lateness
      from flow_run where flow_run."workspace" = ${workspace} and ${hasType}
        and ${expected} >= ${from} and ${expected} < ${until} and ${condition}`,
  );
  return sql.join([...ended, ...open], sql` union all `);
}

/** The longest sums first, shorter ones at both ends, and single runs where no sum fits. */
function partsOf(position: number, begins: number, ends: number): Part[] {
  const parts: Part[] = [];
  const add = (from: number, to: number, spanSeconds: number) => {
    if (from < to)
      parts.push({
        position,
        span_seconds: spanSeconds,
        begins: timestampFromMicroseconds(from),
        ends: timestampFromMicroseconds(to),
      });
  };
  const cover = (from: number, to: number, spansSeconds: readonly number[]) => {
    const longest = spansSeconds.at(-1);
    if (longest === undefined) return add(from, to, 0);
    const length = longest * MICROSECONDS_PER_SECOND;
    const first = Math.ceil(from / length) * length;
    const last = Math.floor(to / length) * length;
    const shorter = spansSeconds.slice(0, -1);
    if (first >= last) return cover(from, to, shorter);
    cover(from, first, shorter);
    add(first, last, longest);
    cover(last, to, shorter);
  };
  cover(begins, ends, SUMMED_SPANS_SECONDS);
  return parts;
}
