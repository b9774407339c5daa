/** The intervals of the number of events over time. */
import type { Span } from '../design/span.ts';

const INTERVALS = 96;
/** Seconds of an interval of the histogram. */
const LENGTHS = [1, 5, 10, 30, 60, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400];

/** Seconds of an interval of the histogram of this span. */
export function intervalOf({ start, end }: Span): number {
  const seconds = (Date.parse(end) - Date.parse(start)) / 1000;
  return LENGTHS.find((one) => seconds / one <= INTERVALS) ?? Math.ceil(seconds / INTERVALS);
}
