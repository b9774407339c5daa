/** The scale above a timeline. */
import { duration } from '../../design/time.ts';
import type { Window } from './timeline-drawing.ts';

export const AXIS_HEIGHT = 20;
const TICK_SPACE = 88;

/** Milliseconds between ticks. */
const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000,
  900_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000, 604_800_000,
];
const LONGEST_STEP = 2_592_000_000;

interface Props {
  readonly left: number;
  readonly width: number;
  readonly shown: Window;
}

export function TimelineAxis({ left, width, shown }: Props) {
  const wanted = (shown.span * TICK_SPACE) / Math.max(1, width);
  const step = STEPS.find((one) => one >= wanted) ?? LONGEST_STEP;
  const ticks: number[] = [];
  for (let at = Math.ceil(shown.from / step) * step; at <= shown.from + shown.span; at += step) ticks.push(at);
  return (
    <div
      aria-hidden="true"
      className="tabular relative overflow-x-clip text-2xs text-quiet"
      style={{ height: AXIS_HEIGHT, marginLeft: left }}
    >
      {ticks.map((at) => (
        <span
          key={at}
          className="absolute bottom-0.5 border-l border-line pl-1 whitespace-nowrap"
          style={{ left: ((at - shown.from) / shown.span) * width }}
        >
          {at < 0 ? `−${duration(-at / 1000)}` : duration(at / 1000)}
        </span>
      ))}
    </div>
  );
}
