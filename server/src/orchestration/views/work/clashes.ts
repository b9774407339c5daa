/** Finds the times at which more runs are planned than a limit allows. */

interface PlannedRuns {
  /** Milliseconds since 1970. */
  readonly starts: readonly number[];
  /** The estimated duration of a run, from earlier runs. */
  readonly durationMilliseconds: number;
}

interface Clash {
  readonly start: number;
  readonly end: number;
  /** The most simultaneous runs between the two times. */
  readonly peak: number;
}

/** The shortest assumed duration, so that two runs that start together overlap. */
const LEAST_DURATION_MILLISECONDS = 1000;

/** Time spans in which more than `limit` of the runs overlap, in order. */
export function clashesOf(planned: readonly PlannedRuns[], limit: number): Clash[] {
  const changes = planned.flatMap(({ starts, durationMilliseconds }) =>
    starts.flatMap((start) => [
      { time: start, by: 1 },
      { time: start + Math.max(LEAST_DURATION_MILLISECONDS, durationMilliseconds), by: -1 },
    ]),
  );
  // A run that ends when another starts has already freed its slot.
  changes.sort((left, right) => left.time - right.time || left.by - right.by);
  const found: Clash[] = [];
  let running = 0;
  let open: { start: number; peak: number } | undefined;
  for (const { time, by } of changes) {
    running += by;
    if (running > limit) open = { start: open?.start ?? time, peak: Math.max(open?.peak ?? 0, running) };
    else if (open) {
      found.push({ ...open, end: time });
      open = undefined;
    }
  }
  return found;
}
