/** The ids of all runs that match the filters of the page, for bulk actions. */
import { answered, api } from '../api/client.ts';
import type { components } from '../api/schema.gen.ts';
import { runFilters } from './filters.ts';
import { LARGEST_PAGE } from './queries.ts';
import type { RunsSearch } from './run-fields.ts';
import { sortOf } from './runs-order.ts';

export const MOST_MATCHING = 10_000;

/** Ids in the order of the page, at most `MOST_MATCHING`. */
export async function readMatchingIds(search: RunsSearch): Promise<string[]> {
  const filters = runFilters(search);
  const ids: string[] = [];
  let after: components['schemas']['RunPosition'] | null = null;
  do {
    const page: components['schemas']['RunsView'] = await answered(
      api.POST('/views/runs', { body: { ...filters, sort: sortOf(search), limit: LARGEST_PAGE, after } }),
    );
    ids.push(...page.runs.map(({ id }) => id));
    after = page.next;
  } while (after && ids.length < MOST_MATCHING);
  return ids.slice(0, MOST_MATCHING);
}
