/** The intervals of a history. */
import type { EqualIntervals } from '../../../database/dialect/dialect.ts';
import { Unprocessable } from '../../../errors.ts';
import { addMicroseconds, microsecondsOf, type Timestamp, timestampFromMicroseconds } from '../../../values/time.ts';

/** The span that a history covers. Intervals begin at its start; the last one may extend beyond its end. */
export interface HistorySpan {
  readonly start: Timestamp;
  readonly end: Timestamp;
  readonly intervalSeconds: number;
}

/** A longer span is cut after this many intervals. Source: `POST /flow_runs/history` of the Prefect server 3.9.1. */
const MAX_INTERVALS = 500;
const MICROSECONDS_PER_SECOND = 1_000_000;
const LAST_MICROSECOND = microsecondsOf('9999-12-31T23:59:59.999999Z' as Timestamp);

/** Throws Unprocessable for an interval below a second, and for one that ends after the year 9999. */
export function intervalsOf({ start, end, intervalSeconds }: HistorySpan): EqualIntervals {
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
    starts: Array.from({ length: count }, (_, index) => timestampFromMicroseconds(first + index * lengthMicroseconds)),
    lengthMicroseconds,
  };
}

/** The end of the interval at this position. */
export function endOf({ starts, lengthMicroseconds }: EqualIntervals, position: number): Timestamp {
  return addMicroseconds(starts[position]!, lengthMicroseconds);
}
