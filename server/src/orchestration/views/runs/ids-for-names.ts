/**
 * Replaces filters by the names of flows and deployments by filters by their ids, because the indexes of runs contain
 * the ids.
 */
import { sql } from 'kysely';
import type { Db } from '../../../database/store.ts';
import type { RelatedFilters } from '../../filters/related-conditions.ts';

/** Selects the same runs. Filters with other criteria than exact names stay unchanged. */
export async function withIdsForNames(db: Db, filters: RelatedFilters): Promise<RelatedFilters> {
  const [flows, deployments] = await Promise.all([
    byIds(db, 'flow', filters.flows),
    byIds(db, 'deployment', filters.deployments),
  ]);
  return { ...filters, flows, deployments };
}

async function byIds(db: Db, table: 'flow' | 'deployment', filter: object | null | undefined) {
  const given = Object.entries(filter ?? {}).filter(([, value]) => value !== null && value !== undefined);
  const asked = given.filter(([field]) => field !== 'operator');
  const names = asked.length === 1 && asked[0]?.[0] === 'name' ? exactNames(asked[0][1]) : undefined;
  if (!names) return filter;
  const owner = sql.table(table);
  const found = await db.query(
    sql<{ id: string }>`select ${owner}.id from ${owner} where ${owner}."workspace" = ${db.workspace}
      and ${db.dialect.oneOf(sql`${owner}.name`, names, 'text')}`,
  );
  return { id: { any_: found.map(({ id }) => id) } };
}

/** Undefined when the criteria also match parts of names. */
function exactNames(criteria: unknown): readonly string[] | undefined {
  const { any_, like_ } = criteria as { any_?: readonly string[] | null; like_?: string | null };
  return like_ === null || like_ === undefined || like_ === '' ? (any_ ?? undefined) : undefined;
}
