/** Every clock change of a zone, as requests for schedules around it. */
import { clockOf, clockSeconds, weekdayOf } from '../../src/schedules/civil-days.ts';
import { addSeconds, type Timestamp, timestampFromMicroseconds } from '../../src/values/time.ts';
import type { DateRequest } from './date-request.ts';

const FIRST = Temporal.Instant.from('2024-01-01T00:00:00Z');
const LAST = Temporal.Instant.from('2031-01-01T00:00:00Z');
const DAY = 86_400;

/** The moments from 2024 to 2030 at which a zone changes its offset. */
export function transitionsOf(zone: string): Temporal.Instant[] {
  const found: Temporal.Instant[] = [];
  let at = FIRST.toZonedDateTimeISO(zone).getTimeZoneTransition('next');
  while (at && Temporal.Instant.compare(at.toInstant(), LAST) < 0) {
    found.push(at.toInstant());
    at = at.getTimeZoneTransition('next');
  }
  return found;
}

/** Schedules of the three kinds around each clock change of the zone, or around a date without one. */
export function* requestsAroundTransitions(zone: string): Generator<DateRequest, void> {
  const changes = transitionsOf(zone);
  for (const change of changes.length > 0 ? changes : [NO_CHANGE]) {
    const at = timestampFromMicroseconds(change.epochMilliseconds * 1000);
    for (const { clock, beginnings } of clocksThatMeet(zone, change)) {
      for (const schedule of schedulesThatMeet(zone, clock)) {
        for (const from of beginnings)
          yield { schedule, start: addSeconds(at, from), end: addSeconds(at, DAY), count: 300 };
      }
    }
  }
}

const NO_CHANGE = Temporal.Instant.from('2027-03-28T01:00:00Z');

/**
 * Wall clock times that a clock change affects, each with the seconds from the change from which dates are wanted: in
 * the middle of the skipped or repeated time, asked from a day before, from just before and from within; and the last
 * minute before.
 */
function clocksThatMeet(zone: string, change: Temporal.Instant): { clock: number; beginnings: number[] }[] {
  const clockAt = (instant: Temporal.Instant) => clockSeconds(instant.toZonedDateTimeISO(zone).toPlainDateTime());
  const [before, after] = [clockAt(change.subtract({ seconds: 1 })) + 1, clockAt(change)];
  return [
    { clock: Math.floor((before + after) / 2), beginnings: [-DAY, -1500.25, 1800] },
    { clock: Math.min(before, after) - 60, beginnings: [-DAY] },
  ];
}

function* schedulesThatMeet(zone: string, clock: number): Generator<Record<string, unknown>, void> {
  yield* intervalsThatMeet(zone, clock);
  yield* cronsThatMeet(zone, clock);
  yield* rulesThatMeet(zone, clock);
}

function* intervalsThatMeet(zone: string, clock: number): Generator<Record<string, unknown>, void> {
  // The anchor has the wall clock time some days before or after, or half a year before or after, at the other offset.
  for (const days of [-182, -3, 5, 182]) {
    const anchor_date = momentOf(zone, clock + days * DAY);
    for (const interval of [3600, DAY, 1.5 * DAY]) yield { interval, anchor_date, timezone: zone };
  }
  for (const interval of [1800, DAY + 3600, 2 * DAY])
    yield { interval, anchor_date: momentOf(zone, clock - 3 * DAY), timezone: zone };
}

function* cronsThatMeet(zone: string, clock: number): Generator<Record<string, unknown>, void> {
  const { day, hour, minute } = clockOf(clock);
  // Sunday is 0. The day after is another day, so that "or" and "and" of the day's two fields differ.
  const weekday = (weekdayOf(Math.floor(clock / DAY)) + 1) % 7;
  for (const cron of [`${minute} ${hour} * * *`, '*/15 * * * *', `${minute}/20 */2 * * *`])
    yield { cron, timezone: zone, day_or: true };
  for (const day_or of [true, false]) {
    yield { cron: `${minute} ${hour} ${day} * ${(weekday + 1) % 7}`, timezone: zone, day_or };
    yield { cron: `${minute} ${hour} ${day} * ${weekday}`, timezone: zone, day_or };
  }
}

function* rulesThatMeet(zone: string, clock: number): Generator<Record<string, unknown>, void> {
  const start = ruleTime(clock - 3 * DAY);
  const { hour, minute } = clockOf(clock);
  for (const rule of [
    'FREQ=HOURLY',
    'FREQ=DAILY',
    'FREQ=MINUTELY;INTERVAL=30',
    `FREQ=DAILY;BYHOUR=${hour},${(hour + 1) % 24};BYMINUTE=${minute}`,
    'FREQ=DAILY;COUNT=4',
    `FREQ=HOURLY;UNTIL=${ruleTime(clock)}`,
  ])
    yield { rrule: `DTSTART:${start}\nRRULE:${rule}`, timezone: zone };
}

/** A time that does not exist is moved on; a repeated time is the first one. */
function momentOf(zone: string, clock: number): Timestamp {
  return timestampFromMicroseconds(clockOf(clock).toZonedDateTime(zone).epochMilliseconds * 1000);
}

function ruleTime(clock: number): string {
  return clockOf(clock).toString({ smallestUnit: 'second' }).replaceAll(/[-:]/g, '');
}
