import { platformStatement } from '../../database/statement.ts';
import type { Row } from '../../database/tables/tables.ts';

/** A person who can sign in, by id. */
export const findActivePerson = platformStatement<{ id: string }, Pick<Row<'user_account'>, 'id' | 'name' | 'email'>>(
  (query, given) =>
    query
      .selectFrom('user_account')
      .select(['id', 'name', 'email'])
      .where('id', '=', given.id)
      .where('state', '=', 'active'),
);
