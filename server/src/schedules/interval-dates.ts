/** The dates of an interval schedule. */
import { microsecondsOf, type Timestamp } from '../values/time.ts';
import { LAST_INSTANT } from './civil-days.ts';
import type { WorkBudget } from './work-budget.ts';

const MICROSECONDS_PER_DAY = 86_400_000_000;

interface IntervalSeries {
  /** Seconds. */
  readonly interval: number;
  readonly anchor: Temporal.Instant;
  readonly zone: string;
}

/**
 * Ascending dates from `start` on, in step with the anchor. Whole days are added on the wall clock and the rest in
 * absolute time. An interval of whole days goes from date to date, so that a clock which a change of the time moves on
 * stays there; a mixed one goes a number of intervals of absolute time from the anchor first. A series that leaves the
 * calendar ends. Throws ScheduleTooCostly. Source: the Prefect server 3.9.1 on Python 3.13, with which
 * server/test/schedules/compare.ts compares.
 */
export function* intervalDates(
  { interval, anchor, zone }: IntervalSeries,
  start: Timestamp,
  work: WorkBudget,
): Generator<Temporal.ZonedDateTime, void> {
  const microseconds = Math.round(interval * 1_000_000);
  const days = Math.floor(microseconds / MICROSECONDS_PER_DAY);
  const rest = microseconds - days * MICROSECONDS_PER_DAY;
  const first = Temporal.Instant.from(start).toZonedDateTimeISO(zone);
  const anchored = anchor.toZonedDateTimeISO(zone);
  const elapsed = microsecondsOf(start) - Number(anchor.epochNanoseconds / 1000n);
  if (microseconds < 1 || days > MAX_DAYS) return;
  const isWholeDays = rest === 0;
  /** Number of intervals from the anchor; dates of whole days before the anchor are counted back from it. */
  let offset = 0;
  const jump = () => {
    if (isWholeDays) return addDays(anchored, days * offset);
    const nanoseconds = BigInt(offset) * BigInt(microseconds) * 1000n;
    return new Temporal.Instant(anchor.epochNanoseconds + nanoseconds).toZonedDateTimeISO(zone);
  };
  let date: Temporal.ZonedDateTime;
  if (isWholeDays && elapsed >= 0 && zone !== 'UTC') date = walkDays(anchored, first, days, work);
  else {
    offset = Math.trunc(elapsed / microseconds);
    date = jump();
    // A clock change between the anchor and the start can have made the first date too late.
    while (isBefore(first, date)) {
      work.spend();
      offset -= 1;
      date = jump();
    }
  }
  while (date.epochMilliseconds <= LAST_INSTANT) {
    work.spend();
    if (!isBefore(date, first)) yield date;
    if (isWholeDays && elapsed < 0 && offset < 0) {
      offset += 1;
      date = jump();
    } else date = addDays(date, days).add({ microseconds: rest });
  }
}

/**
 * The first date at or after `start` in a series that begins at `from`. Crosses the time between two clock changes in
 * one step, because only a change can move a clock time.
 */
function walkDays(
  from: Temporal.ZonedDateTime,
  start: Temporal.ZonedDateTime,
  days: number,
  work: WorkBudget,
): Temporal.ZonedDateTime {
  let date = from;
  while (isBefore(date, start)) {
    work.spend();
    const change = date.getTimeZoneTransition('next');
    const boundary = change && isBefore(change, start) ? change : start;
    const between = date.toPlainDate().until(boundary.toPlainDate(), { largestUnit: 'days' }).days;
    date = addDays(date, days * Math.max(1, Math.floor(between / days) - 1));
  }
  return date;
}

/** Adds days on the wall clock. If the hour comes twice, takes the turn with the same offset, else the first. */
function addDays(date: Temporal.ZonedDateTime, days: number): Temporal.ZonedDateTime {
  const clock = date.toPlainDateTime().add({ days });
  const found = clock.toZonedDateTime(date.timeZoneId);
  if (found.offsetNanoseconds === date.offsetNanoseconds) return found;
  const later = clock.toZonedDateTime(date.timeZoneId, { disambiguation: 'later' });
  const isTurn = later.offsetNanoseconds === date.offsetNanoseconds && later.toPlainDateTime().equals(clock);
  return isTurn ? later : found;
}

function isBefore(one: Temporal.ZonedDateTime, other: Temporal.ZonedDateTime): boolean {
  return Temporal.ZonedDateTime.compare(one, other) < 0;
}

/** Days of the whole calendar; a longer interval leaves it with one step. */
const MAX_DAYS = 3_652_059;
