/** The wall clock times that a cron expression names. */
import { civilDay, dayNumber, daysInMonth, SECONDS_PER_DAY, weekdayOf } from './civil-days.ts';
import type { Cron, NthWeekday } from './cron.ts';
import type { WorkBudget } from './work-budget.ts';

/**
 * Ascending wall clock seconds from `from` to `to`, both inclusive. With `dayOr`, a day has to fit only one of
 * day-of-month and day-of-week where both are restricted. Throws ScheduleTooCostly.
 */
export function* cronClocks(
  cron: Cron,
  dayOr: boolean,
  from: number,
  to: number,
  work: WorkBudget,
): Generator<number, void> {
  const times = timesOfDay(cron);
  const lastDay = Math.floor(to / SECONDS_PER_DAY);
  let day = Math.floor(from / SECONDS_PER_DAY);
  while (day <= lastDay) {
    work.spend();
    const { year, month } = civilDay(day);
    if (cron.years && !cron.years.includes(year)) {
      day = dayNumber(year + 1, 1, 1);
      continue;
    }
    if (!cron.months.includes(month)) {
      day = dayNumber(year, month, daysInMonth(year, month) + 1);
      continue;
    }
    if (fitsDay(cron, dayOr, day)) {
      for (const time of times()) {
        const clock = day * SECONDS_PER_DAY + time;
        if (clock > to) return;
        if (clock >= from) yield clock;
      }
    }
    day += 1;
  }
}

function timesOfDay({ hours, minutes, seconds }: Cron): () => Generator<number> {
  return function* times() {
    for (const hour of hours) {
      for (const minute of minutes) {
        for (const second of seconds) yield hour * 3600 + minute * 60 + second;
      }
    }
  };
}

function fitsDay(cron: Cron, dayOr: boolean, day: number): boolean {
  // A numbered weekday, such as the second Friday, must fit together with the day of the month, even if `dayOr` is
  // true. Differs from the reference on purpose (server/test/schedules/README.md, "Known differences").
  if (cron.nthWeekdays.length > 0) return fitsDayOfMonth(cron, day) && fitsWeekday(cron, day);
  if (cron.anyDayOfMonth) return cron.anyWeekday || fitsWeekday(cron, day);
  if (cron.anyWeekday) return fitsDayOfMonth(cron, day);
  return dayOr
    ? fitsDayOfMonth(cron, day) || fitsWeekday(cron, day)
    : fitsDayOfMonth(cron, day) && fitsWeekday(cron, day);
}

function fitsDayOfMonth(cron: Cron, number: number): boolean {
  const { year, month, day } = civilDay(number);
  return cron.daysOfMonth.includes(day) || (cron.lastDayOfMonth && day === daysInMonth(year, month));
}

function fitsWeekday({ weekdays, nthWeekdays }: Cron, number: number): boolean {
  // Cron counts weekdays from Sunday, `weekdayOf` from Monday.
  const weekday = (weekdayOf(number) + 1) % 7;
  return weekdays.includes(weekday) || nthWeekdays.some((nth) => nth.weekday === weekday && isNth(nth, number));
}

function isNth({ nth }: NthWeekday, number: number): boolean {
  const { year, month, day } = civilDay(number);
  return nth === 'last' ? day + 7 > daysInMonth(year, month) : Math.ceil(day / 7) === nth;
}
