/** The people whom the server may mail on behalf of a workspace: active members of its organization. */
import { platformStatement } from '../../database/statement.ts';
import type { Row } from '../../database/tables/tables.ts';

type Recipient = Pick<Row<'user_account'>, 'email'>;

/** Lists the administrators, ordered by address. */
export const findAdministrators = platformStatement<{ organization_id: string; limit: number }, Recipient>(
  (query, given) =>
    query
      .selectFrom('membership')
      .innerJoin('user_account', 'user_account.id', 'membership.user_id')
      .select('user_account.email')
      .where('membership.organization_id', '=', given.organization_id)
      .where('membership.role', '=', 'admin')
      .where('user_account.state', '=', 'active')
      .orderBy('user_account.email')
      .limit(given.limit),
);

/** Finds the member with the address, in the form that `normalEmail` gives. */
export const findMemberToMail = platformStatement<{ organization_id: string; email: string }, Recipient>(
  (query, given) =>
    query
      .selectFrom('membership')
      .innerJoin('user_account', 'user_account.id', 'membership.user_id')
      .select('user_account.email')
      .where('membership.organization_id', '=', given.organization_id)
      .where('user_account.email', '=', given.email)
      .where('user_account.state', '=', 'active'),
);
