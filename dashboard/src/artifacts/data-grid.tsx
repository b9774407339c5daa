/**
 * A table artifact, sorted by a click on a heading; shows the first rows of a long one, and the first columns of a wide
 * one.
 */
import { useMemo, useState } from 'react';
import { shortened } from '../components/text/shortened.ts';
import { useSome } from '../components/use-some.tsx';
import { type Grid, sorted, textOf } from './grid.ts';

const MOST_ROWS = 200;
/** Cells drawn at once. */
const MOST_CELLS = 4000;

export function DataGrid({ grid }: { readonly grid: Grid }) {
  const { columns, width, length, cell } = grid;
  const [sort, setSort] = useState<{ readonly column: number; readonly isDown: boolean }>();
  const rows = useMemo(
    () => (sort ? sorted(grid, sort.column, sort.isDown) : Array.from({ length }, (_, row) => row)),
    [grid, length, sort],
  );
  const { shown, more } = useSome(rows, Math.min(MOST_ROWS, Math.ceil(MOST_CELLS / Math.max(1, columns.length))));
  const isNumeric = columns.map((_, column) =>
    shown.every((row) => {
      const value = cell(row, column);
      return value === null || value === undefined || typeof value === 'number';
    }),
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
                    {shortened(name)} {sort?.column === column ? (sort.isDown ? '↓' : '↑') : ''}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row} className="hover:bg-hover">
                {columns.map((name, column) => {
                  const text = shortened(textOf(cell(row, column)));
                  return (
                    <td
                      key={name}
                      className={`ruled max-w-100 truncate py-1 pr-6 ${isNumeric[column] ? 'tabular text-right' : ''}`}
                      title={text}
                    >
                      {text}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {more}
      {width > columns.length ? (
        <p className="mt-2 text-xs text-quiet">
          The first {columns.length.toLocaleString('en')} of {width.toLocaleString('en')} columns.
        </p>
      ) : null}
    </>
  );
}
