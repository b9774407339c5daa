/** Schedules in plain words. */
import { toString as cronWords } from 'cronstrue';
import type { components } from '../api/schema.gen.ts';
import { shortened } from '../components/text/shortened.ts';
import { duration } from '../design/time.ts';

/** Longest schedule that is put into words. */
const MOST_CHARACTERS = 500;

export type Schedule = components['schemas']['DeploymentSchedule']['schedule'];

/**
 * The times of a schedule, without its zone: `at 03:00, every day`, `every 10 min`. Returns the text itself if it is
 * too complex.
 */
export function scheduleWords(schedule: Schedule): string {
  if ('interval' in schedule) return `every ${duration(schedule.interval)}`;
  const text = 'cron' in schedule ? schedule.cron : schedule.rrule;
  if (text.length > MOST_CHARACTERS) return shortened(text);
  return 'cron' in schedule ? wordsOfCron(text) : wordsOfRule(text);
}

export function zoneOf(schedule: Schedule): string {
  return schedule.timezone ?? 'UTC';
}

/** A zone in a word or two, where there is no room for its whole name: `Buenos Aires`. */
export function cityOf(zone: string): string {
  return zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ');
}

function wordsOfCron(cron: string): string {
  try {
    const words = cronWords(cron, { use24HourTimeFormat: true, verbose: false });
    return words.charAt(0).toLowerCase() + words.slice(1);
  } catch {
    return cron;
  }
}

const units: ReadonlyMap<string, string> = new Map(
  Object.entries({
    YEARLY: 'year',
    MONTHLY: 'month',
    WEEKLY: 'week',
    DAILY: 'day',
    HOURLY: 'hour',
    MINUTELY: 'minute',
  }),
);
const days: ReadonlyMap<string, string> = new Map(
  Object.entries({
    MO: 'Monday',
    TU: 'Tuesday',
    WE: 'Wednesday',
    TH: 'Thursday',
    FR: 'Friday',
    SA: 'Saturday',
    SU: 'Sunday',
  }),
);
const readable: ReadonlySet<string> = new Set([
  'FREQ',
  'INTERVAL',
  'BYDAY',
  'BYHOUR',
  'BYMINUTE',
  'BYSECOND',
  'COUNT',
  'UNTIL',
]);

/** Words for the usual rules; any other is shown unchanged. */
function wordsOfRule(text: string): string {
  const [rule, ...others] = [...text.matchAll(/(?:^|\n|RRULE:)(FREQ=[^\n]*)/g)].map(([, found]) => found);
  if (rule === undefined || others.length > 0 || /EXRULE|EXDATE|RDATE/.test(text)) return text;
  const parts = new Map(rule.split(';').map((part) => part.split('=', 2) as [string, string]));
  const unit = units.get(parts.get('FREQ') ?? '');
  if (unit === undefined || [...parts.keys()].some((name) => !readable.has(name))) return text;
  const interval = Number(parts.get('INTERVAL') ?? 1);
  const onDays = parts
    .get('BYDAY')
    ?.split(',')
    .map((day) => days.get(day));
  if (onDays?.includes(undefined)) return text;
  const hours = parts.get('BYHOUR')?.split(',');
  // Without an hour, a minute applies to every hour; several minutes are several times in each.
  const [minute = '0', ...minutes] = parts.get('BYMINUTE')?.split(',') ?? [];
  if (minutes.length > 0 || (!hours && Number(minute) !== 0)) return text;
  const count = parts.get('COUNT');
  return [
    interval === 1 ? `every ${unit}` : `every ${interval} ${unit}s`,
    ...(onDays ? [`on ${onDays.join(', ')}`] : []),
    ...(hours ? [`at ${hours.map((hour) => `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`).join(', ')}`] : []),
    ...(count ? [`${count} times`] : []),
    ...(parts.has('UNTIL') ? [`until ${parts.get('UNTIL')?.slice(0, 8)}`] : []),
  ].join(' ');
}
