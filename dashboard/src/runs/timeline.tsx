/** The task runs of a flow run over time, on a canvas: ten thousand bars are one picture, not ten thousand elements. */
import { useQueries } from '@tanstack/react-query';
import { ChevronDown, ChevronRight, Minus, Plus, Workflow } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import { IconButton } from '../components/button.tsx';
import { CanvasHints } from '../components/canvas-hints.tsx';
import { useWheelZoom } from '../components/use-wheel-zoom.ts';
import { useWidth } from '../components/use-width.ts';
import { StateMark } from '../design/state-mark.tsx';
import { titleOf } from '../design/states.ts';
import { duration, preciseClockTime } from '../design/time.ts';
import { usePreferences } from '../preferences/preferences.ts';
import { useIsDark } from '../preferences/theme.ts';
import { type TimelineView, timelineQuery } from './queries.ts';
import { AXIS_HEIGHT, TimelineAxis } from './timeline-axis.tsx';
import { draw, type Window } from './timeline-drawing.ts';
import { linksOf, type Neighbours, rangeOf, rowsOf, type TimelineRow } from './timeline-layout.ts';

const ROW = { dense: 24, comfortable: 30 } as const;
const BAR = { dense: 14, comfortable: 18 } as const;
const LABELS = 260;
const NARROW_LABELS = 120;
const INDENT = 16;
const MOST_ZOOM = 5000;
/** Space at the right end of the longest bar. */
const MARGIN = 1.02;

interface Props {
  readonly view: TimelineView;
  /** Id of the selected task run or subflow run. */
  readonly chosen: string | undefined;
  readonly neighbours: Neighbours | undefined;
  readonly onChoose: (id: string | undefined) => void;
  /** Height of the rows in pixels before they scroll. */
  readonly height: number;
}

const dataOf = (results: readonly { readonly data?: TimelineView | undefined }[]) => results.map(({ data }) => data);

export function Timeline({ view, chosen, neighbours, onChoose, height }: Props) {
  const { density } = usePreferences();
  const isDark = useIsDark();
  const rowHeight = ROW[density];
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [openedRuns, setOpenedRuns] = useState<readonly string[]>([]);
  const width = useWidth(scroller);
  const [scroll, setScroll] = useState(0);
  const [zoomed, setZoomed] = useState<Window>();
  const [over, setOver] = useState<{ x: number; row: number }>();
  const views = useQueries({ queries: openedRuns.map((id) => timelineQuery(id)), combine: dataOf });
  const rows = useMemo(() => {
    const subflows = new Map(openedRuns.flatMap((id, index) => (views[index] ? [[id, views[index]] as const] : [])));
    return rowsOf(view, { opened, chosen, subflows });
  }, [view, opened, openedRuns, views, chosen]);
  const links = useMemo(() => linksOf(rows, chosen, neighbours), [rows, chosen, neighbours]);
  const range = useMemo(() => rangeOf(view), [view]);
  const whole = (range.to - range.from) * MARGIN;
  const shown: Window = zoomed ?? { from: range.from, span: whole };
  const labels = width < 640 ? NARROW_LABELS : LABELS;
  const barsWidth = Math.max(0, width - labels);
  const visible = Math.min(height, rows.length * rowHeight);
  const first = Math.floor(scroll / rowHeight);
  const count = Math.ceil(visible / rowHeight) + 1;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the mode changes the colours of the tokens that are drawn.
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context || barsWidth === 0) return;
    draw(context, {
      rows,
      first,
      count,
      scroll,
      width: barsWidth,
      height: visible,
      rowHeight,
      barHeight: BAR[density],
      shown,
      now: range.to,
      chosen,
      over: over?.row,
      links,
    });
  }, [
    rows,
    links,
    first,
    count,
    scroll,
    barsWidth,
    visible,
    density,
    shown.from,
    shown.span,
    chosen,
    over?.row,
    isDark,
  ]);

  const zoom = (factor: number, at = 0.5) => {
    const span = Math.min(whole, Math.max(whole / MOST_ZOOM, shown.span * factor));
    const from = within(shown.from + (shown.span - span) * at, span);
    setZoomed(span >= whole / MARGIN ? undefined : { from, span });
  };
  useWheelZoom(canvas, (factor, at) => zoom(factor, at.x / barsWidth));
  const within = (from: number, span: number) => Math.max(range.from, Math.min(range.from + whole - span, from));
  const pan = (milliseconds: number) => {
    setZoomed((old) => old && { ...old, from: within(old.from + milliseconds, old.span) });
  };
  const rowAt = (event: { currentTarget: HTMLElement; clientY: number }) => {
    const { top } = event.currentTarget.getBoundingClientRect();
    return Math.floor((event.clientY - top + scroll) / rowHeight);
  };
  const open = (row: TimelineRow) => {
    const isOpen = opened.has(row.key);
    setOpened(isOpen ? new Set([...opened].filter((key) => key !== row.key)) : new Set([...opened, row.key]));
    if (row.role === 'subflow') {
      setOpenedRuns(isOpen ? openedRuns.filter((id) => id !== row.id) : [...openedRuns, row.id]);
    }
  };
  const choose = (row: TimelineRow | undefined) => {
    if (!row) return;
    if (row.role === 'fold') open(row);
    else onChoose(row.role === 'run' || row.id === chosen ? undefined : row.id);
  };
  const nextFailure = () => {
    const from = rows.findIndex(({ id }) => id === chosen);
    const order = [...rows.slice(from + 1), ...rows.slice(0, from + 1)];
    const found = order.find(({ kind, role }) => role !== 'run' && (kind === 'FAILED' || kind === 'CRASHED'));
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
      <TimelineAxis left={labels} width={barsWidth} shown={shown} />
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
                key={row.key}
                className="absolute right-0 left-0 flex border-r border-line hover:bg-hover has-aria-pressed:bg-selected"
                style={{
                  top: (first + index) * rowHeight - scroll,
                  height: rowHeight,
                  paddingLeft: row.depth * INDENT,
                }}
              >
                <Label
                  row={row}
                  isChosen={row.id !== '' && row.id === chosen}
                  isOpen={opened.has(row.key)}
                  open={open}
                  choose={choose}
                />
              </li>
            ))}
          </ul>
          <canvas
            ref={canvas}
            role="img"
            aria-label="Bars of the task runs over time"
            className="sticky top-0 block touch-pan-y"
            style={{ marginLeft: labels, width: barsWidth, height: visible }}
            onPointerMove={(event: PointerEvent<HTMLCanvasElement>) => {
              const { left } = event.currentTarget.getBoundingClientRect();
              if (event.buttons === 1) pan((-event.movementX / barsWidth) * shown.span);
              setOver({ x: event.clientX - left, row: rowAt(event) });
            }}
            onPointerLeave={() => setOver(undefined)}
            onClick={(event) => choose(rows[rowAt(event)])}
          />
        </div>
      </div>
      {pointed && over ? (
        <Hint
          row={pointed}
          origin={Date.parse(view.origin)}
          left={labels + Math.min(over.x, barsWidth - 200)}
          top={(over.row + 1) * rowHeight - scroll + AXIS_HEIGHT}
        />
      ) : null}
      <p className="mt-1 flex flex-wrap gap-3 text-2xs text-quiet" data-screen-only>
        <CanvasHints moves="drag moves" />
        {view.total > view.id.length ? (
          <span className="text-late-text">
            The first {view.id.length.toLocaleString('en')} of {view.total.toLocaleString('en')} task runs
          </span>
        ) : null}
      </p>
    </section>
  );
}

interface LabelProps {
  readonly row: TimelineRow;
  readonly isChosen: boolean;
  readonly isOpen: boolean;
  readonly open: (row: TimelineRow) => void;
  readonly choose: (row: TimelineRow) => void;
}

function Label({ row, isChosen, isOpen, open, choose }: LabelProps) {
  const { role, name, folded, tries } = row;
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <>
      {role === 'subflow' ? (
        <button
          type="button"
          aria-label={`Tasks of ${name}`}
          aria-expanded={isOpen}
          onClick={() => open(row)}
          className="flex w-6 shrink-0 items-center justify-center text-quiet hover:text-ink"
        >
          <Chevron size={12} />
        </button>
      ) : null}
      <button
        type="button"
        onClick={() => choose(row)}
        aria-pressed={isChosen || undefined}
        aria-expanded={role === 'fold' ? false : undefined}
        className={`flex min-w-0 flex-1 items-center gap-1.5 text-left text-xs aria-pressed:font-medium ${role === 'subflow' ? 'pr-2' : 'px-2'}`}
      >
        {role === 'fold' ? <ChevronRight size={12} /> : <StateMark kind={row.kind} size={12} alone />}
        {role === 'subflow' ? <Workflow size={12} aria-label="Subflow" className="shrink-0 text-quiet" /> : null}
        <span className={`truncate ${role === 'run' ? 'text-quiet' : ''}`}>{name}</span>
        {role === 'fold' ? <span className="tabular text-quiet">×{folded.length}</span> : null}
        {tries > 1 ? (
          <span className="tabular ml-auto text-2xs whitespace-nowrap text-quiet">{tries} tries</span>
        ) : null}
      </button>
    </>
  );
}

interface HintProps {
  readonly row: TimelineRow;
  /** Milliseconds since 1970. */
  readonly origin: number;
  readonly left: number;
  readonly top: number;
}

function Hint({ row: { name, role, kind, start, end, folded }, origin, left, top }: HintProps) {
  return (
    <div
      className="pointer-events-none absolute z-10 max-w-72 rounded-panel border border-line bg-surface px-2 py-1 text-xs shadow-raised"
      style={{ left, top }}
    >
      <div className="truncate font-medium">{name}</div>
      <div className="text-soft">
        {role === 'fold' ? `${folded.length} task runs` : titleOf(kind)}
        {start !== null && role !== 'fold' ? ` · from ${preciseClockTime(origin + start)}` : ''}
        {start !== null && end !== null && role !== 'fold' ? ` · ${duration((end - start) / 1000)}` : ''}
      </div>
    </div>
  );
}
