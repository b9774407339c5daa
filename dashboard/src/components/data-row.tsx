/** A row of a table. It is only rendered again when its own data has changed, not when the table is scrolled. */
import { memo, type ReactNode } from 'react';

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  /** CSS width of the track: `minmax(12rem, 2fr)`. */
  readonly width: string;
  readonly align?: 'right';
  /** Shown if the table has at least this width in pixels. Always shown when absent. */
  readonly from?: number;
  /** The direction of the first click on its heading, if the table can be sorted by it. */
  readonly sorts?: 'ascending' | 'descending';
  /** The line of the column on a phone, where a row has two lines. Columns without one are not shown there. */
  readonly line?: 1 | 2;
  readonly cell: (row: Row) => ReactNode;
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
  readonly onToggle: (id: string) => void;
}

export function cellClass({ align }: Pick<Column<never>, 'align'>): string {
  return `min-w-0 truncate ${align === 'right' ? 'text-right tabular' : ''}`;
}

/** Dates, states and controls have a fixed width: on a phone the text beside them is shortened instead. */
function isFixed({ width }: Pick<Column<never>, 'width'>): boolean {
  return !width.includes('fr');
}

function PlainRow<Row>({ row, id, index, top, height, columns, isPhone, isCurrent, isSelected, onToggle }: Props<Row>) {
  const cellOf = (column: Column<Row>) => (
    // biome-ignore lint/a11y/useSemanticElements: rows out of sight are not in the page, which a table element cannot say.
    <div role="cell" key={column.id} className={`${cellClass(column)} ${isPhone && isFixed(column) ? 'shrink-0' : ''}`}>
      {column.cell(row)}
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
            onChange={() => onToggle(id)}
          />
        </div>
      )}
      {isPhone ? (
        <div role="presentation" className="flex min-w-0 flex-col">
          {([1, 2] as const).map((line) => (
            <div key={line} role="presentation" className="flex items-center gap-3 first:justify-between last:text-xs">
              {columns.filter((column) => column.line === line).map(cellOf)}
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
