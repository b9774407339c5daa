const DAY_MILLISECONDS = 86_400_000;
const DAY_LENGTH = '2026-11-29'.length;

interface Day {
  /** In UTC. */
  readonly day: string;
  readonly count: number;
}

/** The last `places` days until the one of `now`, oldest first; days that are not known have no failure. */
export function countsOfDays(days: readonly Day[], places: number, now: number): Day[] {
  const known = new Map(days.map(({ day, count }) => [day, count]));
  return Array.from({ length: places }, (_, index) => {
    const day = new Date(now - (places - 1 - index) * DAY_MILLISECONDS).toISOString().slice(0, DAY_LENGTH);
    return { day, count: known.get(day) ?? 0 };
  });
}
