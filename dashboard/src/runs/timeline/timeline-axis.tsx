/** The scale above a timeline. A break says how long nothing ran, and unfolds that time. */
import { duration } from '../../design/time.ts';
import type { Scale, Span } from './time-scale.ts';

export const AXIS_HEIGHT = 20;
const TICK_SPACE = 88;
/** Pixels that the text of a break needs at each side of it. */
const BREAK_SPACE = 32;

/** Milliseconds between ticks. */
const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000,
  900_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000, 604_800_000,
];
const LONGEST_STEP = 2_592_000_000;

interface Props {
  readonly left: number;
  readonly width: number;
  readonly scale: Scale;
  readonly unfold: (idle: Span) => void;
}

export function TimelineAxis({ left, width, scale, unfold }: Props) {
  return (
    <div
      className="tabular relative overflow-x-clip text-2xs text-quiet"
      style={{ height: AXIS_HEIGHT, marginLeft: left }}
    >
      {ticksOf(scale, width).map(([at, x]) => (
        <span
          key={at}
          aria-hidden="true"
          className="absolute bottom-0.5 border-l border-line pl-1 whitespace-nowrap"
          style={{ left: x }}
        >
          {at < 0 ? `−${duration(-at / 1000)}` : duration(at / 1000)}
        </span>
      ))}
      {scale.breaks.map((one) => {
        const idle = duration((one.span.to - one.span.from) / 1000);
        return (
          <button
            key={one.span.from}
            type="button"
            aria-label={`Show the ${idle} in which nothing ran`}
            title={`Nothing ran for ${idle}. Click to show this time.`}
            className="absolute bottom-0.5 -translate-x-1/2 rounded-control px-1 whitespace-nowrap text-soft hover:bg-hover hover:text-ink"
            style={{ left: one.left + one.width / 2 }}
            onClick={() => unfold(one.span)}
          >
            ⋯ {idle}
          </button>
        );
      })}
    </div>
  );
}

/** Times with their places. There is room between them, and around the texts of breaks. */
function ticksOf({ stretches, pixelsPerMillisecond, xOf, breaks }: Scale, width: number): [at: number, x: number][] {
  const step = STEPS.find((one) => one * pixelsPerMillisecond >= TICK_SPACE) ?? LONGEST_STEP;
  const ticks: [number, number][] = [];
  for (const { from, to } of stretches) {
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
      const x = xOf(at);
      const isFree = (ticks.at(-1)?.[1] ?? -TICK_SPACE) + TICK_SPACE / 2 <= x && x <= width - TICK_SPACE / 2;
      const isBeside = breaks.some((one) => x > one.left - 2 * BREAK_SPACE && x < one.left + one.width + BREAK_SPACE);
      if (isFree && !isBeside) ticks.push([at, x]);
    }
  }
  return ticks;
}
