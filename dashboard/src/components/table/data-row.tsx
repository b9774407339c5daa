/** A row of a table. It is only rendered again when its own data has changed, not when the table is scrolled. */
import { memo, type ReactNode } from 'react';

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  /** CSS width of the track: `minmax(12rem, 2fr)`. Without one, the column is as wide as the widest `text`. */
  readonly width?: string;
  /** The text of a cell. The column is measured by it. */
  readonly text?: (row: Row) => string;
  /** Pixels of a cell that are not text: a mark, a gap. */
  readonly extra?: number;
  /** The least and the most pixels of a measured column. */
  readonly bounds?: readonly [least: number, most: number];
  readonly align?: 'right';
  /** Shown if the table has at least this width in pixels. Always shown when absent. */
  readonly from?: number;
  /** The direction of the first click on its heading, if the table can be sorted by it. */
  readonly sorts?: 'ascending' | 'descending';
  /** The line of the column on a phone, where a row has two lines. Columns without one are not shown there. */
  readonly line?: 1 | 2;
  /** True if it is the first on its line there. */
  readonly isFirst?: boolean;
  /** True if its text is short, so that it is never cut there. */
  readonly isShort?: boolean;
  readonly cell: (row: Row) => ReactNode;
  /** The cell on a phone, if it differs. */
  readonly phone?: (row: Row) => ReactNode;
}

interface Props<Row> {
  readonly row: Row;
  readonly id: string;
  /** Index from 0. */
  readonly index: number;
  /** Pixels from the first row. */
  readonly top: number;
  readonly height: number;
  /** The shown columns. A new array renders all rows again. */
  readonly columns: readonly Column<Row>[];
  readonly isPhone: boolean;
  readonly isCurrent: boolean;
  /** Undefined if rows cannot be selected. */
  readonly isSelected: boolean | undefined;
  /** `isRange`: with all rows since the one before. */
  readonly onToggle: (id: string, isRange: boolean) => void;
}

export function cellClass({ align }: Pick<Column<never>, 'align'>): string {
  return `min-w-0 truncate ${align === 'right' ? 'text-right tabular' : ''}`;
}

/** Dates, states and controls have a fixed width: on a phone the text beside them is shortened instead. */
function isFixed({ width, isShort = false }: Pick<Column<never>, 'width' | 'isShort'>): boolean {
  return isShort || (width !== undefined && !width.includes('fr'));
}

function onLine<Row>(columns: readonly Column<Row>[], line: 1 | 2): readonly Column<Row>[] {
  const own = columns.filter((column) => column.line === line);
  return [...own.filter(({ isFirst }) => isFirst), ...own.filter(({ isFirst }) => !isFirst)];
}

function PlainRow<Row>({ row, id, index, top, height, columns, isPhone, isCurrent, isSelected, onToggle }: Props<Row>) {
  const cellOf = (column: Column<Row>) => (
    // biome-ignore lint/a11y/useSemanticElements: rows out of sight are not in the page, which a table element cannot say.
    <div role="cell" key={column.id} className={`${cellClass(column)} ${isPhone && isFixed(column) ? 'shrink-0' : ''}`}>
      {(isPhone && column.phone ? column.phone : column.cell)(row)}
    </div>
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: as above.
    // biome-ignore lint/a11y/useFocusableInteractive: people operate the links and boxes inside.
    <div
      role="row"
      aria-rowindex={index + 1}
      aria-selected={isSelected}
      data-current={isCurrent || undefined}
      className="ruled absolute inset-x-0 grid grid-cols-(--columns) items-center gap-x-3 px-6 contain-strict hover:bg-hover aria-selected:bg-hover data-current:bg-selected max-sm:px-4"
      style={{ height, transform: `translateY(${top}px)` }}
    >
      {isSelected === undefined ? null : (
        // biome-ignore lint/a11y/useSemanticElements: as above.
        <div role="cell">
          <input
            type="checkbox"
            aria-label={`Select row ${index + 1}`}
            checked={isSelected}
            onChange={({ nativeEvent }) => onToggle(id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
          />
        </div>
      )}
      {isPhone ? (
        <div role="presentation" className="flex min-w-0 flex-col">
          {([1, 2] as const).map((line) => (
            <div key={line} role="presentation" className="flex items-center gap-3 first:justify-between last:text-xs">
              {onLine(columns, line).map(cellOf)}
            </div>
          ))}
        </div>
      ) : (
        columns.map(cellOf)
      )}
    </div>
  );
}

export const DataRow = memo(PlainRow) as typeof PlainRow;
