/** The rows and columns of a table artifact. */

export interface Grid {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** Clients send rows as objects, rows as arrays, or columns by name. Undefined for anything else. */
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
  const length = Math.max(0, ...lists.map((values) => values.length));
  return {
    columns: entries.map(([name]) => name),
    rows: Array.from({ length }, (_, row) => lists.map((values) => values[row])),
  };
}

function gridOfRows(rows: readonly unknown[]): Grid | undefined {
  if (rows.every((row) => Array.isArray(row))) {
    const length = Math.max(0, ...rows.map((row) => (row as unknown[]).length));
    return { columns: Array.from({ length }, (_, index) => String(index)), rows: rows as unknown[][] };
  }
  if (!rows.every((row) => typeof row === 'object' && row !== null)) return undefined;
  const objects = rows as Record<string, unknown>[];
  const columns = [...new Set(objects.flatMap((row) => Object.keys(row)))];
  return { columns, rows: objects.map((row) => columns.map((name) => row[name])) };
}

/** A cell as it is shown. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The order of two cells: numbers by value, texts as people sort them. */
export function compare(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  return textOf(left).localeCompare(textOf(right), 'en', { numeric: true });
}
