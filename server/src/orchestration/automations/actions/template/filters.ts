/**
 * The filters of automations' templates in addition to Jinja's own. Source: docs.prefect.io/v3/concepts/automations;
 * the `humanize_` filters write the same text as the Python package `humanize` in English.
 */

import { countArgument, type Filter, type Filters } from '../../../../templates/filter.ts';
import { numeric, TemplateObject, textOf, type Value } from '../../../../templates/values.ts';
import { counted } from '../../../../values/counted.ts';
import { microsecondsOf, type Timestamp } from '../../../../values/time.ts';
import { TemplateResource, TemplateTime } from './objects.ts';

/** The object behind a template value, for links to it. */
export interface Identity {
  /** The kind in the name of its resource: `work-pool`. */
  readonly kind: string;
  readonly id: string;
  /** The path of its page in the dashboard. */
  readonly path: string;
}

const FLOW_RUN = /flow-run\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/i;

/** `uiUrl` is the dashboard's address without a slash at the end. */
export function templateFilters(identities: ReadonlyMap<Value, Identity>, uiUrl: string, now: Timestamp): Filters {
  return new Map<string, Filter>([
    ['ui_url', (value) => linkTo(identities.get(value), uiUrl)],
    ['ui_resource_events_url', (value) => eventsLink(value, identities.get(value), uiUrl)],
    ['flow_run_id', (value) => FLOW_RUN.exec(textOf(value))?.[1]?.toLowerCase() ?? null],
    ...humanizing(now),
  ]);
}

function linkTo(identity: Identity | undefined, uiUrl: string): string | null {
  return identity ? `${uiUrl}/${identity.path}` : null;
}

function eventsLink(value: Value, identity: Identity | undefined, uiUrl: string): string | null {
  const resource =
    value instanceof TemplateResource
      ? value.labels['prefect.resource.id']
      : identity && `prefect.${identity.kind}.${identity.id}`;
  return resource === undefined ? null : `${uiUrl}/events?resource=${encodeURIComponent(resource)}`;
}

function humanizing(now: Timestamp): readonly (readonly [string, Filter])[] {
  const secondsSince = (value: Value) =>
    value instanceof TemplateTime ? (microsecondsOf(now) - microsecondsOf(value.timestamp)) / 1_000_000 : undefined;
  return [
    ['humanize_naturaltime', (value) => naturalTime(secondsSince(value) ?? numberFrom(value)) ?? value],
    [
      'humanize_naturaldelta',
      (value) => naturalDelta(Math.abs(secondsSince(value) ?? numberFrom(value) ?? Number.NaN)) ?? value,
    ],
    [
      'humanize_precisedelta',
      (value) => preciseDelta(Math.abs(secondsSince(value) ?? numberFrom(value) ?? Number.NaN)) ?? value,
    ],
    ['humanize_naturalday', (value) => naturalDay(value, now) ?? value],
    ['humanize_naturaldate', (value) => naturalDay(value, now, true) ?? value],
    ['humanize_intcomma', (value) => textOf(value).replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ',')],
    ['humanize_intword', (value) => intWord(numberFrom(value)) ?? value],
    ['humanize_ordinal', (value) => ordinal(numberFrom(value)) ?? value],
    ['humanize_apnumber', (value) => SMALL_NUMBERS[numberFrom(value) ?? -1] ?? textOf(value)],
    ['humanize_naturalsize', (value, _given, tools) => tools.filter('filesizeformat', value, noArguments)],
    [
      'humanize_scientific',
      (value, given) => scientific(numberFrom(value), countArgument(given, 0, 'precision', 2)) ?? value,
    ],
  ];
}

const noArguments = { positional: [], named: new Map<string, Value>() };
const SMALL_NUMBERS = 'zero one two three four five six seven eight nine'.split(' ');

function numberFrom(value: Value): number | undefined {
  if (value instanceof TemplateObject) return undefined;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : numeric(value);
  return number === undefined || Number.isNaN(Number(number)) ? undefined : Number(number);
}

function naturalTime(seconds: number | undefined): string | undefined {
  if (seconds === undefined) return undefined;
  const delta = naturalDelta(Math.abs(seconds));
  if (delta === 'a moment') return 'now';
  return delta && (seconds >= 0 ? `${delta} ago` : `${delta} from now`);
}

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const YEAR = 365 * DAY;
const MONTH_DAYS = 30.5;

/** Whole units, rounded down, only the largest (with months after one year). */
function naturalDelta(seconds: number): string | undefined {
  if (Number.isNaN(seconds)) return undefined;
  const days = Math.floor(seconds / DAY);
  const years = Math.floor(days / 365);
  const months = Math.floor((days % 365) / MONTH_DAYS);
  if (years > 1) return `${years} years`;
  if (years === 1) {
    if (months === 0) return days % 365 === 0 ? 'a year' : `1 year, ${counted(days % 365, 'day')}`;
    return months === 1 ? '1 year, 1 month' : `1 year, ${months} months`;
  }
  if (months > 0) return months === 1 ? 'a month' : `${months} months`;
  if (days > 0) return days === 1 ? 'a day' : `${days} days`;
  if (seconds >= HOUR) return seconds < 2 * HOUR ? 'an hour' : `${Math.floor(seconds / HOUR)} hours`;
  if (seconds >= MINUTE) return seconds < 2 * MINUTE ? 'a minute' : `${Math.floor(seconds / MINUTE)} minutes`;
  if (seconds < 1) return 'a moment';
  return seconds < 2 ? 'a second' : `${Math.floor(seconds)} seconds`;
}

function preciseDelta(seconds: number): string | undefined {
  if (Number.isNaN(seconds)) return undefined;
  let rest = seconds;
  const parts: string[] = [];
  const units = [
    ['year', YEAR],
    ['day', DAY],
    ['hour', HOUR],
    ['minute', MINUTE],
  ] as const;
  for (const [unit, length] of units) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0) parts.push(counted(count, unit));
  }
  if (rest > 0 || parts.length === 0) {
    const shown = Number.isInteger(rest) ? String(rest) : rest.toFixed(2);
    parts.push(`${shown} second${shown === '1' ? '' : 's'}`);
  }
  const last = parts.pop() ?? '';
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
}

function naturalDay(value: Value, now: Timestamp, withYear = false): string | undefined {
  if (!(value instanceof TemplateTime)) return undefined;
  const [day, today] = [Date.parse(value.timestamp.slice(0, 10)), Date.parse(now.slice(0, 10))];
  const away = Math.round((day - today) / (DAY * 1000));
  const near = { 0: 'today', 1: 'tomorrow', [-1]: 'yesterday' }[away];
  if (near !== undefined) return near;
  const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
  const date = new Date(day);
  const text = `${months[date.getUTCMonth()]} ${value.timestamp.slice(8, 10)}`;
  return withYear && Math.abs(away) >= 5 * MONTH_DAYS ? `${text} ${value.timestamp.slice(0, 4)}` : text;
}

function intWord(value: number | undefined): string | undefined {
  if (value === undefined || Math.abs(value) < 1000) return value === undefined ? undefined : String(value);
  const names = ['thousand', 'million', 'billion', 'trillion', 'quadrillion', 'quintillion'];
  const power = Math.min(names.length, Math.floor(Math.log10(Math.abs(value)) / 3));
  return `${(value / 1000 ** power).toFixed(1)} ${names[power - 1]}`;
}

function ordinal(value: number | undefined): string | undefined {
  if (value === undefined) return undefined;
  const whole = Math.trunc(value);
  const [tens, ones] = [Math.abs(whole) % 100, Math.abs(whole) % 10];
  const ending = tens >= 11 && tens <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][ones] ?? 'th');
  return `${whole}${ending}`;
}

function scientific(value: number | undefined, precision: number): string | undefined {
  if (value === undefined) return undefined;
  const [mantissa = '', exponent = ''] = value.toExponential(Math.min(20, Math.max(0, precision))).split('e');
  const digits = '⁰¹²³⁴⁵⁶⁷⁸⁹';
  const raised = exponent
    .replace('+', '')
    .replace('-', '⁻')
    .replace(/\d/g, (digit) => digits[Number(digit)] ?? '');
  return `${mantissa} x 10${raised}`;
}
