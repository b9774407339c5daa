/**
 * Sums of flow runs over spans of time, from the stored sums of ended runs (`database/migrations/orchestration/
 * flow-run-sums.ts`). The rest is read run by run: the edges of a span, and the runs that have not ended. When it reads
 * less, a sum beyond an edge is added and the excess subtracted.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Condition, EqualIntervals, Expression } from '../../../database/dialect/dialect.ts';
import type { Db } from '../../../database/store.ts';
import { microsecondsOf, type Timestamp, timestampFromMicroseconds } from '../../../values/time.ts';
import { stateTypes } from '../../filters/field-schema.ts';
import { effectiveStart } from '../../filters/flow-run-filter.ts';
import { latenessOf, latenessOfEnded, runTimeOf } from '../rows/run-estimates.ts';
import { isTerminal, terminalTypes } from '../rows/state.ts';

/** Lengths of the stored sums, shortest first. Each span begins at a multiple of its length. */
const SUMMED_SPANS_SECONDS = [300, 3600] as const;
export const SHORTEST_SUMMED_SECONDS = SUMMED_SPANS_SECONDS[0];
/** Seconds of runs that cost as much to read as one sum: 2 runs when 100,000 started within a month. */
const SECONDS_LIKE_A_SUM = 60;
const MICROSECONDS_PER_SECOND = 1_000_000;
const LAST_MICROSECOND = microsecondsOf('9999-12-31T23:59:59.999999Z' as Timestamp);
const openTypes = stateTypes.filter((type) => !isTerminal(type));

/** The time that places a run in an interval. */
const placing = { expected_start: sql`flow_run.expected_start_time`, start: effectiveStart } as const;
type PlacedBy = keyof typeof placing;

/** The runs of each interval whose placing time is at or after `from`, and before `until`. */
export interface SummedSpan {
  readonly intervals: EqualIntervals;
  readonly from: Timestamp;
  readonly until: Timestamp;
}

interface SummedRuns {
  readonly placedBy: PlacedBy;
  /** Reads only the type and the name of the state of `flow_run`. */
  readonly condition: Condition;
  /** Running runs are measured until this time. */
  readonly now: Timestamp;
  /** True to count runs without a state too. */
  readonly withStateless?: boolean;
  /** True to leave the microseconds at 0, so that indexes answer without the rows. */
  readonly countsOnly?: boolean;
}

/** A time span in microseconds, covered by sums of a length or, with a length of 0, read run by run. */
interface Stretch {
  readonly begins: number;
  readonly ends: number;
  readonly spanSeconds: number;
  /** -1 to subtract the excess of a longer sum. */
  readonly sign: 1 | -1;
}

/**
 * A select of `position` (of the interval), `state_type`, `state_name`, `count_runs`, `run_microseconds` and
 * `lateness_microseconds`; the numbers are integers. Rows of one position and state add up to its runs, possibly to 0.
 */
export function summedRuns(
  { dialect, workspace }: Db,
  { intervals, from, until }: SummedSpan,
  { placedBy, condition, now, withStateless = false, countsOnly = false }: SummedRuns,
): Expression {
  const [earliest, latest] = [microsecondsOf(from), microsecondsOf(until)];
  const first = microsecondsOf(intervals.starts[0]!);
  const stretches = intervals.starts.map((_, position) => {
    const start = first + position * intervals.lengthMicroseconds;
    const [begins, ends] = [Math.max(start, earliest), Math.min(start + intervals.lengthMicroseconds, latest)];
    return begins < ends ? cover(begins, ends) : [];
  });
  const [type, time] = [sql`flow_run.state_type`, placing[placedBy]];
  const micros = (seconds: Expression) => (countsOnly ? sql`0` : microseconds(seconds));
  const ended = [0, ...SUMMED_SPANS_SECONDS].flatMap((spanSeconds) => {
    const parts = stretches.flatMap((ofPosition, position) =>
      ofPosition
        .filter((stretch) => stretch.spanSeconds === spanSeconds)
        .map(({ sign, begins, ends }) => ({
          position,
          sign,
          begins: timestampFromMicroseconds(begins),
          ends: timestampFromMicroseconds(ends),
        })),
    );
    if (parts.length === 0) return [];
    const part = sql`(select * from ${dialect.rowsFrom(JSON.stringify(parts), {
      position: 'integer',
      sign: 'integer',
      begins: 'timestamp',
      ends: 'timestamp',
    })} item limit 10000) part`;
    return spanSeconds > 0
      ? // The sums use the alias of the runs, so that a condition on the states of runs also applies to sums.
        sql`select part.position, ${type}, flow_run.state_name, part.sign * flow_run.count as count_runs,
          part.sign * flow_run.run_microseconds as run_microseconds,
          part.sign * flow_run.lateness_microseconds as lateness_microseconds
        from ${part} ${dialect.joinInOrder} flow_run_sum flow_run on flow_run."workspace" = ${workspace}
          and flow_run.placed_by = ${sql.lit(placedBy)} and flow_run.span_seconds = ${sql.lit(spanSeconds)}
          and flow_run.begins >= part.begins and flow_run.begins < part.ends
        where ${condition}`
      : // This form prevents the use of an index on states, which many runs may have.
        sql`select part.position, ${type}, flow_run.state_name, part.sign as count_runs,
          part.sign * ${micros(sql`flow_run.total_run_time`)} as run_microseconds,
          part.sign * ${micros(latenessOfEnded('flow_run', dialect))} as lateness_microseconds
        from ${part} ${dialect.joinInOrder} flow_run on flow_run."workspace" = ${workspace}
          and ${time} >= part.begins and ${time} < part.ends
        where case when ${type} in (${sql.join(terminalTypes.map(sql.lit))}) and ${condition} then true end`;
  });
  // Few runs are open, so they are found by their states instead of their starts.
  const openTime = placedBy === 'start' ? dialect.unindexed(time) : time;
  const open = [
    sql`${type} in (${sql.join(openTypes.map(sql.lit))})`,
    ...(withStateless ? [sql`${type} is null`] : []),
  ].map(
    (hasType) => sql`select ${dialect.intervalOf(time, intervals)} as position, ${type}, flow_run.state_name,
        1 as count_runs, ${micros(runTimeOf('flow_run', now, dialect))} as run_microseconds,
        ${micros(latenessOf('flow_run', now, dialect))} as lateness_microseconds
      from flow_run where flow_run."workspace" = ${workspace} and ${hasType}
        and ${openTime} >= ${from} and ${openTime} < ${until} and ${condition}`,
  );
  return sql.join([...ended, ...open], sql` union all `);
}

/** Rounds like the triggers that maintain the sums, so that a subtraction removes exactly what was added. */
function microseconds(seconds: Expression): Expression {
  return sql`cast(round(${seconds} * ${sql.lit(MICROSECONDS_PER_SECOND)}) as bigint)`;
}

/** The sum in seconds of a column of microseconds of `summedRuns`. */
export function secondsIn(column: string): RawBuilder<number> {
  return sql`cast(sum(${sql.ref(column)}) as double precision) / ${sql.lit(MICROSECONDS_PER_SECOND)}`;
}

/** The stretches that add up to the time from `begins` to `ends` and read the least. */
function cover(
  begins: number,
  ends: number,
  sign: 1 | -1 = 1,
  spansSeconds: readonly number[] = SUMMED_SPANS_SECONDS,
): Stretch[] {
  if (begins === ends) return [];
  if (begins > ends) return cover(ends, begins, sign === 1 ? -1 : 1, spansSeconds);
  const spanSeconds = spansSeconds.at(-1);
  if (spanSeconds === undefined) return [{ begins, ends, spanSeconds: 0, sign }];
  const shorter = spansSeconds.slice(0, -1);
  const without = cover(begins, ends, sign, shorter);
  const [first, last] = [nearest(begins, spanSeconds), nearest(ends, spanSeconds)];
  if (first === last) return without;
  const summed = [
    ...cover(begins, first, sign, shorter),
    { begins: first, ends: last, spanSeconds, sign },
    ...cover(last, ends, sign, shorter),
  ];
  return costOf(summed) < costOf(without) ? summed : without;
}

/** The nearest boundary of a span, but never a boundary after the year 9999. */
function nearest(time: number, spanSeconds: number): number {
  const length = spanSeconds * MICROSECONDS_PER_SECOND;
  const round = time > LAST_MICROSECOND - length ? Math.floor : Math.round;
  return round(time / length) * length;
}

/** The number of sums to read. Single runs count as the equivalent number of sums. */
function costOf(stretches: readonly Stretch[]): number {
  return stretches.reduce(
    (cost, { begins, ends, spanSeconds }) => cost + (ends - begins) / (spanSeconds || SECONDS_LIKE_A_SUM),
    0,
  );
}
