/** The filters of the list of runs, as stored on the server for a saved view. */
import type { components } from '../../../api/schema.gen.ts';
import { readSearch } from '../../../shell/search.ts';
import { type RunsSearch, runsSearch } from '../run-fields.ts';

export type SavedSearch = components['schemas']['SavedSearch'];

/** The `object` of this page's saved filters. Other interfaces save theirs with other objects. */
const OBJECT = 'runs_page';

export function filtersOf(search: RunsSearch) {
  const filters = Object.entries(search).flatMap(([property, value]) =>
    value === undefined ? [] : [{ object: OBJECT, property, type: 'string', operation: 'equals', value }],
  );
  // A view of all runs has no filters.
  return filters.length > 0
    ? filters
    : [{ object: OBJECT, property: 'all', type: 'string', operation: 'equals', value: '' }];
}

export function searchOf({ filters = [] }: SavedSearch): RunsSearch {
  const own = filters.filter(({ object }) => object === OBJECT);
  return readSearch(runsSearch, Object.fromEntries(own.map(({ property, value }) => [property, value])));
}

/** True if this page saved it. */
export function isOfRuns({ filters = [] }: SavedSearch): boolean {
  return filters.some(({ object }) => object === OBJECT);
}
