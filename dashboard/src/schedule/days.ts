/** Days in a time zone. */

export interface Day {
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  /** For example, `Mon 23 Nov`. */
  readonly title: string;
}

const DAY_MILLISECONDS = 86_400_000;

/** The days from the one that contains `now`; a day with a clock change has 23 or 25 hours. */
export function daysFrom(now: number, count: number, zone: string): Day[] {
  const starts = [startOfDay(now, zone)];
  for (let index = 0; index < count; index++) {
    // Uses noon of the next day, so that a day of 23 or 25 hours is not skipped.
    starts.push(startOfDay((starts[index] as number) + 1.5 * DAY_MILLISECONDS, zone));
  }
  const title = new Intl.DateTimeFormat('en-GB', { timeZone: zone, weekday: 'short', day: 'numeric', month: 'short' });
  return starts.slice(0, count).map((start, index) => ({
    start,
    end: starts[index + 1] as number,
    title: title.format(start),
  }));
}

function startOfDay(time: number, zone: string): number {
  const whole = Math.floor(time / 1000) * 1000;
  const midnight = whole - secondsOfDay(whole, zone) * 1000;
  // If the clocks change on this day, the first guess misses midnight by the difference.
  const rest = secondsOfDay(midnight, zone);
  return rest > 43_200 ? midnight + (86_400 - rest) * 1000 : midnight - rest * 1000;
}

function secondsOfDay(time: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(time);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value ?? 0);
  return part('hour') * 3600 + part('minute') * 60 + part('second');
}
