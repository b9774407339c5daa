/** Random schedules and moments for the comparison with the reference: the same seed gives the same. */
import { addSeconds, type Timestamp, timestampFromMicroseconds } from '../../src/values/time.ts';
import { randomNumbers } from '../support/random.ts';
import type { DateRequest } from './date-request.ts';
import { transitionsOf } from './transition-requests.ts';

const FIRST = Temporal.Instant.from('2024-01-01T00:00:00Z');

/** Endless requests that rotate through the zones, so that every zone is used. */
export function* dateRequests(seed: number, zones: readonly string[]): Generator<DateRequest, never> {
  const random = randomNumbers(seed);
  const below = (end: number) => Math.floor(random() * end);
  const chance = (share: number) => random() < share;
  const pick = <T>(values: readonly T[]): T => {
    const value = values[below(values.length)];
    if (value === undefined) throw new Error('The list of choices is empty.');
    return value;
  };
  const transitions = new Map<string, Temporal.Instant[]>();

  function momentIn(zone: string): Timestamp {
    const known = transitions.get(zone) ?? transitionsOf(zone);
    transitions.set(zone, known);
    // Mostly shortly before or after a clock change.
    const near = known.length > 0 && chance(0.8);
    const seconds = near
      ? pick(known).epochMilliseconds / 1000 + below(4 * 86_400) - 3 * 86_400
      : FIRST.epochMilliseconds / 1000 + below(7 * 365 * 86_400);
    const rounded = chance(0.5) ? Math.floor(seconds / 1800) * 1800 : Math.floor(seconds);
    const moment = timestampFromMicroseconds(rounded * 1_000_000);
    return chance(0.2) ? addSeconds(moment, random()) : moment;
  }

  function cronField(first: number, last: number): string {
    const value = () => first + below(last - first + 1);
    const part = () => {
      switch (below(7)) {
        case 0:
          return `*/${1 + below(last)}`;
        case 1: {
          const [low, high] = [value(), value()];
          return chance(0.5) ? `${low}-${high}` : `${low}-${high}/${1 + below(5)}`;
        }
        case 2:
          return `${value()},${value()}`;
        case 3:
          return `${value()}/${1 + below(last)}`;
        default:
          return String(value());
      }
    };
    return chance(0.4) ? '*' : part();
  }

  function cron(): string {
    const minute = chance(0.5) ? pick(['0', '30', '*/15', '*/10', '*', '5,35']) : cronField(0, 59);
    const hour = chance(0.5) ? pick(['*', '0', '1', '2', '3', '1-3', '*/2', '0-23/3']) : cronField(0, 23);
    const day = chance(0.6) ? '*' : pick([cronField(1, 31), 'l', '31', '*/2', '1-31', '?', 'l,15']);
    const month = chance(0.8) ? '*' : pick([cronField(1, 12), 'jan-jun', '2', '*/2']);
    const weekday = chance(0.6)
      ? '*'
      : pick([
          cronField(0, 6),
          'mon-fri',
          'sun',
          '7',
          'fri-mon',
          'mon#1',
          '5#2',
          'l5',
          '5#5',
          'sat#1,sun#2',
          '0-6',
          '?',
          '1-7',
        ]);
    // A numbered weekday beside a day of the month: a known difference, see the README.
    const dayBeside = /[#l]/.test(weekday) ? '*' : day;
    const fields = [minute, hour, dayBeside, month, weekday];
    if (chance(0.1)) fields.push(pick(['0', '30', '*/20', '15,45']));
    if (fields.length === 6 && chance(0.2)) fields.push(pick(['*', '2025-2028', '2026']));
    return chance(0.03) ? pick(['@hourly', '@daily', '@weekly', '@monthly', '@yearly', '@midnight']) : fields.join(' ');
  }

  function rule(): string {
    const frequency = pick([
      'YEARLY',
      'MONTHLY',
      'WEEKLY',
      'WEEKLY',
      'DAILY',
      'DAILY',
      'HOURLY',
      'HOURLY',
      'MINUTELY',
      'SECONDLY',
    ]);
    const parts = [`FREQ=${frequency}`];
    const subDaily = ['HOURLY', 'MINUTELY', 'SECONDLY'].includes(frequency);
    const list = (values: () => number, most = 3) => Array.from({ length: 1 + below(most) }, values).join();
    const signed = (most: number) => (chance(0.3) ? -1 : 1) * (1 + below(most));
    if (chance(0.5))
      parts.push(`INTERVAL=${1 + below(frequency === 'SECONDLY' ? 4000 : frequency === 'MINUTELY' ? 90 : 5)}`);
    else if (frequency === 'SECONDLY') parts.push('INTERVAL=1800');
    if (chance(0.2)) parts.push(`BYMONTH=${list(() => 1 + below(12))}`);
    if (chance(0.2)) parts.push(`BYMONTHDAY=${list(() => signed(31))}`);
    if (chance(0.1)) parts.push(`BYYEARDAY=${list(() => signed(366), 6)}`);
    if (chance(0.08)) parts.push(`BYWEEKNO=${list(() => signed(53))}`);
    if (chance(0.03)) parts.push(`BYEASTER=${list(() => below(60) - 20)}`);
    if (chance(0.3)) {
      const days = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
      const numbered = chance(0.3);
      parts.push(
        `BYDAY=${Array.from({ length: 1 + below(3) }, () => (numbered || chance(0.05) ? signed(5) : '') + pick(days)).join()}`,
      );
    }
    if (chance(subDaily ? 0.2 : 0.3)) parts.push(`BYHOUR=${list(() => below(24), subDaily ? 8 : 3)}`);
    if (chance(0.15)) parts.push(`BYMINUTE=${list(() => below(60), 8)}`);
    if (chance(0.05)) parts.push(`BYSECOND=${list(() => below(60), 8)}`);
    if (chance(0.15)) parts.push(`BYSETPOS=${list(() => signed(4))}`);
    if (chance(0.1)) parts.push(`WKST=${pick(['SU', 'TH', 'SA'])}`);
    if (chance(0.1)) parts.push(`COUNT=${1 + below(3000)}`);
    else if (below(10) === 0) parts.push(`UNTIL=${2025 + below(6)}0${1 + below(9)}15T120000`);
    return parts.join(';');
  }

  function recurrence(): string {
    const hour = String(below(24)).padStart(2, '0');
    const [minute, second] = chance(0.7) ? ['30', '00'] : [String(10 + below(50)), String(10 + below(50))];
    const year = pick([2020, 2023, 2024]);
    const date = `${year}0${1 + below(9)}${10 + below(19)}T${hour}${minute}${second}`;
    if (chance(0.8)) return `DTSTART:${date}\nRRULE:${rule()}`;
    const lines = [`DTSTART:${date}`, `RRULE:${rule()}`];
    if (chance(0.4)) lines.push(`RRULE:${rule()}`);
    if (chance(0.4)) lines.push(`RDATE:${2025 + below(4)}0${1 + below(9)}11T${hour}${minute}00`);
    if (chance(0.4)) lines.push(`EXDATE:${2024 + below(6)}0${1 + below(9)}${10 + below(19)}T${hour}${minute}${second}`);
    if (chance(0.3)) lines.push(`EXRULE:${rule()}`);
    return lines.join('\n');
  }

  function schedule(zone: string, start: Timestamp): Record<string, unknown> {
    switch (below(3)) {
      case 0:
        return { cron: cron(), timezone: zone, day_or: chance(0.7) };
      case 1: {
        const interval = pick([
          60,
          900,
          3600,
          5400,
          43_200,
          84_600,
          86_400,
          90_000,
          129_600,
          172_800,
          604_800,
          2_592_000,
          0.5,
          1 + below(200_000),
        ]);
        // At most a few years away, in either direction.
        const anchor_date = addSeconds(start, (random() - 0.8) * 2 * 365 * 86_400);
        return {
          interval,
          anchor_date: chance(0.7) ? `${anchor_date.slice(0, 14)}30:00Z` : anchor_date,
          timezone: zone,
        };
      }
      default:
        return { rrule: recurrence(), timezone: zone };
    }
  }

  for (let index = 0; ; index += 1) {
    const zone = zones[index % zones.length] ?? 'UTC';
    const start = momentIn(zone);
    const end = addSeconds(start, pick([86_400, 7 * 86_400, 100 * 86_400, 400 * 86_400]));
    yield { schedule: schedule(zone, start), start, end, count: pick([3, 20, 20, 60]) };
  }
}
