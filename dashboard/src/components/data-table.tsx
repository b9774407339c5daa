/**
 * A dense table of any length: only the rows in sight are in the page. Columns can be chosen, rows selected, and `j`, `k`,
 * `Enter` and `x` move, open and select.
 */
import {
  type ColumnDef,
  columnVisibilityFeature,
  type RowData,
  rowSelectionFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { usePreferences } from '../preferences/preferences.ts';
import { isTyping } from '../shell/shortcuts.ts';

const features = tableFeatures({ columnVisibilityFeature, rowSelectionFeature });

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  /** CSS width of the track: `minmax(12rem, 2fr)`. */
  readonly width: string;
  readonly align?: 'right';
  /** Shown where the table is at least this wide, in pixels. Always shown when absent. */
  readonly from?: number;
  /** On a phone, where a row has two lines: its line. Columns without one are not shown there. */
  readonly line?: 1 | 2;
  readonly cell: (row: Row) => ReactNode;
}

interface Props<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  readonly selected?: Readonly<Record<string, boolean>>;
  readonly onSelect?: (selected: Record<string, boolean>) => void;
  readonly onOpen?: (row: Row) => void;
  /** Ids of the columns that are shown; all when absent. */
  readonly shown?: readonly string[] | undefined;
  /** Called when the last rows come into sight. */
  readonly onEnd?: () => void;
}

const HEIGHTS = { dense: 28, comfortable: 40 } as const;
const TWO_LINES_HEIGHT = 56;
/** Below this width a row has two lines. */
const PHONE_WIDTH = 520;
const AHEAD = 12;
const HEAD_CLASS =
  'ruled sticky top-0 z-10 grid h-7 grid-cols-(--columns) items-center gap-x-3 bg-canvas px-6 text-xs text-quiet max-lg:top-12 max-sm:px-4';

export function DataTable<Row extends RowData>({
  label,
  columns,
  rows,
  idOf,
  selected = {},
  onSelect,
  onOpen,
  shown,
  onEnd,
}: Props<Row>) {
  const { density } = usePreferences();
  const body = useRef<HTMLDivElement>(null);
  const [offset, setOffset] = useState(0);
  const [width, setWidth] = useState(0);
  const [current, setCurrent] = useState(-1);
  const table = useTable({
    features,
    data: rows as Row[],
    columns: columns.map((column) => ({ id: column.id, header: column.title })) as ColumnDef<typeof features, Row>[],
    getRowId: idOf,
    state: {
      rowSelection: selected as Record<string, true>,
      columnVisibility: Object.fromEntries(columns.map(({ id }) => [id, shown?.includes(id) ?? true])),
    },
    onRowSelectionChange: (update) =>
      onSelect?.(typeof update === 'function' ? update(selected as Record<string, true>) : update),
  });
  const isPhone = width < PHONE_WIDTH && columns.some(({ line }) => line !== undefined);
  const byId = new Map(columns.map((column) => [column.id, column]));
  const visible = table
    .getVisibleLeafColumns()
    .flatMap(({ id }) => byId.get(id) ?? [])
    .filter(({ from = 0 }) => width >= from);
  const model = table.getRowModel().rows;
  const virtual = useWindowVirtualizer({
    count: model.length,
    estimateSize: () => (isPhone ? TWO_LINES_HEIGHT : HEIGHTS[density]),
    overscan: AHEAD,
    scrollMargin: offset,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? -1;

  useLayoutEffect(() => {
    const { current: element } = body;
    if (!element) return undefined;
    setOffset(element.offsetTop);
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => {
      setOffset(element.offsetTop);
      setWidth(element.clientWidth);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the heights of all rows change with these.
  useEffect(() => virtual.measure(), [density, isPhone]);
  useEffect(() => {
    if (onEnd && last >= model.length - AHEAD) onEnd();
  }, [last, model.length, onEnd]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      const row = model[current];
      if (event.key === 'j' || event.key === 'k') {
        const next = Math.max(0, Math.min(model.length - 1, current + (event.key === 'j' ? 1 : -1)));
        setCurrent(next);
        virtual.scrollToIndex(next);
      } else if (event.key === 'Enter' && row && event.target === document.body) onOpen?.(row.original);
      else if (event.key === 'x' && row && onSelect) row.toggleSelected();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [current, model, onOpen, onSelect, virtual]);

  const template = `${onSelect ? '1.75rem ' : ''}${isPhone ? 'minmax(0, 1fr)' : visible.map((column) => column.width).join(' ')}`;
  const cellClass = ({ align }: Column<Row>) => `min-w-0 truncate ${align === 'right' ? 'text-right tabular' : ''}`;
  const cellOf = (row: Row) => (column: Column<Row>) => (
    // biome-ignore lint/a11y/useSemanticElements: rows out of sight are not in the page, which a table element cannot say.
    <div role="cell" key={column.id} className={cellClass(column)}>
      {column.cell(row)}
    </div>
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows out of sight are not in the page, which a table element cannot say.
    <div
      role="table"
      aria-label={label}
      aria-rowcount={model.length}
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
              checked={model.length > 0 && table.getIsAllRowsSelected()}
              onChange={table.getToggleAllRowsSelectedHandler()}
            />
          </div>
        ) : null}
        {visible.map((column) => (
          // biome-ignore lint/a11y/useSemanticElements: as above.
          // biome-ignore lint/a11y/useFocusableInteractive: a heading is not operated.
          <div role="columnheader" key={column.id} className={isPhone ? 'sr-only' : cellClass(column)}>
            {column.title}
          </div>
        ))}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above. */}
      <div role="rowgroup" ref={body} className="relative" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start, size }) => {
          const row = model[index];
          if (!row) return null;
          return (
            // biome-ignore lint/a11y/useSemanticElements: as above.
            // biome-ignore lint/a11y/useFocusableInteractive: people operate the links and boxes inside.
            <div
              role="row"
              key={row.id}
              aria-rowindex={index + 1}
              aria-selected={onSelect ? row.getIsSelected() : undefined}
              data-current={index === current || undefined}
              className="ruled absolute inset-x-0 grid grid-cols-(--columns) items-center gap-x-3 px-6 hover:bg-hover aria-selected:bg-hover data-current:bg-selected max-sm:px-4"
              style={{ height: size, transform: `translateY(${start - offset}px)` }}
            >
              {onSelect ? (
                // biome-ignore lint/a11y/useSemanticElements: as above.
                <div role="cell">
                  <input
                    type="checkbox"
                    aria-label={`Select row ${index + 1}`}
                    checked={row.getIsSelected()}
                    onChange={row.getToggleSelectedHandler()}
                  />
                </div>
              ) : null}
              {isPhone ? (
                <div role="presentation" className="flex min-w-0 flex-col">
                  {([1, 2] as const).map((line) => (
                    <div
                      key={line}
                      role="presentation"
                      className="flex items-center gap-3 first:justify-between last:text-xs"
                    >
                      {visible.filter((column) => column.line === line).map(cellOf(row.original))}
                    </div>
                  ))}
                </div>
              ) : (
                visible.map(cellOf(row.original))
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
