/** Counts over time: one stacked bar for each interval, with a brush that chooses a span. */
import { type PointerEvent, useRef, useState } from 'react';
import { stateKinds, titleOf, tokenOf } from '../../design/states.ts';
import { absoluteTime, tickTime } from '../../design/time.ts';
import { ticksOf } from './ticks.ts';
import { useWidth } from './use-width.ts';

export interface Interval {
  /** RFC 3339; the interval ends where the next begins. */
  readonly start: string;
  /** Counts by the key of the series. */
  readonly counts: Readonly<Partial<Record<string, number>>>;
}

/** A part of each bar. The first series is at the bottom. */
export interface Series {
  readonly key: string;
  readonly title: string;
  /** CSS colours. */
  readonly fill: string;
  readonly text: string;
}

const stateSeries: readonly Series[] = stateKinds.map((kind) => ({
  key: kind,
  title: titleOf(kind),
  fill: `var(--${tokenOf(kind)})`,
  text: `var(--${tokenOf(kind)}-text)`,
}));

interface Props {
  readonly intervals: readonly Interval[];
  /** Height in pixels, without the ticks below. */
  readonly height: number;
  readonly onBrush?: (start: string, end: string) => void;
  /** The states of runs when absent. */
  readonly series?: readonly Series[];
  /** The counted objects, for screen readers: `Runs`. */
  readonly subject?: string;
}

const TICK_SPACE = 88;
/** Pixels right of the bars for the greatest count, which stands at its height. */
const AXIS_WIDTH = 44;
const AXIS_GAP = 4;
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const GAP = 1;

export function Histogram({ intervals, height, onBrush, series = stateSeries, subject = 'Runs' }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const width = Math.max(0, useWidth(frame) - AXIS_WIDTH);
  const [brush, setBrush] = useState<{ from: number; to: number }>();
  const [over, setOver] = useState<number>();

  const starts = intervals.map(({ start }) => Date.parse(start));
  const length = starts.length > 1 ? (starts[1] as number) - (starts[0] as number) : 60_000;
  const from = starts[0] ?? 0;
  const span = length * Math.max(1, starts.length);
  const totals = intervals.map(({ counts }) => series.reduce((sum, { key }) => sum + (counts[key] ?? 0), 0));
  const most = Math.max(1, ...totals);
  const bar = width / Math.max(1, intervals.length);
  const indexAt = (event: PointerEvent) => {
    const { left } = (frame.current as HTMLDivElement).getBoundingClientRect();
    return Math.max(0, Math.min(intervals.length - 1, Math.floor((event.clientX - left) / bar)));
  };
  const ticks =
    width > 0 && intervals.length > 0 ? ticksOf(from, span, Math.max(1, Math.floor(width / TICK_SPACE))) : [];
  const shown = over === undefined ? undefined : intervals[over];

  return (
    <figure className="m-0">
      <div
        ref={frame}
        className="relative touch-none select-none"
        style={{ height }}
        onPointerDown={(event) => {
          if (!onBrush || event.button !== 0 || intervals.length === 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          const index = indexAt(event);
          setBrush({ from: index, to: index });
        }}
        onPointerMove={(event) => {
          const index = indexAt(event);
          setOver(index);
          setBrush((old) => old && { ...old, to: index });
        }}
        onPointerLeave={() => setOver(undefined)}
        onPointerUp={() => {
          if (brush && onBrush) {
            const [low, high] = [Math.min(brush.from, brush.to), Math.max(brush.from, brush.to)];
            onBrush(iso(starts[low] as number), iso((starts[high] as number) + length));
          }
          setBrush(undefined);
        }}
      >
        <svg
          width={width}
          height={height}
          role="img"
          aria-label={summaryOf(intervals, series, subject)}
          className="block"
        >
          <line x1={0} x2={width} y1={height - 0.5} y2={height - 0.5} stroke="var(--line)" />
          {intervals.map(({ start, counts }, index) => (
            <Bar
              key={start}
              counts={counts}
              series={series}
              x={index * bar}
              width={Math.max(1, bar - GAP)}
              height={height - 1}
              scale={(height - 1) / most}
            />
          ))}
          {brush ? (
            <rect
              x={Math.min(brush.from, brush.to) * bar}
              width={(Math.abs(brush.to - brush.from) + 1) * bar}
              y={0}
              height={height}
              fill="var(--accent)"
              opacity={0.18}
            />
          ) : null}
        </svg>
        {totals.some((total) => total > 0) ? (
          <span
            className="tabular pointer-events-none absolute top-0 right-0 border-t border-line text-right text-2xs text-quiet"
            style={{ width: AXIS_WIDTH - AXIS_GAP }}
          >
            {compact.format(most)}
          </span>
        ) : null}
        {shown && over !== undefined && (totals[over] ?? 0) > 0 ? (
          <div
            className="pointer-events-none absolute bottom-full z-10 mb-1 -translate-x-1/2 rounded-panel border border-line bg-surface px-2 py-1 text-xs shadow-raised"
            style={{ left: Math.max(80, Math.min(width - 80, (over + 0.5) * bar)) }}
          >
            <div className="tabular whitespace-nowrap text-quiet">{absoluteTime(shown.start)}</div>
            {series.map(({ key, title, text }) =>
              shown.counts[key] ? (
                <div key={key} className="flex justify-between gap-4">
                  <span style={{ color: text }}>{title}</span>
                  <span className="tabular">{shown.counts[key]}</span>
                </div>
              ) : null,
            )}
          </div>
        ) : null}
      </div>
      <div className="relative h-4.5 text-2xs text-quiet" aria-hidden="true">
        {ticks.map((tick) => (
          <span
            key={tick}
            className="tabular absolute top-0.5 -translate-x-1/2 whitespace-nowrap first:translate-x-0"
            style={{ left: ((tick - from) / span) * width }}
          >
            {tickTime(tick, span)}
          </span>
        ))}
      </div>
    </figure>
  );
}

interface BarProps {
  readonly counts: Interval['counts'];
  readonly series: readonly Series[];
  readonly x: number;
  readonly width: number;
  readonly height: number;
  readonly scale: number;
}

/** Failures are at the bottom, where their height is readable; a failure is never thinner than a line. */
function Bar({ counts, series, x, width, height, scale }: BarProps) {
  let y = height;
  return series.map(({ key, fill }) => {
    const count = counts[key] ?? 0;
    if (count === 0) return null;
    const tall = Math.max(1.5, count * scale);
    y -= tall;
    return <rect key={key} x={x} y={Math.max(0, y)} width={width} height={tall} fill={fill} />;
  });
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function summaryOf(intervals: readonly Interval[], series: readonly Series[], subject: string): string {
  const parts = series.flatMap(({ key, title }) => {
    const sum = intervals.reduce((total, { counts }) => total + (counts[key] ?? 0), 0);
    return sum > 0 ? [`${sum} ${title}`] : [];
  });
  return parts.length > 0 ? `${subject} over time: ${parts.join(', ')}` : `No ${subject.toLowerCase()} in this time`;
}
