/** The server counts no further, because counting reads each run. */
const MOST_COUNTED = 1000;

export function countOfRuns(count: number): string {
  if (count > MOST_COUNTED) return `more than ${MOST_COUNTED.toLocaleString('en')} runs`;
  return count === 1 ? '1 run' : `${count} runs`;
}
