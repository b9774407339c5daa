/** Keeps the state of the timeline: scroll, zoom, opened rows, the choice. Draws the bars on the canvas. */
import { useQueries } from '@tanstack/react-query';
import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useWheelZoom } from '../../components/chart/use-wheel-zoom.ts';
import { useWidth } from '../../components/chart/use-width.ts';
import { usePreferences } from '../../preferences/preferences.ts';
import { useIsDark } from '../../preferences/theme.ts';
import { type TimelineView, timelineQuery } from '../queries.ts';
import { idleTimes } from './idle-time.ts';
import { type Span, scaleOf, type Window, workedUntil } from './time-scale.ts';
import { draw } from './timeline-drawing.ts';
import { CLOSED, linksOf, type Neighbours, rangeOf, rowsOf, type TimelineRow } from './timeline-layout.ts';

const ROW = { dense: 24, comfortable: 30 } as const;
const BAR = { dense: 14, comfortable: 18 } as const;
const LABELS = 260;
const NARROW_LABELS = 120;
const MOST_ZOOM = 5000;
/** Space at the right end of the longest bar. */
const MARGIN = 1.02;

export interface TimelineProps {
  readonly view: TimelineView;
  /** Id of the selected task run or subflow run. */
  readonly chosen: string | undefined;
  readonly neighbours: Neighbours | undefined;
  readonly onChoose: (id: string | undefined) => void;
  /** True if only task runs of which an attempt failed are shown. */
  readonly errorsOnly: boolean;
  /** Height of the rows in pixels before they scroll. */
  readonly height: number;
}

const dataOf = (results: readonly { readonly data?: TimelineView | undefined }[]) => results.map(({ data }) => data);

/** The rows: those of opened folds and subflows included. */
function useRowsOf({ view, chosen, errorsOnly }: Pick<TimelineProps, 'view' | 'chosen' | 'errorsOnly'>) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [openedRuns, setOpenedRuns] = useState<readonly string[]>([]);
  const views = useQueries({ queries: openedRuns.map((id) => timelineQuery(id)), combine: dataOf });
  const rows = useMemo(() => {
    const subflows = new Map(openedRuns.flatMap((id, index) => (views[index] ? [[id, views[index]] as const] : [])));
    return rowsOf(view, { opened, chosen, subflows, errorsOnly });
  }, [view, opened, openedRuns, views, chosen, errorsOnly]);
  const open = (row: TimelineRow) => {
    const isOpen = opened.has(row.key);
    setOpened(isOpen ? new Set([...opened].filter((key) => key !== row.key)) : new Set([...opened, row.key]));
    if (row.role === 'subflow') {
      setOpenedRuns(isOpen ? openedRuns.filter((id) => id !== row.id) : [...openedRuns, row.id]);
    }
  };
  return { rows, opened, open };
}

/** The idle time that is folded. What a person unfolds stays so while the page is open. */
function useFolds(view: TimelineView, range: Span) {
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  const idle = useMemo(() => idleTimes(rowsOf(view, CLOSED), range), [view, range]);
  const folded = useMemo(() => idle.filter(({ from }) => !unfolded.has(from)), [idle, unfolded]);
  return {
    folded,
    /** True if some idle time was unfolded. */
    isUnfolded: folded.length < idle.length,
    unfold: ({ from }: Span) => setUnfolded(new Set([...unfolded, from])),
    foldAgain: () => setUnfolded(new Set()),
  };
}

/** The part of the time that is shown, and how it moves. */
function useWindow(range: Span, folded: readonly Span[]) {
  const [zoomed, setZoomed] = useState<Window>();
  const whole = (workedUntil(folded, range.to) - range.from) * MARGIN;
  const shown: Window = zoomed ?? { from: range.from, span: whole };
  const within = (from: number, span: number) => Math.max(range.from, Math.min(range.from + whole - span, from));
  /** Keeps the worked time `at` in its place; by default, the middle. */
  const zoom = (factor: number, at = shown.from + shown.span / 2) => {
    const span = Math.min(whole, Math.max(whole / MOST_ZOOM, shown.span * factor));
    const from = within(at - ((at - shown.from) / shown.span) * span, span);
    setZoomed(span >= whole / MARGIN ? undefined : { from, span });
  };
  const pan = (milliseconds: number) => {
    setZoomed((old) => old && { ...old, from: within(old.from + milliseconds, old.span) });
  };
  return { shown, zoom, pan, showAll: () => setZoomed(undefined) };
}

/** Draws the bars when the picture or the mode of the colours has changed. */
function useBars(canvas: RefObject<HTMLCanvasElement | null>, picture: Parameters<typeof draw>[1]) {
  const isDark = useIsDark();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the picture is new each time; its parts are compared.
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (context && picture.width > 0) draw(context, picture);
  }, [...Object.values(picture), isDark]);
}

export function useTimeline(props: TimelineProps) {
  const { chosen, neighbours, onChoose, height } = props;
  const { density } = usePreferences();
  const rowHeight = ROW[density];
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(scroller);
  const [scroll, setScroll] = useState(0);
  const [over, setOver] = useState<{ x: number; row: number }>();
  const { rows, opened, open } = useRowsOf(props);
  const range = useMemo(() => rangeOf(props.view), [props.view]);
  const folds = useFolds(props.view, range);
  const { shown, zoom, pan, showAll } = useWindow(range, folds.folded);
  const links = useMemo(() => linksOf(rows, chosen, neighbours), [rows, chosen, neighbours]);
  const labels = width < 640 ? NARROW_LABELS : LABELS;
  const barsWidth = Math.max(0, width - labels);
  const scale = useMemo(
    () => scaleOf(folds.folded, { from: shown.from, span: shown.span }, barsWidth),
    [folds.folded, shown.from, shown.span, barsWidth],
  );
  const visible = Math.min(height, rows.length * rowHeight);
  const first = Math.floor(scroll / rowHeight);
  const count = Math.ceil(visible / rowHeight) + 1;

  useBars(canvas, {
    rows,
    first,
    count,
    scroll,
    width: barsWidth,
    height: visible,
    rowHeight,
    barHeight: BAR[density],
    scale,
    now: range.to,
    chosen,
    over: over?.row,
    links,
  });
  useWheelZoom(canvas, (factor, at) => zoom(factor, scale.workedAt(at.x)));
  const rowAt = (event: { currentTarget: HTMLElement; clientY: number }) => {
    const { top } = event.currentTarget.getBoundingClientRect();
    return Math.floor((event.clientY - top + scroll) / rowHeight);
  };
  const choose = (row: TimelineRow | undefined) => {
    if (!row) return;
    if (row.role === 'fold') open(row);
    else onChoose(row.role === 'run' || row.id === chosen ? undefined : row.id);
  };
  const nextFailure = () => {
    const from = rows.findIndex(({ id }) => id === chosen);
    const order = [...rows.slice(from + 1), ...rows.slice(0, from + 1)];
    const found = order.find(
      ({ kind, role }) => role !== 'run' && role !== 'error' && (kind === 'FAILED' || kind === 'CRASHED'),
    );
    if (!found) return;
    onChoose(found.id);
    scroller.current?.scrollTo({ top: rows.indexOf(found) * rowHeight - visible / 2 });
  };
  /** Moves the focus to the row above or below, which may be out of sight. */
  const moveFocus = (from: EventTarget, by: number) => {
    const row = from instanceof Element ? from.closest<HTMLElement>('[data-row]') : null;
    const target = Number(row?.dataset['row']) + by;
    if (!row || target < 0 || target >= rows.length) return;
    const top = target * rowHeight;
    const { current } = scroller;
    if (current && top < scroll) current.scrollTop = top;
    else if (current && top + rowHeight > scroll + visible) current.scrollTop = top + rowHeight - visible;
    flushSync(() => setScroll(current?.scrollTop ?? scroll));
    current?.querySelector<HTMLElement>(`[data-row="${target}"] button:last-of-type`)?.focus();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'e') nextFailure();
    else if (event.key === '0') showAll();
    else if (event.key === '+' || event.key === '=') zoom(0.5);
    else if (event.key === '-') zoom(2);
    else if (event.key === 'ArrowUp') moveFocus(event.target, -1);
    else if (event.key === 'ArrowDown') moveFocus(event.target, 1);
    else if (event.key === 'ArrowLeft') pan(-shown.span / 8);
    else if (event.key === 'ArrowRight') pan(shown.span / 8);
    else return;
    event.preventDefault();
    // On the page, `=` compares the run.
    event.stopPropagation();
  };
  return {
    scroller,
    canvas,
    rows,
    opened,
    open,
    choose,
    press,
    shown,
    scale,
    folds,
    zoom,
    pan,
    labels,
    barsWidth,
    visible,
    rowHeight,
    hasLinks: links.length > 0,
    scroll,
    setScroll,
    first,
    count,
    over,
    setOver,
    rowAt,
  };
}
