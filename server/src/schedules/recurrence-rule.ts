/** One rule of a recurrence: `FREQ=DAILY;BYHOUR=3`. */
import { fault, parseRuleTime, RecurrenceFault, type RuleTime } from './recurrence-time.ts';

const frequencies = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY'] as const;
export type Frequency = (typeof frequencies)[number];

/** Monday is 0. */
const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

const listNames = [
  'BYSETPOS',
  'BYMONTH',
  'BYMONTHDAY',
  'BYYEARDAY',
  'BYWEEKNO',
  'BYHOUR',
  'BYMINUTE',
  'BYSECOND',
  'BYEASTER',
] as const;
type ListName = (typeof listNames)[number];

export interface RecurrenceRule {
  readonly frequency: Frequency;
  /** At least 1. */
  readonly interval: number;
  readonly count: number | undefined;
  readonly until: RuleTime | undefined;
  /** The first day of a week. */
  readonly weekStart: number;
  readonly weekdays: readonly RuleWeekday[] | undefined;
  readonly lists: Readonly<Partial<Record<ListName, readonly number[]>>>;
}

export interface RuleWeekday {
  readonly weekday: number;
  /** The position in its month or year, from the end when negative; undefined means every one. */
  readonly nth: number | undefined;
}

/** `text` is in capitals and without `RRULE:`. Throws RecurrenceFault. */
export function parseRule(text: string, start: RuleTime | undefined): RecurrenceRule {
  let frequency: Frequency | undefined;
  let interval = 1;
  let count: number | undefined;
  let until: RuleTime | undefined;
  let weekStart = 0;
  let days: RuleWeekday[] | undefined;
  const lists: Partial<Record<ListName, number[]>> = {};
  for (const [name, value] of pairsIn(text)) {
    const read = <T>(reader: (value: string) => T | undefined): T => readWith(reader, name, value);
    if (name === 'FREQ') frequency = read((word) => frequencies.find((known) => known === word));
    else if (name === 'INTERVAL') interval = read(integer);
    else if (name === 'COUNT') count = read(integer);
    else if (name === 'UNTIL') until = read(parseRuleTime);
    else if (name === 'WKST') weekStart = read(weekdayNumber);
    else if (name === 'BYDAY' || name === 'BYWEEKDAY') days = read((list) => each(list, ruleWeekday));
    else if (isListName(name)) lists[name] = read((list) => each(list, integer));
    else fault(`unknown parameter '${name}'`);
  }
  if (!frequency) return fault('FREQ is missing');
  if (interval < 1) fault('INTERVAL must be positive');
  const rule: RecurrenceRule = { frequency, interval, count, until, weekStart, weekdays: days, lists };
  checkRanges(rule, start);
  return rule;
}

function pairsIn(text: string): [string, string][] {
  return text.split(';').map((pair) => {
    const [name = '', value, ...more] = pair.split('=');
    if (value === undefined) return fault('not enough values to unpack (expected 2, got 1)');
    if (more.length > 0) fault('too many values to unpack (expected 2)');
    return [name, value];
  });
}

/** The error for an unreadable value contains its name and its text. */
function readWith<T>(reader: (value: string) => T | undefined, name: string, value: string): T {
  try {
    const result = reader(value);
    if (result !== undefined) return result;
  } catch (error) {
    if (!(error instanceof RecurrenceFault)) throw error;
  }
  return fault(`invalid '${name}': ${value}`);
}

function each<T>(list: string, reader: (item: string) => T | undefined): T[] | undefined {
  const items = list.split(',').map(reader);
  return items.every((item) => item !== undefined) ? items : undefined;
}

function integer(text: string): number | undefined {
  return /^[-+]?\d+(?:_\d+)*$/.test(text) ? Number(text.replaceAll('_', '')) : undefined;
}

function weekdayNumber(text: string): number | undefined {
  const index = weekdays.indexOf(text);
  return index < 0 ? undefined : index;
}

/** `MO`, `+1MO`, `-1MO` or `MO(1)`. */
function ruleWeekday(text: string): RuleWeekday | undefined {
  const [, before = '', name = '', inside] = /^([-+]?\d*)([A-Z]+)(?:\(([-+]?\d+)\))?$/.exec(text) ?? [];
  const weekday = weekdayNumber(name);
  if (weekday === undefined || (before !== '' && inside !== undefined)) return undefined;
  const number = inside ?? before;
  if (number === '') return { weekday, nth: undefined };
  const nth = integer(number);
  return nth === undefined || nth === 0 ? undefined : { weekday, nth };
}

function isListName(name: string): name is ListName {
  return (listNames as readonly string[]).includes(name);
}

const MAX_SET_POSITION = 366;

function checkRanges({ frequency, interval, until, lists }: RecurrenceRule, start: RuleTime | undefined): void {
  if (start && until && (start.zone === undefined) !== (until.zone === undefined)) {
    fault('RRULE UNTIL values must be specified in UTC when DTSTART is timezone-aware');
  }
  for (const position of lists.BYSETPOS ?? []) {
    if (position === 0 || Math.abs(position) > MAX_SET_POSITION) {
      fault('bysetpos must be between 1 and 366, or between -366 and -1');
    }
  }
  const { clock } = start ?? {};
  if (frequency === 'HOURLY') checkReachable(lists.BYHOUR, interval, clock?.hour, 24);
  else if (frequency === 'MINUTELY') checkReachable(lists.BYMINUTE, interval, clock?.minute, 60);
  else if (frequency === 'SECONDLY') checkReachable(lists.BYSECOND, interval, clock?.second, 60);
  else {
    checkBelow(lists.BYHOUR, 24, 'hour must be in 0..23');
    checkBelow(lists.BYMINUTE, 60, 'minute must be in 0..59');
    checkBelow(lists.BYSECOND, 60, 'second must be in 0..59');
  }
}

function checkBelow(values: readonly number[] = [], end: number, reason: string): void {
  if (values.some((value) => value < 0 || value >= end)) fault(reason);
}

/** Checks that stepping by `interval` from `start`, cyclically, reaches at least one of `values`. */
function checkReachable(
  values: readonly number[] | undefined,
  interval: number,
  start: number | undefined,
  size: number,
): void {
  if (!values || start === undefined) return;
  const stride = greatestCommonDivisor(interval, size);
  if (!values.some((value) => (value - start) % stride === 0)) fault('Invalid rrule byxxx generates an empty set.');
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
