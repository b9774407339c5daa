/** The failures of each of the last days as bars, today on the right. */
import type { Cause } from './cause.ts';
import { countsOfDays } from './days.ts';

interface Props {
  readonly days: Cause['days'];
  readonly places: number;
  readonly height: number;
  /** Width of one bar in pixels. */
  readonly width: number;
}

const GAP = 2;
const LEAST_HEIGHT = 2;

export function DayBars({ days, places, height, width }: Props) {
  const bars = countsOfDays(days, places, Date.now());
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const step = width + GAP;
  const total = bars.reduce((sum, { count }) => sum + count, 0);
  return (
    <svg
      width={places * step - GAP}
      height={height}
      className="block shrink-0"
      role="img"
      aria-label={`${total.toLocaleString('en')} in the last ${places} days`}
    >
      <line x1={0} x2={places * step} y1={height - 0.5} y2={height - 0.5} stroke="var(--line)" />
      {bars.map(({ day, count }, index) => {
        const tall = count === 0 ? 0 : Math.max(LEAST_HEIGHT, Math.round((count / most) * height));
        return (
          <g key={day}>
            <title>{`${day}: ${count.toLocaleString('en')}`}</title>
            <rect x={index * step} y={0} width={step} height={height} fill="transparent" />
            <rect x={index * step} y={height - tall} width={width} height={tall} rx={1} fill="var(--failed)" />
          </g>
        );
      })}
    </svg>
  );
}
