/** Deletes a batch of known size. Rows that another replica is deleting are left to it. */
import { type RawBuilder, sql } from 'kysely';
import type { Condition, Expression, SqlDialect } from './dialect/dialect.ts';
import { type Statement, statement } from './statement.ts';

/** Deletes the rows of `table` within `scope` whose `column` is among the values that `found` selects. */
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

/**
 * Deletes rows of a workspace. `which` follows the condition on the workspace: further conditions, an order, a limit.
 * `column` identifies a row.
 */
export function deletionOfSome<Given>(
  table: string,
  column: string,
  which: (given: Given) => Expression,
): Statement<Given, unknown> {
  const [rows, key] = [sql.table(table), sql.ref(column)];
  return statement((_query, given, dialect) => {
    const ofWorkspace = sql<boolean>`"workspace" = ${given.workspace}`;
    const found = sql`select ${key} from ${rows} where ${ofWorkspace} ${which(given)}`;
    return deleteFound(rows, ofWorkspace, key, found, dialect);
  });
}
