/** Times and durations in words and figures. */
import { preferences } from '../preferences/preferences.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function zone(): string | undefined {
  return preferences().zone === 'utc' ? 'UTC' : undefined;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The format in the chosen zone. Making one takes ten times as long as using it, so it is cached. */
function formatOf(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const chosen = { timeZone: zone(), ...options };
  const key = JSON.stringify(chosen);
  let format = formats.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', chosen);
    formats.set(key, format);
  }
  return format;
}

/** Year, month, day, time and zone: `2026-11-22 14:03:07 CET`. */
export function absoluteTime(time: string | number | Date): string {
  const parts = formatOf({
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  }).formatToParts(new Date(time));
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}:${part('second')} ${part('timeZoneName')}`;
}

/** Time of day with seconds: `14:03:07`. */
export function clockTime(time: string | number | Date): string {
  return formatOf({
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).format(new Date(time));
}

/** Time of day with milliseconds, for logs. */
export function preciseClockTime(time: string | number | Date): string {
  const date = new Date(time);
  return `${clockTime(date)}.${String(date.getUTCMilliseconds()).padStart(3, '0')}`;
}

/** Day and time without the year: `22 Nov 14:03`. */
export function shortTime(time: string | number | Date): string {
  return formatOf({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
    .format(new Date(time))
    .replace(',', '');
}

/** Day and time with milliseconds, for records: `22 Nov 14:03:07.123`. */
export function recordTime(time: string | number | Date): string {
  return `${formatOf({ day: '2-digit', month: 'short' }).format(new Date(time))} ${preciseClockTime(time)}`;
}

/** The value of an input for a time, in the chosen zone: `2026-11-22T14:03:07`. */
export function inputTime(time: string | number | Date): string {
  const date = new Date(time);
  const minutes = zone() === 'UTC' ? 0 : date.getTimezoneOffset();
  return new Date(date.getTime() - minutes * MINUTE).toISOString().slice(0, 19);
}

/** The time that such a value means, in RFC 3339; undefined while it is incomplete. */
export function timeOfInput(value: string): string | undefined {
  const time = Date.parse(zone() === 'UTC' ? `${value}Z` : value);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/** Short form for the ticks of an axis over this many milliseconds. */
export function tickTime(time: number, span: number): string {
  const options: Intl.DateTimeFormatOptions =
    span > 3 * DAY
      ? { day: 'numeric', month: 'short' }
      : span > DAY
        ? { weekday: 'short', hour: '2-digit', minute: '2-digit' }
        : span > 5 * MINUTE
          ? { hour: '2-digit', minute: '2-digit' }
          : { hour: '2-digit', minute: '2-digit', second: '2-digit' };
  return formatOf(options).format(time);
}

/** The time until or since then: `12 s ago`, `in 3 h`, `5 d ago`. */
export function relativeTime(time: string | number | Date, now = Date.now()): string {
  const milliseconds = new Date(time).getTime() - now;
  const size = Math.abs(milliseconds);
  if (size < 2 * SECOND) return 'now';
  const [value, unit] =
    size < 90 * SECOND
      ? [Math.round(size / SECOND), 's']
      : size < 90 * MINUTE
        ? [Math.round(size / MINUTE), 'min']
        : size < 36 * HOUR
          ? [Math.round(size / HOUR), 'h']
          : [Math.round(size / DAY), 'd'];
  return milliseconds < 0 ? `${value} ${unit} ago` : `in ${value} ${unit}`;
}

/** A duration in at most two units: `0.31 s`, `1.5 s`, `12 s`, `3 min 20 s`, `2 h 5 min`, `4 d 3 h`. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return '–';
  // The first bounds apply to the rounded number: 59.7 s is a minute.
  if (seconds < 0.995) return `${seconds === 0 ? '0' : seconds.toFixed(2)} s`;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const total = Math.round(seconds);
  if (total < 60) return `${total} s`;
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(total / 86_400), 'd'],
    [Math.floor(total / 3600) % 24, 'h'],
    [Math.floor(total / 60) % 60, 'min'],
    [total % 60, 's'],
  ];
  const first = parts.findIndex(([value]) => value > 0);
  return parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(' ');
}
