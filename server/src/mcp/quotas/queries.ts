import { sql } from 'kysely';
import { platformStatement, rowOf } from '../../database/statement.ts';
import type { Row } from '../../database/tables/tables.ts';
import type { Timestamp } from '../../values/time.ts';

type PlaceRow = Row<'mcp_quota_place'>;

/** The places that other processes hold. */
export const countOtherPlaces = platformStatement<
  { counter: string; holder: string; now: Timestamp },
  { readonly places: number | string | null }
>(
  (query, given) =>
    query
      .selectFrom('mcp_quota_place')
      .select(sql<number>`sum(places)`.as('places'))
      .where('counter', '=', given.counter)
      .where('holder', '<>', given.holder)
      .where('expires_at', '>', given.now) as never,
);

export const putPlaces = platformStatement<PlaceRow, unknown>((query, given) =>
  query
    .insertInto('mcp_quota_place')
    .values(rowOf('mcp_quota_place', given))
    .onConflict((conflict) =>
      conflict.columns(['counter', 'holder']).doUpdateSet({ places: given.places, expires_at: given.expires_at }),
    ),
);

export const deletePlaces = platformStatement<Pick<PlaceRow, 'counter' | 'holder'>, unknown>((query, given) =>
  query.deleteFrom('mcp_quota_place').where('counter', '=', given.counter).where('holder', '=', given.holder),
);
