/**
 * Reads a time as the reference does: ISO 8601 dates and times, extended or basic, with any offset, or seconds or
 * milliseconds since 1970 as a number or as its text. A time without offset is UTC; digits beyond microseconds are cut
 * off. Unlike the reference, it refuses a time of day without a date and the word `now`. Source: the Prefect server
 * 3.9.1; parse-datetime.test.ts lists the values.
 */
import { addSeconds, type Timestamp, wireTimestamp } from '../values/time.ts';

const PLAIN =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{6})?(?:Z|\+00:00)$/;
const OFFSET = '(?:Z|(?<sign>[-+])(?<offsetHours>[01]\\d|2[0-3])(?::?(?<offsetMinutes>[0-5]\\d))?)?';
const HOUR = '(?<hour>[01]\\d|2[0-3])';
const MINUTE = '(?<minute>[0-5]\\d)';
const SECOND = '(?<second>[0-5]\\d)(?:[.,](?<fraction>\\d+))?';
const EXTENDED_TIME = `(?:[T ]${HOUR}(?::${MINUTE}(?::${SECOND})?)?${OFFSET})`;
const BASIC_TIME = `(?:[T ]${HOUR}(?:${MINUTE}${SECOND}|:?${MINUTE})?${OFFSET})`;
const FORMS: readonly RegExp[] = [
  // RFC 3339 with its optional forms: any letter case, `_` for `T`, no seconds.
  `(?<year>\\d{4})-(?<month>\\d\\d)-(?<day>\\d\\d)[Tt _]${HOUR}:${MINUTE}(?::${SECOND})?${OFFSET.replace('Z', '[zZ]').replace('[-+]', '[-+\u2212]')}`,
  `(?<year>\\d{4})-(?<month>\\d\\d)(?:-(?<day>\\d\\d))?${EXTENDED_TIME}?`,
  `(?<year>\\d{4})-(?<dayOfYear>\\d{3})${EXTENDED_TIME}?`,
  `(?<year>\\d{4})-W(?<week>\\d\\d)(?:-(?<weekday>[0-7]))?${EXTENDED_TIME}?`,
  `(?<year>\\d{4})(?<month>\\d\\d)(?<day>\\d\\d)${BASIC_TIME}`,
  `(?<year>\\d{4})(?<dayOfYear>\\d{3})${BASIC_TIME}`,
  `(?<year>\\d{4})W(?<week>\\d\\d)(?<weekday>[0-7])?${BASIC_TIME}?`,
  `(?<year>\\d{4})/(?<month>\\d\\d)/(?<day>\\d\\d)(?: ${HOUR}:${MINUTE}(?::${SECOND})?)?`,
].map((form) => new RegExp(`^${form}$`));
const UNIX_TIME = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)$/;

const MILLISECONDS_PER_DAY = 86_400_000;
/** A larger number is in milliseconds. As seconds it would be a day in the year 2603. */
const SECONDS_WATERSHED = 20_000_000_000;
const FIRST_SECOND = -62_135_596_800;
const SECONDS_END = 253_402_300_800;

/** Undefined when the text is not a time in the years 0001 to 9999. */
export function parseDateTime(text: string): Timestamp | undefined {
  if (PLAIN.test(text)) {
    return (
      text.length >= 26 && text.charAt(19) === '.' ? `${text.slice(0, 26)}Z` : `${text.slice(0, 19)}.000000Z`
    ) as Timestamp;
  }
  if (UNIX_TIME.test(text)) return dateTimeFromNumber(Number(text));
  for (const form of FORMS) {
    const groups = form.exec(text)?.groups;
    if (groups) return fromParts(groups);
  }
  return undefined;
}

/** Minutes east of UTC of a text that `parseDateTime` reads; 0 if it has no offset. */
export function offsetMinutesIn(text: string): number {
  if (PLAIN.test(text) || UNIX_TIME.test(text)) return 0;
  for (const form of FORMS) {
    const groups = form.exec(text)?.groups;
    if (groups) return offsetMinutes(groups);
  }
  return 0;
}

/** The time in wire form, as local time with its offset; `Z` for UTC. */
export function atOffset(moment: Timestamp, minutesEast: number): string {
  if (minutesEast === 0) return wireTimestamp(moment);
  const local = wireTimestamp(addSeconds(moment, minutesEast * 60)).slice(0, -1);
  const away = Math.abs(minutesEast);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${local}${minutesEast < 0 ? '-' : '+'}${two(Math.floor(away / 60))}:${two(away % 60)}`;
}

/** `value` counts seconds since 1970, or milliseconds when it is too big for seconds. */
export function dateTimeFromNumber(value: number): Timestamp | undefined {
  const inMilliseconds = Math.abs(value) > SECONDS_WATERSHED;
  const whole = Math.floor(value);
  const microseconds = Math.round((value - whole) * (inMilliseconds ? 1000 : 1_000_000));
  return at((inMilliseconds ? whole : whole * 1000) + Math.floor(microseconds / 1000), microseconds % 1000);
}

/** Works on text, because a number cannot hold microseconds of the year 9999. */
function at(milliseconds: number, microseconds: number): Timestamp | undefined {
  if (!(milliseconds >= FIRST_SECOND * 1000 && milliseconds < SECONDS_END * 1000)) return undefined;
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${String(microseconds).padStart(3, '0')}Z` as Timestamp;
}

function fromParts(parts: Readonly<Record<string, string | undefined>>): Timestamp | undefined {
  const midnight = dayOf(parts);
  if (midnight === undefined) return undefined;
  const number = (name: string) => Number(parts[name] ?? 0);
  const seconds = (number('hour') * 60 + number('minute') - offsetMinutes(parts)) * 60 + number('second');
  const fraction = Number((parts['fraction'] ?? '').slice(0, 6).padEnd(6, '0'));
  return at(midnight + seconds * 1000 + Math.floor(fraction / 1000), fraction % 1000);
}

function offsetMinutes(parts: Readonly<Record<string, string | undefined>>): number {
  const minutes = Number(parts['offsetHours'] ?? 0) * 60 + Number(parts['offsetMinutes'] ?? 0);
  return parts['sign'] === '+' ? minutes : -minutes;
}

/** Milliseconds since 1970 at the start of the day; undefined when the day does not exist. */
function dayOf(parts: Readonly<Record<string, string | undefined>>): number | undefined {
  const year = Number(parts['year']);
  if (year === 0) return undefined;
  if (parts['week'] !== undefined) return dayOfWeek(year, Number(parts['week']), Number(parts['weekday'] ?? 1));
  if (parts['dayOfYear'] !== undefined) {
    const date = midnight(year, 1, Number(parts['dayOfYear']));
    return date.getUTCFullYear() === year && Number(parts['dayOfYear']) > 0 ? date.getTime() : undefined;
  }
  const month = Number(parts['month']);
  const day = Number(parts['day'] ?? 1);
  const date = midnight(year, month, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : undefined;
}

/** ISO 8601 weeks begin on Monday; the first one holds January 4th. */
function dayOfWeek(year: number, week: number, weekday: number): number | undefined {
  const firstMonday = mondayOfFirstWeek(year);
  const weeks = (mondayOfFirstWeek(year + 1) - firstMonday) / (7 * MILLISECONDS_PER_DAY);
  return week <= weeks ? firstMonday + ((week - 1) * 7 + weekday - 1) * MILLISECONDS_PER_DAY : undefined;
}

function mondayOfFirstWeek(year: number): number {
  const date = midnight(year, 1, 4);
  return date.getTime() - ((date.getUTCDay() + 6) % 7) * MILLISECONDS_PER_DAY;
}

/** Like `Date.UTC`, but keeps years below 100. Months and days out of range carry over. */
function midnight(year: number, month: number, day: number): Date {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date;
}
