/**
 * Reads a duration as the reference does: a number of seconds, `PT1H30M`, `1:30:00` or `1 day, 1:30:00`. A year is 365
 * days, a month 30. Source: the Prefect server 3.9.1; parse-duration.test.ts lists the values.
 */
import { numberOf } from '../values/json.ts';

const SECONDS_OF: Readonly<Record<string, number>> = { Y: 31_536_000, M: 2_592_000, W: 604_800, D: 86_400 };
const SECONDS_OF_TIME: Readonly<Record<string, number>> = { H: 3600, M: 60, S: 1 };
const ISO = /^P((?:\d+(?:[.,]\d*)?[YMWD])*)(?:T((?:\d+(?:[.,]\d*)?[HMS])*))?$/;
const FRACTION_BEFORE_THE_END = /[.,]\d*[A-Z]T?\d/;
const DAYS = /^(\d+) ?d(?:ays?)?,? ?(.*)$/is;
/** Characters of the shortest text with hours. */
const SHORTEST_TIME = 5;
const MOST_DIGITS_OF_HOURS = 10;
const TOO_MANY_HOURS = 'durations may not exceed 999,999,999 hours';
const EXTRA = 'unexpected extra characters at the end of the input';
const MAX_SECONDS = 999_999_999 * 86_400 + 86_399;

type DurationFault = { readonly error: string };

/** The seconds of a duration in any accepted form; undefined for a refused value. */
export function durationSeconds(input: unknown): number | undefined {
  const number = typeof input === 'boolean' ? Number(input) : numberOf(input);
  const seconds = typeof input === 'string' ? parseDuration(input) : durationFromNumber(number ?? Number.NaN);
  return typeof seconds === 'number' ? seconds : undefined;
}

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
  const [, days, time = ''] = DAYS.exec(unsigned) ?? [];
  if (days !== undefined) {
    const rest = time === '' ? 0 : timeOfDay(time);
    return typeof rest === 'number' ? durationFromNumber(sign * (Number(days) * 86_400 + rest)) : rest;
  }
  if (unsigned === '') return { error: 'input is too short' };
  if (unsigned.length >= SHORTEST_TIME && !/d/i.test(unsigned)) {
    const span = hoursAndMinutes(unsigned);
    return typeof span === 'number' ? durationFromNumber(sign * span) : span;
  }
  if (/^\d/.test(unsigned)) return { error: '"day" identifier in duration not correctly formatted' };
  return { error: 'invalid digit in duration' };
}

/** Reads the part after the days. */
function timeOfDay(text: string): number | DurationFault {
  if (text.length < SHORTEST_TIME) return { error: 'input is too short' };
  const span = hoursAndMinutes(text);
  return typeof span === 'number' && span >= 86_400 ? { error: TOO_MANY_HOURS } : span;
}

/** `12:30` or `12:30:00.5`, with any number of hours. */
function hoursAndMinutes(text: string): number | DurationFault {
  const colon = text.indexOf(':');
  if (colon > MOST_DIGITS_OF_HOURS) return { error: TOO_MANY_HOURS };
  if (!/^\d*:/.test(text)) return { error: 'invalid character in hour' };
  const [, minutes = '', separator = '', seconds = '', point = '', fraction = '', rest = ''] =
    /^(\d\d)?(:?)(\d\d)?([.,]?)(\d*)(.*)$/s.exec(text.slice(colon + 1)) ?? [];
  if (text.length < colon + 3) return { error: 'input is too short' };
  if (minutes === '') return { error: 'invalid character in minute' };
  if (Number(minutes) > 59) return { error: 'minute value is outside expected range of 0-59' };
  if (separator === '' && `${seconds}${point}${fraction}${rest}` !== '') return { error: EXTRA };
  if (separator === ':' && seconds === '') return { error: 'invalid character in second' };
  if (Number(seconds) > 59) return { error: 'second value is outside expected range of 0-59' };
  if (point !== '' && fraction === '') return { error: 'second fraction digits missing after `.`' };
  if (rest !== '' || (point === '' && fraction !== '')) return { error: EXTRA };
  return Number(text.slice(0, colon)) * 3600 + Number(minutes) * 60 + decimal(`${seconds || 0}.${fraction}`);
}

/** `seconds`, rounded to the microsecond, if the reference can hold the duration. */
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

/** Cuts off digits beyond microseconds. */
function decimal(text: string): number {
  return Number(text.replace(',', '.').replace(/(\.\d{6})\d+$/, '$1'));
}
