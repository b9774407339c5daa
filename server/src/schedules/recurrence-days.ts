/** The days of a recurrence rule: tests the parts that concern days, not times. */
import { civilDay, dayNumber, daysInMonth, weekdayOf } from './civil-days.ts';
import type { RecurrenceRule, RuleWeekday } from './recurrence-rule.ts';

/** `year` is the year of the tested period; a week may reach into the next year. */
export type DayTest = (day: number, year: number) => boolean;

/** The test of a rule whose series begins on the day `start`. Source: RFC 5545 as dateutil's `rrule` reads it. */
export function dayTest(rule: RecurrenceRule, start: number): DayTest {
  const { frequency, lists } = rule;
  const tests: DayTest[] = [];
  const takesNth = frequency === 'YEARLY' || frequency === 'MONTHLY';
  const isNth = (one: RuleWeekday) => takesNth && one.nth !== undefined;
  const defaults = defaultsOf(rule, start);
  const months = lists.BYMONTH ?? defaults.months;
  const monthDays = lists.BYMONTHDAY ?? defaults.monthDays;
  if (months) tests.push((day) => months.includes(civilDay(day).month));
  if (lists.BYWEEKNO) tests.push(weekNumberTest(lists.BYWEEKNO, rule.weekStart));
  const plain = rule.weekdays?.filter((one) => !isNth(one)).map(({ weekday }) => weekday) ?? defaults.weekdays ?? [];
  if (plain.length > 0) tests.push((day) => plain.includes(weekdayOf(day)));
  const numbered = rule.weekdays?.filter(isNth) ?? [];
  // A rule of the year counts weekdays in its months, where it names some.
  if (numbered.length > 0) tests.push(nthWeekdayTest(numbered, frequency === 'YEARLY' && !lists.BYMONTH));
  const { BYEASTER, BYYEARDAY } = lists;
  if (BYEASTER) tests.push((day, year) => BYEASTER.includes(day - easterSunday(year)));
  if (monthDays?.some((day) => day !== 0)) tests.push(monthDayTest(monthDays));
  if (BYYEARDAY) tests.push(yearDayTest(BYYEARDAY));
  return (day, year) => tests.every((test) => test(day, year));
}

interface Defaults {
  readonly months?: readonly number[];
  readonly monthDays?: readonly number[];
  readonly weekdays?: readonly number[];
}

/** A rule that names no day means the day on which it begins. */
function defaultsOf({ frequency, lists, weekdays }: RecurrenceRule, start: number): Defaults {
  if (lists.BYWEEKNO || lists.BYYEARDAY || lists.BYMONTHDAY || weekdays || lists.BYEASTER) return {};
  const { month, day } = civilDay(start);
  if (frequency === 'YEARLY') return { months: lists.BYMONTH ?? [month], monthDays: [day] };
  if (frequency === 'MONTHLY') return { monthDays: [day] };
  return frequency === 'WEEKLY' ? { weekdays: [weekdayOf(start)] } : {};
}

function monthDayTest(days: readonly number[]): DayTest {
  return (number) => {
    const { year, month, day } = civilDay(number);
    return days.includes(day) || days.includes(day - daysInMonth(year, month) - 1);
  };
}

function yearDayTest(days: readonly number[]): DayTest {
  return (day) => {
    const { year } = civilDay(day);
    return days.includes(day - dayNumber(year, 1, 1) + 1) || days.includes(day - dayNumber(year + 1, 1, 1));
  };
}

function nthWeekdayTest(wanted: readonly RuleWeekday[], inYear: boolean): DayTest {
  return (number) => {
    const { year, month } = civilDay(number);
    const first = inYear ? dayNumber(year, 1, 1) : dayNumber(year, month, 1);
    const end = inYear ? dayNumber(year + 1, 1, 1) : first + daysInMonth(year, month);
    const fromStart = Math.floor((number - first) / 7) + 1;
    const fromEnd = -Math.floor((end - 1 - number) / 7) - 1;
    const weekday = weekdayOf(number);
    return wanted.some((one) => one.weekday === weekday && (one.nth === fromStart || one.nth === fromEnd));
  };
}

/** Weeks begin on `weekStart`; the first week of a year has at least four days in it. */
function weekNumberTest(numbers: readonly number[], weekStart: number): DayTest {
  return (day, year) => {
    const begin = day - ((weekdayOf(day) - weekStart + 7) % 7);
    const weekYear = civilDay(begin + 3).year;
    const number = (begin - firstWeek(weekYear, weekStart)) / 7 + 1;
    if (numbers.includes(number)) return true;
    if (weekYear > year) return false;
    const fromEnd = (begin - firstWeek(weekYear + 1, weekStart)) / 7;
    // Only the last week of the year before is checked.
    return weekYear === year ? numbers.includes(fromEnd) : numbers.includes(-1);
  };
}

function firstWeek(year: number, weekStart: number): number {
  const fourth = dayNumber(year, 1, 4);
  return fourth - ((weekdayOf(fourth) - weekStart + 7) % 7);
}

/** The day of Easter in the Gregorian calendar. */
function easterSunday(year: number): number {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const epact = (century - Math.floor(century / 4) - Math.floor((8 * century + 13) / 25) + 19 * golden + 15) % 30;
  const moon = epact - Math.floor(epact / 28) * (1 - Math.floor(29 / (epact + 1)) * Math.floor((21 - golden) / 11));
  const weekday = (year + Math.floor(year / 4) + moon + 2 - century + Math.floor(century / 4)) % 7;
  const offset = moon - weekday;
  const month = 3 + Math.floor((offset + 40) / 44);
  return dayNumber(year, month, offset + 28 - 31 * Math.floor(month / 4));
}
