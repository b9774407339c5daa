/** A table artifact: sorted by a click on a heading, the first rows of a long one. */
import { useMemo, useState } from 'react';
import { Button } from '../components/button.tsx';
import { compare, type Grid, textOf } from './grid.ts';

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
