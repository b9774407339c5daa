/** The wall clock times that a recurrence names. */
import { civilDay, clockSeconds, dayNumber, daysInMonth, SECONDS_PER_DAY, weekdayOf } from './civil-days.ts';
import { ANCHOR, type Recurrence } from './recurrence.ts';
import { type DayTest, dayTest } from './recurrence-days.ts';
import type { RecurrenceRule } from './recurrence-rule.ts';
import type { RuleTime } from './recurrence-time.ts';
import type { WorkBudget } from './work-budget.ts';

/**
 * Ascending wall clock seconds, without duplicates, at least those from `from` to `to`; earlier ones may come first.
 * Zones inside the text are ignored. Throws ScheduleTooCostly. Source: the Prefect server 3.9.1, with which
 * server/test/schedules/compare.ts compares.
 */
export function* recurrenceClocks(
  recurrence: Recurrence,
  from: number,
  to: number,
  work: WorkBudget,
): Generator<number, void> {
  const start = clockSeconds(recurrence.start?.clock ?? ANCHOR);
  const of = (rules: readonly RecurrenceRule[], dates: readonly RuleTime[]) =>
    merged([...rules.map((rule) => ruleClocks(rule, start, { from, to }, work)), clocksOf(dates)]);
  const excluded = of(recurrence.excludedRules, recurrence.excludedDates);
  let next = excluded.next();
  for (const clock of of(recurrence.rules, recurrence.dates)) {
    while (!next.done && next.value < clock) next = excluded.next();
    if (next.done || next.value !== clock) yield clock;
  }
}

function* clocksOf(dates: readonly RuleTime[]): Generator<number, void> {
  yield* dates.map(({ clock }) => clockSeconds(clock)).sort((a, b) => a - b);
}

/** Merges several ascending series into one without duplicates. */
function* merged(series: readonly Generator<number, void>[]): Generator<number, void> {
  const heads = series.map((one) => ({ one, next: one.next() }));
  while (true) {
    let least: number | undefined;
    for (const { next } of heads) if (!next.done && (least === undefined || next.value < least)) least = next.value;
    if (least === undefined) return;
    yield least;
    for (const head of heads) while (!head.next.done && head.next.value === least) head.next = head.one.next();
  }
}

interface Bounds {
  readonly from: number;
  readonly to: number;
}

/** The series of one rule: the clocks that its periods name, within its start, end and count. */
function* ruleClocks(rule: RecurrenceRule, start: number, bounds: Bounds, work: WorkBudget): Generator<number, void> {
  const until = rule.until ? clockSeconds(rule.until.clock) : Number.POSITIVE_INFINITY;
  const last = Math.min(until, bounds.to);
  let left = rule.count ?? Number.POSITIVE_INFINITY;
  // A rule with a count must be walked from its beginning, unless each period has exactly one date.
  const canSkip = rule.count === undefined || isPlain(rule);
  const skipTo = canSkip ? bounds.from : start;
  for (const { skipped, clocks } of periods(rule, start, { from: skipTo, to: last }, work)) {
    if (rule.count !== undefined) left -= skipped;
    for (const clock of clocks) {
      if (clock > last || left <= 0) return;
      if (clock < start) continue;
      left -= 1;
      yield clock;
    }
    if (left <= 0) return;
  }
}

/** True if each period has one date: no part chooses among days or times, and no month or year lacks the date. */
function isPlain({ frequency, lists, weekdays }: RecurrenceRule): boolean {
  return frequency !== 'YEARLY' && frequency !== 'MONTHLY' && !weekdays && Object.keys(lists).length === 0;
}

interface Period {
  /** Periods skipped since the one before. */
  readonly skipped: number;
  readonly clocks: readonly number[];
}

function periods(rule: RecurrenceRule, start: number, bounds: Bounds, work: WorkBudget): Generator<Period, void> {
  const unit = unitSeconds[rule.frequency];
  return unit === undefined ? dayPeriods(rule, start, bounds, work) : timePeriods(rule, unit, start, bounds, work);
}

const unitSeconds: Partial<Record<RecurrenceRule['frequency'], number>> = { HOURLY: 3600, MINUTELY: 60, SECONDLY: 1 };

/** Periods of a day and longer. */
function* dayPeriods(
  rule: RecurrenceRule,
  start: number,
  { from, to }: Bounds,
  work: WorkBudget,
): Generator<Period, void> {
  const firstDay = Math.floor(start / SECONDS_PER_DAY);
  const days = daysOfPeriod(rule, firstDay);
  const fits = dayTest(rule, firstDay);
  const times = timesOfDay(rule, start - firstDay * SECONDS_PER_DAY);
  const fromDay = Math.floor(from / SECONDS_PER_DAY);
  let skipped = Math.max(0, Math.floor((fromDay - firstDay) / (longestDays[rule.frequency] * rule.interval)) - 1);
  for (let index = skipped; ; index += 1) {
    const period = days(index * rule.interval);
    if (period.first * SECONDS_PER_DAY > to) return;
    const found = daysIn(period, fits, work);
    yield { skipped, clocks: chosen(rule, found, times, work) };
    skipped = 0;
  }
}

const longestDays: Record<RecurrenceRule['frequency'], number> = {
  YEARLY: 366,
  MONTHLY: 31,
  WEEKLY: 7,
  DAILY: 1,
  HOURLY: 1,
  MINUTELY: 1,
  SECONDLY: 1,
};

interface Days {
  readonly first: number;
  readonly end: number;
  readonly year: number;
}

/**
 * The days of the period that begins the given number of units (years, months, weeks, days) after the period of
 * `firstDay`.
 */
function daysOfPeriod({ frequency, weekStart }: RecurrenceRule, firstDay: number): (units: number) => Days {
  const { year, month } = civilDay(firstDay);
  switch (frequency) {
    case 'YEARLY':
      return (units) => span(dayNumber(year + units, 1, 1), dayNumber(year + units + 1, 1, 1));
    case 'MONTHLY':
      return (units) => {
        const months = month - 1 + units;
        const ofYear = year + Math.floor(months / 12);
        const first = dayNumber(ofYear, (months % 12) + 1, 1);
        return span(first, first + daysInMonth(ofYear, (months % 12) + 1));
      };
    case 'WEEKLY': {
      const week = firstDay - ((weekdayOf(firstDay) - weekStart + 7) % 7);
      // The week in which the series begins has only the days from then on.
      return (units) => span(Math.max(firstDay, week + units * 7), week + units * 7 + 7);
    }
    default:
      return (units) => span(firstDay + units, firstDay + units + 1);
  }
}

function span(first: number, end: number): Days {
  return { first, end, year: civilDay(first).year };
}

function daysIn({ first, end, year }: Days, fits: DayTest, work: WorkBudget): number[] {
  const found: number[] = [];
  for (let day = first; day < end; day += 1) {
    work.spend();
    if (fits(day, year)) found.push(day);
  }
  return found;
}

/** Hours, minutes and seconds: one time a period, or several of it by the hour, minute or second. */
function* timePeriods(
  rule: RecurrenceRule,
  unit: number,
  start: number,
  { from, to }: Bounds,
  work: WorkBudget,
): Generator<Period, void> {
  const step = unit * rule.interval;
  const fits = dayTest(rule, Math.floor(start / SECONDS_PER_DAY));
  const { BYHOUR, BYMINUTE, BYSECOND } = rule.lists;
  const minutes = sorted(BYMINUTE ?? [Math.floor(start / 60) % 60]);
  const seconds = sorted(BYSECOND ?? [start % 60]);
  const hasDay = (clock: number) =>
    fits(Math.floor(clock / SECONDS_PER_DAY), civilDay(Math.floor(clock / 86_400)).year);
  let skipped = Math.max(0, Math.floor((from - start) / step));
  // The first place in step at or after `clock`.
  const inStep = (clock: number) => start + Math.ceil((clock - start) / step) * step;
  let clock = start + skipped * step;
  // The unit that `clock` is in; a time of it may come before `clock` itself.
  while (Math.floor(clock / unit) * unit <= to) {
    work.spend();
    if (!hasDay(clock)) {
      clock = inStep((Math.floor(clock / SECONDS_PER_DAY) + 1) * SECONDS_PER_DAY);
    } else if (BYHOUR && !BYHOUR.includes(Math.floor(clock / 3600) % 24)) {
      clock = inStep((Math.floor(clock / 3600) + 1) * 3600);
    } else if (unit < 3600 && BYMINUTE && !BYMINUTE.includes(Math.floor(clock / 60) % 60)) {
      clock = inStep((Math.floor(clock / 60) + 1) * 60);
    } else {
      yield { skipped, clocks: chosen(rule, [0], timesOfUnit(clock, unit, minutes, seconds, BYSECOND), work) };
      skipped = 0;
      clock += step;
    }
  }
}

function timesOfUnit(
  clock: number,
  unit: number,
  minutes: readonly number[],
  seconds: readonly number[],
  bySecond: readonly number[] | undefined,
): readonly number[] {
  if (unit === 1) return !bySecond || bySecond.includes(clock % 60) ? [clock] : [];
  const minute = Math.floor(clock / 60) * 60;
  if (unit === 60) return seconds.map((second) => minute + second);
  const hour = Math.floor(clock / 3600) * 3600;
  return minutes.flatMap((each) => seconds.map((second) => hour + each * 60 + second));
}

/** The times of a day in seconds; the time of the beginning if the rule names none. */
function timesOfDay({ lists }: RecurrenceRule, beginning: number): readonly number[] {
  const hours = sorted(lists.BYHOUR ?? [Math.floor(beginning / 3600)]);
  const minutes = sorted(lists.BYMINUTE ?? [Math.floor(beginning / 60) % 60]);
  const seconds = sorted(lists.BYSECOND ?? [beginning % 60]);
  return hours.flatMap((hour) =>
    minutes.flatMap((minute) => seconds.map((second) => hour * 3600 + minute * 60 + second)),
  );
}

function sorted(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

/** All times of all days, or those at the positions that the rule selects. */
function chosen(
  { lists: { BYSETPOS } }: RecurrenceRule,
  days: readonly number[],
  times: readonly number[],
  work: WorkBudget,
): number[] {
  const at = (place: number) => {
    work.spend();
    return (days[Math.floor(place / times.length)] ?? 0) * SECONDS_PER_DAY + (times[place % times.length] ?? 0);
  };
  const count = days.length * times.length;
  const places = BYSETPOS
    ? sorted(BYSETPOS.map((place) => (place < 0 ? count + place : place - 1))).filter(
        (place) => place >= 0 && place < count,
      )
    : Array.from({ length: count }, (_, place) => place);
  return places.map(at);
}
