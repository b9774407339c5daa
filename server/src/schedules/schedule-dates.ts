/** The dates of a stored schedule of any kind. */
import { type JsonText, numberOf, parseObject } from '../values/json.ts';
import { addSeconds, type Timestamp, timestampFromMicroseconds } from '../values/time.ts';
import { clockOf, clockSeconds, LAST_INSTANT } from './civil-days.ts';
import { parseCron } from './cron.ts';
import { cronClocks } from './cron-clocks.ts';
import { intervalDates } from './interval-dates.ts';
import { parseRecurrence } from './recurrence.ts';
import { recurrenceClocks } from './recurrence-clocks.ts';
import type { WorkBudget } from './work-budget.ts';

/** A schedule as it is kept; `interval` counts seconds, and `timezone` names a zone of the IANA database. */
type Schedule = { readonly timezone: string | null } & (
  | { readonly interval: number; readonly anchor_date: string | null }
  | { readonly cron: string; readonly day_or: boolean }
  | { readonly rrule: string }
);

/** The most dates computed of a schedule at once, duplicates included. Source: the Prefect server 3.9.1. */
const MAX_DATES = 1002;

/** Seconds of wall clock searched before the start: a change of the time may put an earlier clock at a later moment. */
const MARGIN_SECONDS = 3 * 3600;

/**
 * Ascending dates of the schedule from `start` to `end`, both inclusive, each in the schedule's zone and without
 * duplicates. Throws ScheduleTooCostly when `work` is spent before the end.
 */
export function* scheduleDates(
  stored: JsonText,
  start: Timestamp,
  end: Timestamp,
  work: WorkBudget,
): Generator<Temporal.ZonedDateTime, void> {
  const endInstant = Temporal.Instant.from(end);
  const seen = new Set<bigint>();
  let count = 0;
  for (const date of datesFrom(parseObject(stored) as unknown as Schedule, start, end, work)) {
    if (Temporal.Instant.compare(date.toInstant(), endInstant) > 0) return;
    work.spendOnDate();
    if (!seen.has(date.epochNanoseconds)) yield date;
    seen.add(date.epochNanoseconds);
    count += 1;
    if (count === MAX_DATES) return;
  }
}

function datesFrom(
  schedule: Schedule,
  start: Timestamp,
  end: Timestamp,
  work: WorkBudget,
): Generator<Temporal.ZonedDateTime, void> {
  const zone = schedule.timezone || 'UTC';
  if ('interval' in schedule) {
    const anchor = Temporal.Instant.from(schedule.anchor_date ?? start);
    // A stored `60.0` is parsed as a raw number, which keeps its kind.
    return intervalDates({ interval: numberOf(schedule.interval) ?? 0, anchor, zone }, start, work);
  }
  return 'cron' in schedule
    ? cronDates(schedule, zone, start, end, work)
    : ruleDates(schedule.rrule, zone, start, end, work);
}

/**
 * A clock time that a clock change skips is moved forward; one that comes twice means the first. So a start within the
 * hour after a change still has the dates that were moved into it, and a start within the second turn of a repeated
 * hour has none there. Source: the Prefect server 3.9.1.
 */
function* cronDates(
  { cron, day_or }: { readonly cron: string; readonly day_or: boolean },
  zone: string,
  start: Timestamp,
  end: Timestamp,
  work: WorkBudget,
): Generator<Temporal.ZonedDateTime, void> {
  const parsed = parseCron(cron);
  if (!parsed) throw new Error(`A stored cron text cannot be read: ${cron}`);
  const startInstant = Temporal.Instant.from(start);
  const to = clockIn(zone, end) + MARGIN_SECONDS;
  const datesOf = (from: number, until: number) =>
    cronClocks(parsed, day_or, from, until, work).map((clock) =>
      clockOf(clock).toZonedDateTime(zone, { disambiguation: 'compatible' }),
    );
  // The first whole second at or after the start.
  let from = clockIn(zone, addSeconds(start, 0.999999));
  let moved: Temporal.ZonedDateTime[] = [];
  const change = startInstant.toZonedDateTimeISO(zone).add({ seconds: 1 }).getTimeZoneTransition('previous');
  if (change) {
    const seconds = (change.offsetNanoseconds - change.subtract({ seconds: 1 }).offsetNanoseconds) / 1e9;
    const since = (startInstant.epochMilliseconds - change.epochMilliseconds) / 1000;
    const clockAtChange = clockSeconds(change.toPlainDateTime());
    if (since >= 0 && since < -seconds) from = clockAtChange - seconds;
    else if (since >= 0 && since < seconds) moved = datesOf(from - seconds, clockAtChange - 1).toArray();
  }
  for (const date of inOrder(moved, datesOf(from, to))) {
    if (Temporal.Instant.compare(date.toInstant(), startInstant) >= 0) yield date;
  }
}

/** Merges two ascending series. */
function* inOrder(
  few: readonly Temporal.ZonedDateTime[],
  others: Iterable<Temporal.ZonedDateTime>,
): Generator<Temporal.ZonedDateTime, void> {
  let taken = 0;
  for (const other of others) {
    for (; taken < few.length && Temporal.ZonedDateTime.compare(few[taken]!, other) <= 0; taken++) yield few[taken]!;
    yield other;
  }
  yield* few.slice(taken);
}

/** A clock time that a clock change skips is moved back; one that comes twice means the first. */
function* ruleDates(
  rrule: string,
  zone: string,
  start: Timestamp,
  end: Timestamp,
  work: WorkBudget,
): Generator<Temporal.ZonedDateTime, void> {
  const startInstant = Temporal.Instant.from(start);
  const [from, to] = [clockIn(zone, start) - MARGIN_SECONDS, clockIn(zone, end) + MARGIN_SECONDS];
  for (const clock of recurrenceClocks(parseRecurrence(rrule), from, to, work)) {
    if (clock < from) continue;
    const date = clockOf(clock).toZonedDateTime(zone, { disambiguation: 'earlier' });
    if (Temporal.Instant.compare(date.toInstant(), startInstant) >= 0) yield date;
  }
}

function clockIn(zone: string, time: Timestamp): number {
  return clockSeconds(Temporal.Instant.from(time).toZonedDateTimeISO(zone).toPlainDateTime());
}

/** The timestamp of a date. */
export function momentOf(date: Temporal.ZonedDateTime): Timestamp {
  return timestampFromMicroseconds(Number(date.epochNanoseconds / 1000n));
}

/** The latest timestamp that a date may have. */
export const lastMoment = timestampFromMicroseconds(LAST_INSTANT * 1000);

/** A date as the reference writes it into keys: `2026-11-21 09:00:00-05:00`, with six digits of a fraction if it has one. */
export function pythonText(date: Temporal.ZonedDateTime): string {
  const digits = date.microsecond + date.millisecond > 0 ? 6 : 0;
  return date
    .toString({ fractionalSecondDigits: digits, timeZoneName: 'never', calendarName: 'never' })
    .replace('T', ' ');
}
