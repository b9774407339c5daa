/** Shares the disk between a copy and the running server. */

/** After a step, the copy pauses for as long as the step took, within these bounds. */
const SHORTEST_PAUSE_MILLISECONDS = 2;
const LONGEST_PAUSE_MILLISECONDS = 200;

/** Milliseconds to wait after a step of a copy that has been flushed to the disk. */
export function pauseAfter(stepMilliseconds: number): number {
  return Math.min(Math.max(stepMilliseconds, SHORTEST_PAUSE_MILLISECONDS), LONGEST_PAUSE_MILLISECONDS);
}
