import { platformStatement, rowOf } from '../../database/statement.ts';
import type { Row } from '../../database/tables.ts';

export const insertMembership = platformStatement<Row<'membership'>, Pick<Row<'membership'>, 'user_id'>>(
  (query, given) =>
    query
      .insertInto('membership')
      .values(rowOf('membership', given))
      .onConflict((conflict) => conflict.doNothing())
      .returning('user_id'),
);
