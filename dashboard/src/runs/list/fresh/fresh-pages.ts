/** The pages of a list of runs, after its first page and some of its rows have been read again. */
import type { InfiniteData } from '@tanstack/react-query';
import type { components } from '../../../api/schema.gen.ts';
import type { RunRow } from '../queries.ts';

export type Page = components['schemas']['RunsView'];
export type Pages = InfiniteData<Page, components['schemas']['RunPosition'] | null>;

interface Fresh {
  readonly first: Page;
  /** Ids of rows that were read again; those that no longer match are not in `rows`. */
  readonly asked: ReadonlySet<string>;
  readonly rows: ReadonlyMap<string, RunRow>;
}

/**
 * The new first page replaces the old one. Rows that it has pushed out follow it, and rows that have moved up into it
 * leave their old position.
 */
export function merged(old: Pages, { first, asked, rows }: Fresh): Pages {
  const top = new Set(first.runs.map(({ id }) => id));
  const isTouched = ({ id }: RunRow) => asked.has(id) || top.has(id);
  const kept = old.pages.map((page) =>
    page.runs.some(isTouched)
      ? {
          ...page,
          runs: page.runs.flatMap((run) =>
            top.has(run.id) ? [] : (rows.get(run.id) ?? (asked.has(run.id) ? [] : [run])),
          ),
        }
      : page,
  );
  const [head, ...others] = kept as [Page, ...Page[]];
  const { as_of, count, history, counted_since, runs } = first;
  return {
    ...old,
    pages: [{ ...head, as_of, count, history, counted_since, runs: [...runs, ...head.runs] }, ...others],
  };
}
