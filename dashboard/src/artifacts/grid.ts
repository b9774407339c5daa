/** The rows and columns of a table artifact. */

/** Columns drawn at most. */
const MOST_COLUMNS = 100;

export interface Grid {
  /** Names of the first columns. */
  readonly columns: readonly string[];
  /** Number of stored columns. */
  readonly width: number;
  /** The number of rows. */
  readonly length: number;
  /** Read when the cell is drawn, because a table may have millions. */
  readonly cell: (row: number, column: number) => unknown;
}

/** Clients send rows as objects, rows as arrays, or columns by name. Undefined for any other data. */
export function gridOf(data: unknown): Grid | undefined {
  let read = data;
  if (typeof data === 'string') {
    try {
      read = JSON.parse(data);
    } catch {
      return undefined;
    }
  }
  if (Array.isArray(read)) return gridOfRows(read);
  if (typeof read !== 'object' || read === null) return undefined;
  const entries = Object.entries(read);
  if (!entries.every(([, values]) => Array.isArray(values))) return undefined;
  const lists = entries.map(([, values]) => values as unknown[]);
  const cell = (row: number, column: number) => lists[column]?.[row];
  return gridWith(
    entries.map(([name]) => name),
    longest(lists),
    cell,
  );
}

function gridOfRows(rows: readonly unknown[]): Grid | undefined {
  if (rows.every((row) => Array.isArray(row))) {
    const names = Array.from({ length: longest(rows as unknown[][]) }, (_, index) => String(index));
    return gridWith(names, rows.length, (row, column) => (rows as unknown[][])[row]?.[column]);
  }
  if (!rows.every((row) => typeof row === 'object' && row !== null)) return undefined;
  const objects = rows as Record<string, unknown>[];
  const names = [...new Set(objects.flatMap((row) => Object.keys(row)))];
  return gridWith(names, rows.length, (row, column) => objects[row]?.[names[column] ?? '']);
}

function gridWith(names: readonly string[], length: number, cell: Grid['cell']): Grid {
  return { columns: names.slice(0, MOST_COLUMNS), width: names.length, length, cell };
}

function longest(lists: readonly (readonly unknown[])[]): number {
  return lists.reduce((most, { length }) => Math.max(most, length), 0);
}

/** The full text of a cell. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Characters of a text that are compared. */
const COMPARED = 200;
const collator = new Intl.Collator('en', { numeric: true });

/** The indexes of the rows, sorted by the cells of a column: numbers by value, texts alphabetically. */
export function sorted({ length, cell }: Grid, column: number, isDown: boolean): number[] {
  const order = isDown ? -1 : 1;
  // The text of a cell is computed once instead of for each comparison.
  const keys = Array.from({ length }, (_, row) => {
    const value = cell(row, column);
    return typeof value === 'number' ? value : textOf(value).slice(0, COMPARED);
  });
  return Array.from(keys.keys()).sort((left, right) => order * compare(keys[left] ?? '', keys[right] ?? ''));
}

function compare(left: number | string, right: number | string): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  return collator.compare(String(left), String(right));
}
