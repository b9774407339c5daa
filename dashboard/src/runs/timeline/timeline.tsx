/** The task runs of a flow run over time, on a canvas: ten thousand bars are one picture, not ten thousand elements. */
import { ChevronDown, ChevronRight, Minus, Plus, Workflow } from 'lucide-react';
import type { PointerEvent } from 'react';
import { IconButton } from '../../components/button.tsx';
import { CanvasHints } from '../../components/chart/canvas-hints.tsx';
import { StateMark } from '../../design/state-mark.tsx';
import { titleOf } from '../../design/states.ts';
import { duration, preciseClockTime } from '../../design/time.ts';
import { AXIS_HEIGHT, TimelineAxis } from './timeline-axis.tsx';
import type { TimelineRow } from './timeline-layout.ts';
import { TimelineLegend } from './timeline-legend.tsx';
import { type TimelineProps, useTimeline } from './use-timeline.ts';

const INDENT = 16;

type Shown = ReturnType<typeof useTimeline>;

export function Timeline(props: TimelineProps) {
  const { view } = props;
  const timeline = useTimeline(props);
  const { scroller, rows, press, scale, folds, zoom, labels, barsWidth, visible, rowHeight, scroll, over } = timeline;
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
      <TimelineAxis left={labels} width={barsWidth} scale={scale} unfold={folds.unfold} />
      <div
        ref={scroller}
        className="relative overflow-y-auto border-y border-line"
        style={{ height: visible + 2 }}
        onScroll={(event) => timeline.setScroll(event.currentTarget.scrollTop)}
      >
        <div style={{ height: rows.length * rowHeight }}>
          <Labels timeline={timeline} chosen={props.chosen} total={view.total} />
          <Bars timeline={timeline} />
        </div>
      </div>
      {props.errorsOnly && rows.every(({ role }) => role === 'run') ? (
        <p className="py-2 text-quiet">No attempt of a task run has failed.</p>
      ) : null}
      {pointed && pointed.role !== 'error' && over ? (
        <Hint
          row={pointed}
          origin={Date.parse(view.origin)}
          left={labels + Math.min(over.x, barsWidth - 200)}
          top={(over.row + 1) * rowHeight - scroll + AXIS_HEIGHT}
        />
      ) : null}
      <p className="mt-1 flex flex-wrap gap-x-3 text-2xs text-quiet" data-screen-only>
        <TimelineLegend hasBreaks={folds.folded.length > 0} hasLinks={timeline.hasLinks} />
        {folds.isUnfolded ? (
          <button type="button" className="text-accent hover:underline" onClick={folds.foldAgain}>
            Fold idle time
          </button>
        ) : null}
        <span className="flex-1" />
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

interface LabelsProps {
  readonly timeline: Shown;
  readonly chosen: string | undefined;
  readonly total: number;
}

function Labels({ timeline, chosen, total }: LabelsProps) {
  const { rows, first, count, scroll, rowHeight, labels, barsWidth, opened, open, choose } = timeline;
  return (
    <ul className="sticky top-0 left-0 z-1" style={{ width: labels, height: 0 }} aria-label={`${total} task runs`}>
      {rows.slice(first, first + count).map((row, index) => (
        <li
          key={row.key}
          data-row={first + index}
          data-ends={row.role === 'error' ? undefined : true}
          className="absolute left-0 flex data-ends:border-r border-line hover:bg-hover has-aria-pressed:bg-selected"
          style={{
            top: (first + index) * rowHeight - scroll,
            height: rowHeight,
            // An error is longer than a name, and its row has no bar.
            width: row.role === 'error' ? labels + barsWidth : labels,
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
  );
}

function Bars({ timeline }: { readonly timeline: Shown }) {
  const { canvas, rows, labels, barsWidth, visible, shown, pan, setOver, rowAt, choose } = timeline;
  return (
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
  if (role === 'error') {
    return (
      <button
        type="button"
        title={name}
        onClick={() => choose(row)}
        className="min-w-0 flex-1 truncate pl-6.5 text-left font-mono text-2xs text-failed-text"
      >
        {name}
      </button>
    );
  }
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
        <span className="sr-only">{wordsFor(row)}</span>
      </button>
    </>
  );
}

/** Describes the bar of a row to those who do not see it. */
function wordsFor({ role, start, end }: TimelineRow): string {
  if (role === 'fold') return 'task runs of one name';
  if (start === null) return 'not started';
  return `${end === null ? 'running' : duration((end - start) / 1000)}, from ${duration(Math.max(0, start) / 1000)}`;
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
