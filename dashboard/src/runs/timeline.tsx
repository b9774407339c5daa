/** The task runs of a flow run over time, on a canvas: ten thousand bars are one picture, not ten thousand elements. */
import { ChevronRight, Minus, Plus, Workflow } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { IconButton } from '../components/button.tsx';
import { StateMark } from '../design/state-mark.tsx';
import { type StateKind, stateKinds, titleOf, tokenOf } from '../design/states.ts';
import { duration, preciseClockTime } from '../design/time.ts';
import { usePreferences } from '../preferences/preferences.ts';
import type { TimelineView } from './queries.ts';
import { lengthOf, rowsOf, type TimelineRow } from './timeline-layout.ts';

const ROW = { dense: 24, comfortable: 30 } as const;
const BAR = { dense: 14, comfortable: 18 } as const;
const WAIT_HEIGHT = 4;
const AXIS = 20;
const LABELS = 260;
const NARROW_LABELS = 120;
const TICK_SPACE = 88;
const SMALLEST_BAR = 3;
const NAME_FROM = 48;
const MOST_ZOOM = 5000;

interface Props {
  readonly view: TimelineView;
  /** Id of the task run that is chosen. */
  readonly chosen: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
  readonly onOpenSubflow: (id: string) => void;
  /** Pixels that the rows may take before they scroll. */
  readonly height: number;
}

interface Window {
  /** Milliseconds from the origin at the left edge, and in sight. */
  readonly from: number;
  readonly span: number;
}

export function Timeline({ view, chosen, onChoose, onOpenSubflow, height }: Props) {
  const { density, theme } = usePreferences();
  const rowHeight = ROW[density];
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [scroll, setScroll] = useState(0);
  const [zoomed, setZoomed] = useState<Window>();
  const [over, setOver] = useState<{ x: number; y: number; row: number }>();
  const rows = useMemo(() => rowsOf(view, opened, chosen), [view, opened, chosen]);
  const length = useMemo(() => lengthOf(view), [view]);
  const shown: Window = zoomed ?? { from: 0, span: length * 1.02 };
  const labels = size.width < 640 ? NARROW_LABELS : LABELS;
  const width = Math.max(0, size.width - labels);
  const visible = Math.min(height, rows.length * rowHeight);
  const first = Math.floor(scroll / rowHeight);
  const count = Math.ceil(visible / rowHeight) + 1;

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context || width === 0) return;
    draw(context, {
      rows: rows.slice(first, first + count),
      offset: first * rowHeight - scroll,
      width,
      height: visible,
      rowHeight,
      barHeight: BAR[density],
      shown,
      now: length,
      chosen,
      over: over === undefined ? undefined : over.row - first,
      dark: theme,
    });
  });

  const zoom = (factor: number, at = 0.5) => {
    const span = Math.min(length * 1.02, Math.max((length * 1.02) / MOST_ZOOM, shown.span * factor));
    const from = Math.max(0, Math.min(length * 1.02 - span, shown.from + (shown.span - span) * at));
    setZoomed(span >= length ? undefined : { from, span });
  };
  const pan = (milliseconds: number) => {
    if (!zoomed) return;
    setZoomed({ ...zoomed, from: Math.max(0, Math.min(length * 1.02 - zoomed.span, zoomed.from + milliseconds)) });
  };
  const rowAt = (event: PointerEvent<HTMLElement>) => {
    const { top } = event.currentTarget.getBoundingClientRect();
    return Math.floor((event.clientY - top + scroll) / rowHeight);
  };
  const choose = (row: TimelineRow | undefined) => {
    if (!row) return;
    if (row.folded > 0) setOpened(new Set([...opened, row.name]));
    else onChoose(row.id === chosen ? undefined : row.id);
  };
  const nextFailure = () => {
    const from = rows.findIndex(({ id }) => id === chosen);
    const order = [...rows.slice(from + 1), ...rows.slice(0, from + 1)];
    const found = order.find(({ kind }) => kind === 'FAILED' || kind === 'CRASHED');
    if (!found) return;
    onChoose(found.id);
    scroller.current?.scrollTo({ top: rows.indexOf(found) * rowHeight - visible / 2 });
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'e') nextFailure();
    else if (event.key === '0') setZoomed(undefined);
    else if (event.key === '+' || event.key === '=') zoom(0.5);
    else if (event.key === '-') zoom(2);
    else if (event.key === 'ArrowLeft') pan(-shown.span / 8);
    else if (event.key === 'ArrowRight') pan(shown.span / 8);
    else return;
    event.preventDefault();
  };
  const pointed = over === undefined ? undefined : rows[over.row];
  return (
    <section aria-label="Timeline" className="relative" onKeyDown={press}>
      <div className="absolute -top-8 right-0 flex items-center gap-1">
        <IconButton label="Zoom out (-)" onClick={() => zoom(2)}>
          <Minus size={14} />
        </IconButton>
        <IconButton label="Zoom in (+)" onClick={() => zoom(0.5)}>
          <Plus size={14} />
        </IconButton>
      </div>
      <Axis left={labels} width={width} shown={shown} />
      <div
        ref={scroller}
        className="relative overflow-y-auto border-y border-line"
        style={{ height: visible + 2 }}
        onScroll={(event) => setScroll(event.currentTarget.scrollTop)}
      >
        <div style={{ height: rows.length * rowHeight }}>
          <ul
            className="sticky top-0 left-0"
            style={{ width: labels, height: 0 }}
            aria-label={`${view.total} task runs`}
          >
            {rows.slice(first, first + count).map((row, index) => (
              <li
                key={row.folded > 0 ? `fold ${row.name}` : row.id}
                className="absolute right-0 left-0"
                style={{ top: (first + index) * rowHeight - scroll, height: rowHeight }}
              >
                <button
                  type="button"
                  onClick={() => choose(row)}
                  onDoubleClick={() => row.isSubflow && onOpenSubflow(row.id)}
                  aria-pressed={row.id === chosen}
                  className="flex size-full items-center gap-1.5 truncate border-r border-line px-2 text-left text-xs hover:bg-hover aria-pressed:bg-selected aria-pressed:font-medium"
                >
                  {row.folded > 0 ? <ChevronRight size={12} /> : <StateMark kind={row.kind} size={12} alone />}
                  {row.isSubflow ? <Workflow size={12} aria-label="Subflow" /> : null}
                  <span className="truncate">{row.name}</span>
                  {row.folded > 0 ? <span className="tabular text-quiet">×{row.folded}</span> : null}
                  {row.tries > 1 && row.folded === 0 ? (
                    <span className="tabular ml-auto text-2xs text-quiet">{row.tries} tries</span>
                  ) : null}
                </button>
              </li>
            ))}
          </ul>
          <canvas
            ref={canvas}
            role="img"
            aria-label="Bars of the task runs over time"
            className="sticky top-0 block touch-pan-y"
            style={{ marginLeft: labels, width, height: visible }}
            onPointerMove={(event) => {
              const { left } = event.currentTarget.getBoundingClientRect();
              if (event.buttons === 1) pan((-event.movementX / width) * shown.span);
              setOver({ x: event.clientX - left, y: event.clientY, row: rowAt(event) });
            }}
            onPointerLeave={() => setOver(undefined)}
            onClick={(event) => choose(rows[rowAt(event as unknown as PointerEvent<HTMLElement>)])}
            onWheel={(event) => {
              if (!event.ctrlKey && !event.metaKey) return;
              const { left } = event.currentTarget.getBoundingClientRect();
              zoom(event.deltaY > 0 ? 1.25 : 0.8, (event.clientX - left) / width);
            }}
          />
        </div>
      </div>
      {pointed && over ? (
        <Hint
          row={pointed}
          view={view}
          left={labels + Math.min(over.x, width - 200)}
          top={(over.row + 1) * rowHeight - scroll + AXIS}
        />
      ) : null}
      <p className="mt-1 flex flex-wrap gap-3 text-2xs text-quiet" data-screen-only>
        <span>Ctrl + wheel zooms</span>
        <span>drag moves</span>
        <span>
          <kbd className="font-sans">e</kbd> next failure
        </span>
        <span>
          <kbd className="font-sans">0</kbd> all
        </span>
        {view.total > view.id.length ? (
          <span className="text-late-text">
            The first {view.id.length.toLocaleString('en')} of {view.total.toLocaleString('en')} task runs
          </span>
        ) : null}
      </p>
    </section>
  );
}

function Hint({ row, view, left, top }: { row: TimelineRow; view: TimelineView; left: number; top: number }) {
  const start = view.start[row.task] ?? null;
  const end = view.end[row.task] ?? null;
  return (
    <div
      className="pointer-events-none absolute z-10 max-w-72 rounded-panel border border-line bg-surface px-2 py-1 text-xs shadow-raised"
      style={{ left, top }}
    >
      <div className="truncate font-medium">{row.name}</div>
      <div className="text-soft">
        {row.folded > 0 ? `${row.folded} task runs` : titleOf(row.kind)}
        {start !== null && row.folded === 0 ? ` · from ${preciseClockTime(Date.parse(view.origin) + start)}` : ''}
        {start !== null && end !== null && row.folded === 0 ? ` · ${duration((end - start) / 1000)}` : ''}
      </div>
    </div>
  );
}

function Axis({ left, width, shown }: { left: number; width: number; shown: Window }) {
  const steps = [
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000,
  ];
  const wanted = (shown.span * TICK_SPACE) / Math.max(1, width);
  const hours = [600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000, 604_800_000];
  const step = [...steps, ...hours].find((one) => one >= wanted) ?? 2_592_000_000;
  const ticks: number[] = [];
  for (let at = Math.ceil(shown.from / step) * step; at <= shown.from + shown.span; at += step) ticks.push(at);
  return (
    <div aria-hidden="true" className="tabular relative text-2xs text-quiet" style={{ height: AXIS, marginLeft: left }}>
      {ticks.map((at) => (
        <span
          key={at}
          className="absolute bottom-0.5 border-l border-line pl-1 whitespace-nowrap"
          style={{ left: ((at - shown.from) / shown.span) * width }}
        >
          {duration(at / 1000)}
        </span>
      ))}
    </div>
  );
}

interface Picture {
  readonly rows: readonly TimelineRow[];
  readonly offset: number;
  readonly width: number;
  readonly height: number;
  readonly rowHeight: number;
  readonly barHeight: number;
  readonly shown: Window;
  readonly now: number;
  readonly chosen: string | undefined;
  readonly over: number | undefined;
  /** Only so that a changed theme draws again. */
  readonly dark: string;
}

/** Bars of one colour are one path: the number of fills does not grow with the number of bars. */
function draw(context: CanvasRenderingContext2D, picture: Picture): void {
  const { rows, offset, width, height, rowHeight, barHeight, shown, now, chosen, over } = picture;
  const ratio = devicePixelRatio;
  const { canvas } = context;
  if (canvas.width !== width * ratio || canvas.height !== height * ratio) {
    canvas.width = width * ratio;
    canvas.height = height * ratio;
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(`--${name}`);
  const x = (at: number) => ((at - shown.from) / shown.span) * width;
  const paths = new Map<StateKind, Path2D>();
  const open = new Path2D();
  for (const [index, row] of rows.entries()) {
    const top = offset + index * rowHeight;
    if (row.id === chosen || index === over) {
      context.fillStyle = token(row.id === chosen ? 'selected' : 'hover');
      context.fillRect(0, top, width, rowHeight);
    }
    for (const { from, to, kind, isWait } of row.segments) {
      const left = x(from);
      const right = x(to ?? now);
      if (right < 0 || left > width) continue;
      const tall = isWait ? WAIT_HEIGHT : barHeight;
      if (isWait && right - left < SMALLEST_BAR) continue;
      const wide = Math.max(SMALLEST_BAR, Math.min(right, width + 4) - Math.max(left, -4));
      let path = paths.get(kind);
      if (!path) {
        path = new Path2D();
        paths.set(kind, path);
      }
      path.roundRect(Math.max(left, -4), top + (rowHeight - tall) / 2, wide, tall, isWait ? 1 : 2);
      if (to === null && !isWait) open.rect(Math.min(right, width) - 2, top + (rowHeight - tall) / 2, 2, tall);
    }
  }
  for (const kind of stateKinds) {
    const path = paths.get(kind);
    if (!path) continue;
    context.fillStyle = token(tokenOf(kind));
    context.fill(path);
  }
  context.fillStyle = token('surface');
  context.fill(open);
  context.font = `11px ${token('font-sans') || 'sans-serif'}`;
  context.textBaseline = 'middle';
  for (const [index, row] of rows.entries())
    drawDuration(context, row, offset + (index + 0.5) * rowHeight, x, now, token, width);
}

/** Beside the bar, where there is room. */
function drawDuration(
  context: CanvasRenderingContext2D,
  row: TimelineRow,
  middle: number,
  x: (at: number) => number,
  now: number,
  token: (name: string) => string,
  width: number,
): void {
  const last = row.segments.at(-1);
  if (!last || row.folded > 0) return;
  const begin = row.segments.find(({ isWait }) => !isWait)?.from;
  if (begin === undefined) return;
  const right = x(last.to ?? now);
  if (right < 0 || right > width - NAME_FROM) return;
  context.fillStyle = token('quiet');
  context.fillText(duration(((last.to ?? now) - begin) / 1000), right + 6, middle);
}
