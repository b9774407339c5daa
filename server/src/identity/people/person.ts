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

/** Like `findActivePerson`, for a member of the organization. */
export const findActiveMember = platformStatement<
  { organization_id: string; id: string },
  Pick<Row<'user_account'>, 'id' | 'name' | 'email'>
>((query, given) =>
  query
    .selectFrom('membership')
    .innerJoin('user_account', 'user_account.id', 'membership.user_id')
    .select(['user_account.id', 'user_account.name', 'user_account.email'])
    .where('membership.organization_id', '=', given.organization_id)
    .where('user_account.id', '=', given.id)
    .where('user_account.state', '=', 'active'),
);
