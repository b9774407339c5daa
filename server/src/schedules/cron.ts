/**
 * Reads cron texts: five fields, a sixth for seconds and a seventh for years after them, or an alias such as `@daily`.
 * Source: the Prefect server 3.9.1, which was given each text of cron.test.ts.
 */

/** The moments that a cron text names. Lists are ascending and without duplicates. */
export interface Cron {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly daysOfMonth: readonly number[];
  readonly lastDayOfMonth: boolean;
  readonly months: readonly number[];
  /** Sunday is 0. */
  readonly weekdays: readonly number[];
  /** Numbered weekdays, such as the second Friday of a month. When there are any, `weekdays` is empty. */
  readonly nthWeekdays: readonly NthWeekday[];
  readonly seconds: readonly number[];
  /** Undefined means every year. */
  readonly years: readonly number[] | undefined;
  /** True if the field leaves the day open; then a day must fit the other field. */
  readonly anyDayOfMonth: boolean;
  readonly anyWeekday: boolean;
}

export interface NthWeekday {
  readonly weekday: number;
  readonly nth: 1 | 2 | 3 | 4 | 5 | 'last';
}

interface Range {
  readonly first: number;
  readonly last: number;
  readonly names?: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const MINUTE: Range = { first: 0, last: 59 };
const HOUR: Range = { first: 0, last: 23 };
const DAY: Range = { first: 1, last: 31 };
const MONTH: Range = { first: 1, last: 12, names: months };
/** Sunday may be 0 or 7. */
const WEEKDAY: Range = { first: 0, last: 7, names: weekdays };
/** In an expression with a field for seconds, Sunday is only 0. */
const WEEKDAY_BESIDE_SECONDS: Range = { ...WEEKDAY, last: 6 };
const SECOND: Range = { first: 0, last: 59 };
const YEAR: Range = { first: 1970, last: 2099 };

const aliases: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

const RANDOM_FIELD = /^r(?:$|[(/])/;

/** The error message for a cron text, undefined when it can be read. */
export function cronFault(text: string): string | undefined {
  if (parseCron(text)) return undefined;
  const fields = fieldsOf(text);
  return fields.length >= 5 && fields.some((field) => RANDOM_FIELD.test(field))
    ? `Random and Hashed expressions are unsupported, received: "${text}"`
    : `Invalid cron string: "${text}"`;
}

/** Undefined when the text is not a cron expression, or has random or hashed fields. */
export function parseCron(text: string): Cron | undefined {
  const fields = fieldsOf(text);
  if (fields.length < 5 || fields.length > 7) return undefined;
  const [minute = '', hour = '', day = '', month = '', weekday = '', second = '0', year = '*'] = fields;
  const minutes = numbersIn(minute, MINUTE);
  const hours = numbersIn(hour, HOUR);
  const days = daysIn(day);
  const monthNumbers = numbersIn(month, MONTH);
  const week = weekdaysIn(weekday, fields.length === 5 ? WEEKDAY : WEEKDAY_BESIDE_SECONDS);
  const seconds = numbersIn(second, SECOND);
  const years = numbersIn(year, YEAR);
  if (!minutes || !hours || !days || !monthNumbers || !week || !seconds || !years) return undefined;
  return {
    minutes,
    hours,
    ...days,
    months: monthNumbers,
    ...week,
    seconds,
    years: year === '*' ? undefined : years,
    // A field that lists every day also leaves the day open, if the other field has a star.
    anyDayOfMonth: isOpen(day) || (days.daysOfMonth.length === 31 && weekday.includes('*')),
    anyWeekday: isOpen(weekday) || (week.weekdays.length === 7 && day.includes('*')),
  };
}

function fieldsOf(text: string): string[] {
  const lower = text.toLowerCase();
  return (aliases[lower] ?? lower).split(/\s+/).filter((field) => field !== '');
}

function isOpen(field: string): boolean {
  return field === '*' || field === '?';
}

function daysIn(field: string): Pick<Cron, 'daysOfMonth' | 'lastDayOfMonth'> | undefined {
  const parts = (field === '?' ? '*' : field).split(',');
  const numbered = parts.filter((part) => part !== 'l');
  const daysOfMonth = numbered.length > 0 ? numbersIn(numbered.join(), DAY) : [];
  return daysOfMonth && { daysOfMonth, lastDayOfMonth: numbered.length < parts.length };
}

function weekdaysIn(field: string, range: Range): Pick<Cron, 'weekdays' | 'nthWeekdays'> | undefined {
  const parts = (field === '?' ? '*' : field).split(',');
  const nth = parts.map((part) => nthWeekday(part, range));
  const nthWeekdays = nth.filter((part) => part !== undefined);
  // Plain and numbered weekdays cannot be combined.
  if (nthWeekdays.length > 0) return nthWeekdays.length === parts.length ? { weekdays: [], nthWeekdays } : undefined;
  const numbers = numbersIn(parts.join(), range);
  return numbers && { weekdays: ascending(numbers.map((day) => day % 7)), nthWeekdays };
}

/** `5#2` is the second Friday, `l5` the last one. */
function nthWeekday(part: string, range: Range): NthWeekday | undefined {
  const last = numberNamed(/^l([0-7])$/.exec(part)?.[1] ?? '', range);
  if (last !== undefined) return { weekday: last % 7, nth: 'last' };
  const [, day = '', nth] = /^([^#]+)#([1-5])$/.exec(part) ?? [];
  const weekday = numberNamed(day, range);
  return weekday === undefined ? undefined : { weekday: weekday % 7, nth: Number(nth) as 1 | 2 | 3 | 4 | 5 };
}

/** The values of a field: a list of values, ranges and steps. */
function numbersIn(field: string, range: Range): number[] | undefined {
  const values = field.split(',').map((part) => valuesOf(part, range));
  return values.every((part) => part !== undefined) ? ascending(values.flat()) : undefined;
}

function valuesOf(part: string, range: Range): number[] | undefined {
  const [, from = '', to, stepText] = /^(\*|[^*/-]+?)(?:-([^*/-]+))?(?:\/(\d+))?$/.exec(part) ?? [];
  const step = stepText === undefined ? 1 : Number(stepText);
  if (step === 0 || (from === '*' && to !== undefined)) return undefined;
  // A week has seven days, although Sunday has two numbers.
  const end = range === WEEKDAY ? 6 : range.last;
  if (from === '*') return steps(range.first, end, step);
  const named = numberNamed(from, range);
  if (named === undefined) return undefined;
  const first = range === WEEKDAY ? named % 7 : named;
  if (to === undefined && stepText === undefined) return [first];
  const last = to === undefined ? end : numberNamed(to, range);
  if (last === undefined) return undefined;
  if (first < last) return steps(first, last, step);
  // `3-3` goes all the way round, as does `59/20`, which is `59-59/20`; `fri-mon` continues over the end.
  return first === last
    ? steps(range.first, end, step)
    : [...steps(first, end, step), ...steps(range.first + skippedAtEnd(first, end, step), last, step)];
}

/** Offset at which a range continues past its end. One less would keep the step; this value is the reference's. */
function skippedAtEnd(first: number, end: number, step: number): number {
  const left = step - ((end - first) % step);
  return left > 1 ? left : 0;
}

function numberNamed(text: string, range: Range): number | undefined {
  const named = range.names?.indexOf(text) ?? -1;
  if (named >= 0) return named + range.first;
  if (!/^\d+$/.test(text)) return undefined;
  const value = Number(text);
  return value >= range.first && value <= range.last ? value : undefined;
}

function steps(first: number, last: number, step: number): number[] {
  const values: number[] = [];
  for (let value = first; value <= last; value += step) values.push(value);
  return values;
}

function ascending(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}
