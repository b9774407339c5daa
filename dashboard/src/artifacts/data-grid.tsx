/** A table artifact: sorted by a click on a heading, the first rows of a long one. */
import { useMemo, useState } from 'react';
import { Button } from '../components/button.tsx';

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

const STEP = 200;

export function DataGrid({ grid: { columns, rows } }: { readonly grid: Grid }) {
  const [sort, setSort] = useState<{ readonly column: number; readonly isDown: boolean }>();
  const [shown, setShown] = useState(STEP);
  const sorted = useMemo(() => {
    if (!sort) return rows;
    const order = sort.isDown ? -1 : 1;
    return rows.toSorted((left, right) => order * compare(left[sort.column], right[sort.column]));
  }, [rows, sort]);
  const isNumeric = columns.map((_, column) =>
    rows.every((row) => row[column] === null || row[column] === undefined || typeof row[column] === 'number'),
  );
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <section aria-label="Table" tabIndex={0} className="overflow-x-auto">
        <table className="text-sm">
          <thead>
            <tr>
              {columns.map((name, column) => (
                <th
                  key={name}
                  aria-sort={sort?.column === column ? (sort.isDown ? 'descending' : 'ascending') : undefined}
                  className={`ruled py-1 pr-6 text-xs font-medium text-quiet ${isNumeric[column] ? 'text-right' : 'text-left'}`}
                >
                  <button
                    type="button"
                    className="hover:text-ink"
                    onClick={() => setSort({ column, isDown: sort?.column === column && !sort.isDown })}
                  >
                    {name} {sort?.column === column ? (sort.isDown ? '↓' : '↑') : ''}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, shown).map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows of an artifact have no identity and do not change.
              <tr key={index} className="hover:bg-hover">
                {columns.map((name, column) => (
                  <td
                    key={name}
                    className={`ruled max-w-100 truncate py-1 pr-6 ${isNumeric[column] ? 'tabular text-right' : ''}`}
                    title={textOf(row[column])}
                  >
                    {textOf(row[column])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {rows.length > shown ? (
        <p className="mt-2 flex items-center gap-3 text-xs text-quiet">
          {shown.toLocaleString('en')} of {rows.length.toLocaleString('en')} rows
          <Button onClick={() => setShown(shown + STEP)}>Show more</Button>
        </p>
      ) : null}
    </>
  );
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function compare(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  return textOf(left).localeCompare(textOf(right), 'en', { numeric: true });
}
