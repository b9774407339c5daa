/** How a copy shares the disk with the server that goes on meanwhile. */

/** After a step the disk belongs to the server for as long as the step took, within these bounds. */
const SHORTEST_PAUSE_MILLISECONDS = 2;
const LONGEST_PAUSE_MILLISECONDS = 200;

/** Milliseconds to wait after a step of a copy that is on the disk. */
export function pauseAfter(stepMilliseconds: number): number {
  return Math.min(Math.max(stepMilliseconds, SHORTEST_PAUSE_MILLISECONDS), LONGEST_PAUSE_MILLISECONDS);
}
