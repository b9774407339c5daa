import { sql } from 'kysely';
import { listedColumns } from '../../database/lists/large-values.ts';
import { rows } from '../../database/rows.ts';
import { rowOf, statement } from '../../database/statement.ts';
import type { Db, Tx } from '../../database/store.ts';
import type { NewRow, Row } from '../../database/tables/tables.ts';

export type SavedSearchRow = Row<'saved_search'>;

export const savedSearches = rows('saved_search');

const upsert = statement<NewRow<'saved_search'>, SavedSearchRow>((query, given) =>
  query
    .insertInto('saved_search')
    .values(rowOf('saved_search', given))
    .onConflict((conflict) => conflict.columns(['workspace', 'name']).doUpdateSet({ filters: given.filters }))
    .returningAll(),
);

/** Inserts the search, or replaces only the filters of the stored one of this name. Returns the stored row. */
export async function upsertSavedSearch(tx: Tx, search: NewRow<'saved_search'>): Promise<SavedSearchRow> {
  const stored = await tx.first(upsert, search);
  if (!stored) throw new Error('An upsert of a saved search returned no row.');
  return stored;
}

/** Lists searches by name. */
export function listSavedSearches(db: Db, page: { limit: number; offset: number }): Promise<SavedSearchRow[]> {
  return db.query(
    sql<SavedSearchRow>`select ${listedColumns(db, 'saved_search')} from saved_search where "workspace" = ${db.workspace}
      order by name limit ${page.limit} offset ${page.offset}`,
    { recurs: true },
  );
}
