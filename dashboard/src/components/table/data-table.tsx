/**
 * A dense table of any length: only the visible rows are in the page. Columns can be chosen and resized, rows selected,
 * and `j`, `k`, `Enter` and `x` move, open and select.
 */
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { usePreferences } from '../../preferences/preferences.ts';
import { isTyping } from '../is-typing.ts';
import { type ColumnWidths, useColumnWidths } from './column-widths.ts';
import { type Column, cellClass, DataRow } from './data-row.tsx';

export type { Column } from './data-row.tsx';

export interface Sorting {
  /** The id of the column. */
  readonly by: string;
  readonly direction: 'ascending' | 'descending';
}

interface Props<Row> {
  readonly label: string;
  /** The name by which the widths of its columns are remembered. They cannot be changed without one. */
  readonly name?: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  /** Ids of the selected rows. */
  readonly selected?: ReadonlySet<string>;
  readonly onSelect?: (selected: ReadonlySet<string>) => void;
  readonly onOpen?: (row: Row) => void;
  /** Ids of the columns that are shown; all when absent. */
  readonly shown?: readonly string[] | undefined;
  /** The order of the rows. With `onSort`, the headings of sortable columns change it. */
  readonly sorting?: Sorting;
  readonly onSort?: (sorting: Sorting) => void;
  /** Called when the last rows come into sight. */
  readonly onEnd?: () => void;
}

const HEIGHTS = { dense: 28, comfortable: 40 } as const;
const TWO_LINES_HEIGHT = 56;
/** Below this width in pixels a row has two lines. */
const PHONE_WIDTH = 520;
/** Number of rows drawn above and below the visible ones. */
const OVERSCAN = 6;
/** More rows are requested when this few are left. */
const AHEAD = 12;
/** Pixels by which an arrow key changes a width. */
const STEP = 16;
const NONE: ReadonlySet<string> = new Set();
const HEAD_CLASS =
  'ruled sticky top-0 z-10 grid h-7 grid-cols-(--columns) items-center gap-x-3 bg-canvas px-6 text-xs text-quiet max-lg:top-12 max-sm:px-4';

export function DataTable<Row>({
  label,
  name,
  columns,
  rows,
  idOf,
  selected = NONE,
  onSelect,
  onOpen,
  shown,
  sorting,
  onSort,
  onEnd,
}: Props<Row>) {
  const { density } = usePreferences();
  const body = useRef<HTMLDivElement>(null);
  const { offset, width } = usePlace(body);
  const [current, setCurrent] = useState(-1);
  const isPhone = width < PHONE_WIDTH && columns.some(({ line }) => line !== undefined);
  const visible = useMemo(
    () => columns.filter(({ id, from = 0 }) => (shown?.includes(id) ?? true) && width >= from),
    [columns, shown, width],
  );
  const widths = useColumnWidths(name, columns, rows);
  const areAllSelected = rows.length > 0 && rows.every((row) => selected.has(idOf(row)));
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => (isPhone ? TWO_LINES_HEIGHT : HEIGHTS[density]),
    overscan: OVERSCAN,
    scrollMargin: offset,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? -1;
  const select = (ids: readonly string[], isSelected: boolean) => {
    const next = new Set(selected);
    for (const id of ids) isSelected ? next.add(id) : next.delete(id);
    onSelect?.(next);
  };
  const before = useRef<string>(undefined);
  const latest = useRef((_id: string, _isRange: boolean) => {});
  useLayoutEffect(() => {
    latest.current = (id, isRange) => {
      const from = isRange ? rows.findIndex((row) => idOf(row) === before.current) : -1;
      const to = rows.findIndex((row) => idOf(row) === id);
      const range = from < 0 ? [id] : rows.slice(Math.min(from, to), Math.max(from, to) + 1).map(idOf);
      select(range, !selected.has(id));
      before.current = id;
    };
  });
  const toggle = useCallback((id: string, isRange: boolean) => latest.current(id, isRange), []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the heights of all rows change with these.
  useEffect(() => virtual.measure(), [density, isPhone]);
  useEffect(() => {
    if (onEnd && last >= rows.length - AHEAD) onEnd();
  }, [last, rows.length, onEnd]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      const row = rows[current];
      if (event.key === 'j' || event.key === 'k') {
        const next = Math.max(0, Math.min(rows.length - 1, current + (event.key === 'j' ? 1 : -1)));
        setCurrent(next);
        virtual.scrollToIndex(next);
      } else if (event.key === 'Enter' && row && event.target === document.body) onOpen?.(row);
      else if (event.key.toLowerCase() === 'x' && row && onSelect) toggle(idOf(row), event.shiftKey);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [current, rows, idOf, onOpen, onSelect, toggle, virtual]);

  const template = `${onSelect ? '1.75rem ' : ''}${isPhone ? 'minmax(0, 1fr)' : visible.map(widths.trackOf).join(' ')}`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows out of sight are not in the page, which a table element cannot say.
    <div
      role="table"
      aria-label={label}
      aria-rowcount={rows.length}
      className="overflow-x-clip text-sm"
      style={{ ['--columns' as string]: template }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as above. */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the row of headings is not operated. */}
      <div role="row" className={isPhone && !onSelect ? 'sr-only' : HEAD_CLASS}>
        {onSelect ? (
          // biome-ignore lint/a11y/useSemanticElements: as above.
          // biome-ignore lint/a11y/useFocusableInteractive: people operate the box inside.
          <div role="columnheader">
            <input
              type="checkbox"
              aria-label="Select all rows that are loaded"
              checked={areAllSelected}
              onChange={({ target }) => select(rows.map(idOf), target.checked)}
            />
          </div>
        ) : null}
        {visible.map((column) => (
          <Heading
            key={column.id}
            column={column}
            isPhone={isPhone}
            sorting={sorting}
            onSort={onSort}
            widths={name === undefined || isPhone ? undefined : widths}
          />
        ))}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above. */}
      <div role="rowgroup" ref={body} className="relative" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start, size }) => {
          const row = rows[index];
          if (!row) return null;
          const id = idOf(row);
          return (
            <DataRow
              key={id}
              row={row}
              id={id}
              index={index}
              top={start - offset}
              height={size}
              columns={visible}
              isPhone={isPhone}
              isCurrent={index === current}
              isSelected={onSelect ? selected.has(id) : undefined}
              onToggle={toggle}
            />
          );
        })}
      </div>
    </div>
  );
}

interface HeadingProps<Row> {
  readonly column: Column<Row>;
  readonly isPhone: boolean;
  readonly sorting: Sorting | undefined;
  readonly onSort: ((sorting: Sorting) => void) | undefined;
  readonly widths: ColumnWidths | undefined;
}

function Heading<Row>({ column, isPhone, sorting, onSort, widths }: HeadingProps<Row>) {
  const { id, title, sorts } = column;
  const direction = sorting?.by === id ? sorting.direction : undefined;
  const other = direction === 'ascending' ? 'descending' : 'ascending';
  return (
    // biome-ignore lint/a11y/useSemanticElements: as above.
    // biome-ignore lint/a11y/useFocusableInteractive: the button inside is operated.
    <div
      role="columnheader"
      aria-label={title}
      aria-sort={direction}
      className={isPhone ? 'sr-only' : `relative ${cellClass(column)}`}
    >
      {sorts && onSort && !isPhone ? (
        <button
          type="button"
          className="hover:text-ink"
          onClick={() => onSort({ by: id, direction: direction ? other : sorts })}
        >
          {title}
          <span aria-hidden>{direction ? (direction === 'ascending' ? ' ↑' : ' ↓') : ''}</span>
        </button>
      ) : (
        title
      )}
      {widths ? <Edge id={id} title={title} widths={widths} /> : null}
    </div>
  );
}

interface EdgeProps {
  readonly id: string;
  readonly title: string;
  readonly widths: ColumnWidths;
}

/** Changes the width of a column: with the pointer, or with the arrow keys. A double click fits it to its content. */
function Edge({ id, title, widths: { least, most, change, reset } }: EdgeProps) {
  const edge = useRef<HTMLDivElement>(null);
  const start = useRef<number>(undefined);
  const [now, setNow] = useState(0);
  const width = () => edge.current?.parentElement?.getBoundingClientRect().width ?? 0;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule of a document cannot be moved.
    <div
      ref={edge}
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={`Width of the column ${title}`}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={now}
      title="Drag, or use the arrow keys; a double click fits the content"
      className="absolute inset-y-0 right-0 w-1.5 cursor-col-resize border-r border-transparent hover:border-control focus-visible:border-accent"
      onFocus={() => setNow(Math.round(width()))}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = width() - event.clientX;
      }}
      onPointerMove={({ clientX }) => {
        if (start.current !== undefined) change(id, start.current + clientX);
      }}
      onPointerUp={() => {
        start.current = undefined;
      }}
      onDoubleClick={() => reset(id)}
      onKeyDown={({ key }) => {
        if (key === 'ArrowLeft') change(id, width() - STEP);
        else if (key === 'ArrowRight') change(id, width() + STEP);
        else if (key === 'Home') reset(id);
        setNow(Math.round(width()));
      }}
    />
  );
}

/** The position of the element in the page and its width, in pixels; 0 until it is drawn. */
function usePlace(element: RefObject<HTMLElement | null>): { readonly offset: number; readonly width: number } {
  const [place, setPlace] = useState({ offset: 0, width: 0 });
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return undefined;
    const measure = () => setPlace({ offset: current.offsetTop, width: current.clientWidth });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return place;
}
