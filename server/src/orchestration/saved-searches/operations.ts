import type { Context } from '../../context/context.ts';
import { found } from '../../errors.ts';
import { compileEncoder } from '../../schema/encode.ts';
import { Type } from '../../schema/kinds.ts';
import { newId } from '../../values/id.ts';
import type { JsonText } from '../../values/json.ts';
import { type SavedSearchRow, savedSearches, upsertSavedSearch } from './queries.ts';
import { type SavedSearchCreate, SavedSearchFilter } from './schema.ts';

export const MISSING = 'Saved search not found';

const encodeFilters = compileEncoder(Type.Array(SavedSearchFilter));

/**
 * Creates a search, or replaces the filters of the one with this name, whose `updated` stays. Source: `PUT
 * /saved_searches/` of the Prefect server 3.9.1, with which server/test/reference compares.
 */
export function saveSearch(
  context: Context,
  input: SavedSearchCreate,
): Promise<{ search: SavedSearchRow; isNew: boolean }> {
  return context.transaction(async (tx) => {
    const id = newId();
    const search = await upsertSavedSearch(tx, {
      id,
      created: context.now,
      updated: context.now,
      name: input.name,
      filters: encodeFilters(input.filters ?? []) as JsonText,
    });
    return { search, isNew: search.id === id };
  });
}

/** Throws NotFound. */
export function deleteSavedSearch(context: Context, id: string): Promise<void> {
  return context.transaction(async (tx) => {
    found(await savedSearches.remove(tx, { id }), MISSING);
  });
}
