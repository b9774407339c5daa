/** The logs of two runs side by side. Lines that say the same stand in one row; the others are marked. */
import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useMemo, useRef } from 'react';
import { Section } from '../../components/page.tsx';
import { Unread } from '../../components/states-of-loading.tsx';
import { differingParts } from '../../components/text/differing-parts.ts';
import { counted } from '../../design/figures.ts';
import { duration } from '../../design/time.ts';
import { linesOf } from '../logs/log-lines.ts';
import { type AlignedRow, alignedLogs } from './aligned-logs.ts';
import { shownRows } from './log-rows.ts';
import { type ComparedRun, type ExcerptLog, logExcerptQuery } from './queries.ts';

/** A guess for rows that were not measured. */
const ROW_HEIGHT = 20;
const ERROR_LEVEL = 40;
const NONE_OPENED: ReadonlySet<string> = new Set();

interface Props {
  readonly a: ComparedRun;
  readonly b: ComparedRun;
  readonly isEqualShown: boolean;
  readonly onShowEqual: (isShown: boolean) => void;
}

export function ComparedLogs({ a, b, isEqualShown, onShowEqual }: Props) {
  const [ofA, ofB] = [useQuery(logExcerptQuery(a.id)), useQuery(logExcerptQuery(b.id))];
  const rows = useMemo(
    () =>
      ofA.data && ofB.data
        ? alignedLogs({ logs: ofA.data.logs, names: [a.name] }, { logs: ofB.data.logs, names: [b.name] })
        : undefined,
    [ofA.data, ofB.data, a.name, b.name],
  );
  if (!rows) return <Unread of={ofA.data ? ofB : ofA} rows={10} />;
  const differing = rows.filter(({ kind }) => kind !== 'equal').length;
  const isCut = ofA.data?.gap !== null || ofB.data?.gap !== null;
  return (
    <Section
      title="Logs"
      aside={
        rows.length === 0 ? null : (
          <span className="flex gap-4">
            <span className="tabular">
              {counted(differing, 'row')} of {rows.length.toLocaleString('en')} {differing === 1 ? 'differs' : 'differ'}
            </span>
            <button
              type="button"
              aria-pressed={isEqualShown}
              onClick={() => onShowEqual(!isEqualShown)}
              className="hover:text-ink aria-pressed:font-medium aria-pressed:text-ink"
            >
              Equal lines
            </button>
          </span>
        )
      }
    >
      {isCut ? (
        <p className="mb-2 text-quiet">Of a long log, the first 500 and the last 500 records are compared.</p>
      ) : null}
      {rows.length === 0 ? (
        <p className="text-quiet">Neither run has logged anything.</p>
      ) : (
        <Rows rows={rows} a={a} b={b} isEqualShown={isEqualShown} onShowEqual={onShowEqual} />
      )}
    </Section>
  );
}

interface RowsProps extends Props {
  readonly rows: readonly AlignedRow<ExcerptLog>[];
}

function Rows({ rows, a, b, isEqualShown, onShowEqual }: RowsProps) {
  const shown = useMemo(() => shownRows(rows, isEqualShown), [rows, isEqualShown]);
  const scroller = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 20,
  });
  return (
    <section
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
      tabIndex={0}
      aria-label="Compared lines"
      className="max-h-[60vh] overflow-y-auto rounded-panel border border-line bg-surface font-mono text-xs"
    >
      <div className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const one = shown[index];
          if (!one) return null;
          return (
            <div
              key={index}
              ref={virtual.measureElement}
              data-index={index}
              className="absolute top-0 left-0 w-full"
              style={{ transform: `translateY(${start}px)` }}
            >
              {'folded' in one ? (
                <button
                  type="button"
                  onClick={() => onShowEqual(true)}
                  className="w-full bg-canvas px-3 py-0.5 text-left text-quiet hover:text-ink"
                >
                  {counted(one.folded, 'equal line')}
                </button>
              ) : (
                <Row row={one.row} a={a} b={b} />
              )}
            </div>
          );
        })}
      </div>
    </section>
  );
}

function Row({ row, a, b }: { readonly row: AlignedRow<ExcerptLog> } & Pick<Props, 'a' | 'b'>) {
  const { kind } = row;
  const parts = kind === 'changed' && row.a && row.b ? differingParts(row.a.message, row.b.message) : undefined;
  const marked = (text: string) =>
    parts && (
      <>
        {parts.lead}
        <mark className="rounded-bar bg-selected font-semibold text-ink">{text}</mark>
        {parts.tail}
      </>
    );
  return (
    <div className="grid grid-cols-2 max-md:grid-cols-1">
      <Cell log={row.a} run={a} side="A" kind={kind} isElsewhere={row.elsewhere.a}>
        {parts && marked(parts.before)}
      </Cell>
      <Cell log={row.b} run={b} side="B" kind={kind} isElsewhere={row.elsewhere.b}>
        {parts && marked(parts.now)}
      </Cell>
    </div>
  );
}

interface CellProps {
  readonly log: ExcerptLog | undefined;
  readonly run: ComparedRun;
  readonly side: 'A' | 'B';
  readonly kind: AlignedRow<ExcerptLog>['kind'];
  readonly isElsewhere: boolean;
  /** The message with its differing part marked; the plain lines without it. */
  readonly children: ReactNode;
}

function Cell({ log, run, side, kind, isElsewhere, children }: CellProps) {
  if (!log) return <div className="border-line bg-canvas max-md:hidden md:first:border-r" />;
  const isOnly = kind === 'apart' && !isElsewhere;
  const elapsed = run.start_time ? (Date.parse(log.timestamp) - Date.parse(run.start_time)) / 1000 : undefined;
  return (
    <div
      className={`flex gap-2 border-line px-3 py-0.5 md:first:border-r ${isOnly ? 'bg-selected' : ''} ${kind === 'equal' ? 'text-quiet' : ''}`}
    >
      <span className="w-3 shrink-0 text-quiet select-none md:hidden">{side}</span>
      <span className="tabular w-13 shrink-0 text-right whitespace-nowrap text-quiet select-none">
        {elapsed === undefined ? '' : elapsed < 0 ? `−${duration(-elapsed)}` : duration(elapsed)}
      </span>
      <span className="w-3 shrink-0 font-semibold select-none">
        {isOnly ? (side === 'A' ? '−' : '+') : kind === 'changed' ? '≠' : ''}
      </span>
      <span
        className={`min-w-0 wrap-anywhere whitespace-pre-wrap ${log.level >= ERROR_LEVEL ? 'text-failed-text' : ''}`}
      >
        {isOnly ? <span className="sr-only">only in {side}: </span> : null}
        {children ?? <Message log={log} />}
        {isElsewhere ? <span className="ml-2 font-sans text-quiet">elsewhere in the other</span> : null}
      </span>
    </div>
  );
}

/** The lines of a message; the frames of libraries are counted. */
function Message({ log }: { readonly log: ExcerptLog }) {
  return linesOf(log, NONE_OPENED, true)
    .map(({ text, folded }) => (folded > 0 ? `  … ${counted(folded, 'frame')} of libraries` : text))
    .join('\n');
}
