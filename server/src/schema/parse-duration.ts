/**
 * Reads a span of time the way the reference does: a number of seconds, `PT1H30M`, `1:30:00` or `1 day, 1:30:00`.
 * A year is 365 days, a month 30. Source: reference behaviour, compared value by value.
 */
const SECONDS_OF: Readonly<Record<string, number>> = { Y: 31_536_000, M: 2_592_000, W: 604_800, D: 86_400 };
const SECONDS_OF_TIME: Readonly<Record<string, number>> = { H: 3600, M: 60, S: 1 };
const ISO = /^P((?:\d+(?:[.,]\d*)?[YMWD])*)(?:T((?:\d+(?:[.,]\d*)?[HMS])*))?$/;
const FRACTION_BEFORE_THE_END = /[.,]\d*[A-Z]T?\d/;
const DAYS = /^(\d+) ?(?:d|days?),? ?(?:([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d(?:[.,]\d+)?))?)?$/i;
const HOURS = /^(?:(\d{2,}):([0-5]\d)|(\d+):([0-5]\d):([0-5]\d(?:[.,]\d+)?))$/;
const MAX_SECONDS = 999_999_999 * 86_400 + 86_399;

export type DurationFault = { readonly error: string };

/** Seconds, to the microsecond. */
export function parseDuration(text: string): number | DurationFault {
  if (text === '') return { error: 'input is too short' };
  const sign = text.startsWith('-') ? -1 : 1;
  const unsigned = /^[-+]/.test(text) ? text.slice(1) : text;
  const iso = ISO.exec(unsigned);
  if (iso) {
    const [, days = '', time = ''] = iso;
    if (days === '' && time === '') return { error: 'input is too short' };
    if (FRACTION_BEFORE_THE_END.test(unsigned)) return { error: 'quantity fraction invalid in duration' };
    return durationFromNumber(sign * (sum(days, SECONDS_OF) + sum(time, SECONDS_OF_TIME)));
  }
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = DAYS.exec(unsigned) ?? [];
  if (DAYS.test(unsigned)) return durationFromNumber(sign * (Number(days) * 86_400 + clock(hours, minutes, seconds)));
  const match = HOURS.exec(unsigned);
  if (match) {
    const [, h, m = '0', longHours = '0', longMinutes = '0', longSeconds = '0'] = match;
    const span = h === undefined ? clock(longHours, longMinutes, longSeconds) : clock(h, m, '0');
    return durationFromNumber(sign * span);
  }
  if (/^\d/.test(unsigned)) return { error: '"day" identifier in duration not correctly formatted' };
  return { error: 'invalid digit in duration' };
}

/** `seconds`, to the microsecond, if it is a span that the reference can hold. */
export function durationFromNumber(seconds: number): number | DurationFault {
  if (Number.isNaN(seconds)) return { error: 'NaN values not permitted' };
  if (Math.abs(seconds) > MAX_SECONDS) return { error: 'durations may not exceed 999,999,999 days' };
  return Math.round(seconds * 1e6) / 1e6 + 0;
}

function sum(parts: string, secondsOf: Readonly<Record<string, number>>): number {
  let seconds = 0;
  for (const [, amount = '', unit = ''] of parts.matchAll(/([\d.,]+)([A-Z])/g)) {
    seconds += decimal(amount) * (secondsOf[unit] ?? 0);
  }
  return seconds;
}

function clock(hours: string, minutes: string, seconds: string): number {
  return Number(hours) * 3600 + Number(minutes) * 60 + decimal(seconds);
}

/** What is finer than a microsecond is cut off. */
function decimal(text: string): number {
  return Number(text.replace(',', '.').replace(/(\.\d{6})\d+$/, '$1'));
}
