import { type RawBuilder, sql } from 'kysely';
import type { Condition, Expression, SqlDialect } from './dialect.ts';

/**
 * Deletes the rows of `table` within `scope` whose `column` is among what `found` selects, a batch of a known size; rows
 * that another replica is deleting are left to it.
 */
export function deleteFound(
  table: Expression,
  scope: Condition,
  column: Expression,
  found: Expression,
  dialect: SqlDialect,
): RawBuilder<unknown> {
  const free = sql`${found} ${dialect.forUpdateSkipLocked}`;
  return sql`delete from ${table} where ${scope} and ${dialect.isAmong(column, free)}`;
}
