/** The dates of an interval schedule. */
import { microsecondsOf, type Timestamp } from '../time.ts';
import { LAST_INSTANT } from './civil-days.ts';

const MICROSECONDS_PER_DAY = 86_400_000_000;

export interface IntervalSeries {
  /** Seconds. */
  readonly interval: number;
  readonly anchor: Temporal.Instant;
  readonly zone: string;
}

/**
 * Ascending dates from `start` on, in step with the anchor. Whole days are added on the wall clock and the rest in
 * absolute time; the first date is a whole number of intervals of absolute time from the anchor. A series that leaves
 * the calendar ends. Source: the Prefect server 3.8.8 on Python 3.13, as server/test/schedules/compare.ts asks it.
 */
export function* intervalDates(series: IntervalSeries, start: Timestamp): Generator<Temporal.ZonedDateTime, void> {
  const { interval, anchor, zone } = series;
  const microseconds = Math.round(interval * 1_000_000);
  const days = Math.floor(microseconds / MICROSECONDS_PER_DAY);
  const rest = microseconds - days * MICROSECONDS_PER_DAY;
  const startMicroseconds = microsecondsOf(start);
  const anchorMicroseconds = Number(anchor.epochNanoseconds / 1000n);
  const steps = Math.trunc((startMicroseconds - anchorMicroseconds) / microseconds);
  const first = anchorMicroseconds + steps * microseconds;
  if (microseconds < 1 || days > MAX_DAYS || !Number.isSafeInteger(first)) return;
  const startInstant = Temporal.Instant.from(start);
  let next = new Temporal.Instant(BigInt(first) * 1000n).toZonedDateTimeISO(zone);
  while (next.epochMilliseconds <= LAST_INSTANT) {
    if (Temporal.Instant.compare(next.toInstant(), startInstant) >= 0) yield next;
    next = next.add({ days, microseconds: rest });
  }
}

/** Longer intervals lead out of the calendar with one step. */
const MAX_DAYS = 3_652_059;
