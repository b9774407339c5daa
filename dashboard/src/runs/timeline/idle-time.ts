/** The time in which nothing runs, which a timeline folds. */

import type { Span } from './time-scale.ts';
import type { TimelineRow } from './timeline-layout.ts';

type Bars = Pick<TimelineRow, 'role' | 'segments'>;

/** A shorter stretch stays as it is. */
const LEAST_MILLISECONDS = 10_000;
const LEAST_SHARE = 0.05;

/**
 * Stretches of `range` in which no task runs and the flow does not either, or only waits for a task to be tried again.
 * `rows` are those of the whole run, and a bar without an end reaches to the end of the range.
 */
export function idleTimes(rows: readonly Bars[], range: Span): Span[] {
  const spans = (wanted: (row: Bars, index: number) => boolean) =>
    rows.flatMap((row) =>
      row.segments
        .filter((_segment, index) => wanted(row, index))
        .map(({ from, to }) => ({ from, to: Math.max(from, to ?? range.to) })),
    );
  const isRun = ({ role }: Bars) => role === 'run';
  const isWait = ({ segments }: Bars, index: number) => segments[index]?.isWait === true;
  const work = spans((row, index) => !isRun(row) && !isWait(row, index));
  const own = spans((row, index) => isRun(row) && !isWait(row, index));
  const waits = spans((row, index) => row.role !== 'run' && row.role !== 'fold' && index > 0 && isWait(row, index));
  // The time before the start is a part of the wait for it, which may have been cut.
  const whole = { from: Math.max(0, range.from), to: range.to };
  const least = Math.max(LEAST_MILLISECONDS, (whole.to - whole.from) * LEAST_SHARE);
  return without([whole], joined([...work, ...without(joined(own), joined(waits))])).filter(
    ({ from, to }) => to - from > least,
  );
}

/** In their order, and apart from each other. */
function joined(spans: readonly Span[]): Span[] {
  const found: Span[] = [];
  for (const { from, to } of spans.toSorted((one, other) => one.from - other.from)) {
    const last = found.at(-1);
    if (last && from <= last.to) found[found.length - 1] = { from: last.from, to: Math.max(last.to, to) };
    else found.push({ from, to });
  }
  return found;
}

/** The parts of `spans` that are outside of `holes`; both are joined. */
function without(spans: readonly Span[], holes: readonly Span[]): Span[] {
  const left: Span[] = [];
  let first = 0;
  for (const span of spans) {
    let { from } = span;
    while (first < holes.length && (holes[first] as Span).to <= from) first += 1;
    for (let index = first; index < holes.length && (holes[index] as Span).from < span.to; index += 1) {
      const hole = holes[index] as Span;
      if (hole.from > from) left.push({ from, to: hole.from });
      from = Math.max(from, hole.to);
    }
    if (from < span.to) left.push({ from, to: span.to });
  }
  return left;
}
