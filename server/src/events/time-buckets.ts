/** Time spans of equal width in which events are counted. */
import { Unprocessable } from '../errors.ts';
import { addMicroseconds, microsecondsOf, type Timestamp, timestampFromMicroseconds } from '../values/time.ts';
import type { EventCount, TimeUnit } from './schema.ts';

const MICROSECONDS_PER_SECOND = 1_000_000;
const secondsOf: Readonly<Record<TimeUnit, number>> = { week: 604_800, day: 86_400, hour: 3600, minute: 60, second: 1 };
/** A Monday. Every bucket begins a whole number of widths from it. Source: like `timeBuckets`. */
const PIVOT = microsecondsOf('2024-04-01T00:00:00.000000Z' as Timestamp);
const FIRST = microsecondsOf('0001-01-01T00:00:00.000000Z' as Timestamp);
const LAST = microsecondsOf('9999-12-31T00:00:00.000000Z' as Timestamp);
const MAX_BUCKETS = 1000;

export interface TimeBuckets {
  readonly starts: readonly Timestamp[];
  readonly lengthMicroseconds: number;
  /** Events at or after this time are in no bucket. */
  readonly end: Timestamp;
  /**
   * True if the last bucket begins at the end of the requested time; it is shown only when an event has exactly that
   * time.
   */
  readonly lastIsEdge: boolean;
}

export interface AskedTime {
  /** Both ends are inclusive. */
  readonly since: Timestamp;
  readonly until: Timestamp;
  readonly unit: TimeUnit;
  /** Units in a bucket. */
  readonly interval: number;
  readonly now: Timestamp;
}

/**
 * The buckets from `since` to `until`, which is cut at the end of the unit that contains `now`. Throws Unprocessable
 * when the requested time, uncut, is longer than 1000 buckets, or when one bucket is longer than all time. There may be
 * 1001: a range that begins within a bucket touches one more. Source: `POST /events/count-by/{countable}` of the
 * Prefect server 3.9.1, with which server/test/reference/resources/events.ts compares.
 */
export function timeBuckets({ since, until, unit, interval, now }: AskedTime): TimeBuckets {
  const unitLength = secondsOf[unit] * MICROSECONDS_PER_SECOND;
  const length = Math.round(unitLength * interval);
  const first = startOf(microsecondsOf(since), length);
  const endOfUnit = startOf(microsecondsOf(now), unitLength) + unitLength;
  const last = microsecondsOf(until);
  const asked = Math.ceil((last - microsecondsOf(since)) / length);
  if (asked > MAX_BUCKETS) {
    throw new Unprocessable(
      `The given interval would create ${asked} buckets, which is too many. Please increase the interval or reduce the time range to produce ${MAX_BUCKETS} buckets or fewer.`,
    );
  }
  const isCut = last >= endOfUnit;
  const end = isCut ? endOfUnit : last + 1;
  const count = Math.max(0, Math.ceil((end - first) / length));
  if (!(first >= FIRST && first + count * length <= LAST)) throw new Unprocessable('The given interval is too long.');
  const lastIsEdge = !isCut && count > 0 && first + (count - 1) * length === last;
  return {
    starts: Array.from({ length: count }, (_, index) => timestampFromMicroseconds(first + index * length)),
    lengthMicroseconds: length,
    end: timestampFromMicroseconds(end),
    lastIsEdge,
  };
}

function startOf(time: number, length: number): number {
  return PIVOT + Math.floor((time - PIVOT) / length) * length;
}

/** All buckets with their counts, including empty ones. */
export function filledBuckets(buckets: TimeBuckets, counts: ReadonlyMap<number, number>): EventCount[] {
  const { starts, lengthMicroseconds, lastIsEdge } = buckets;
  const filled = starts.map((start, index) => ({
    value: String(index),
    label: labelOf(start),
    count: counts.get(index) ?? 0,
    start_time: start,
    end_time: addMicroseconds(start, lengthMicroseconds - 1),
  }));
  if (lastIsEdge && filled.at(-1)?.count === 0) filled.pop();
  return filled;
}

/** The start in Python's form: `2026-11-10T00:00:00+00:00`. */
function labelOf(start: Timestamp): string {
  const fraction = start.slice(19, 26);
  return `${start.slice(0, 19)}${fraction === '.000000' ? '' : fraction}+00:00`;
}
