/** Calendar arithmetic on whole days and wall clock seconds, both counted from 1970-01-01 without a time zone. */

export const SECONDS_PER_DAY = 86_400;
/** Milliseconds of the last second that a timestamp can express, at the end of the year 9999. */
export const LAST_INSTANT = Date.parse('9999-12-31T23:59:59Z');

interface CivilDay {
  readonly year: number;
  /** January is 1. */
  readonly month: number;
  readonly day: number;
}

const DAYS_PER_ERA = 146_097;
const MARCH_TO_EPOCH = 719_468;

/** The day number of a date; `day` may be outside its month. Years count from March, so that a leap day comes last. */
export function dayNumber(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5);
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_PER_ERA + dayOfEra - MARCH_TO_EPOCH + day - 1;
}

export function civilDay(number: number): CivilDay {
  const shifted = number + MARCH_TO_EPOCH;
  const era = Math.floor(shifted / DAYS_PER_ERA);
  const dayOfEra = shifted - era * DAYS_PER_ERA;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1,
  };
}

/** Monday is 0. */
export function weekdayOf(number: number): number {
  return (((number + 3) % 7) + 7) % 7;
}

export function daysInMonth(year: number, month: number): number {
  return dayNumber(month === 12 ? year + 1 : year, (month % 12) + 1, 1) - dayNumber(year, month, 1);
}

/** Seconds of a wall clock time; a fraction is cut off. */
export function clockSeconds(clock: Temporal.PlainDateTime): number {
  const { year, month, day, hour, minute, second } = clock;
  return dayNumber(year, month, day) * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second;
}

export function clockOf(seconds: number): Temporal.PlainDateTime {
  const number = Math.floor(seconds / SECONDS_PER_DAY);
  const rest = seconds - number * SECONDS_PER_DAY;
  const { year, month, day } = civilDay(number);
  return new Temporal.PlainDateTime(year, month, day, Math.floor(rest / 3600), Math.floor(rest / 60) % 60, rest % 60);
}
