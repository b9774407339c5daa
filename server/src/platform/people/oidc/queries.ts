import { rows } from '../../../database/rows.ts';
import { platformStatement } from '../../../database/statement.ts';
import type { Row } from '../../../database/tables/tables.ts';
import type { Timestamp } from '../../../values/time.ts';

type Identity = Row<'user_identity'>;

export const identities = rows('user_identity');

export const findUserByIdentity = platformStatement<Pick<Identity, 'issuer' | 'subject'>, Row<'user_account'>>(
  (query, given) =>
    query
      .selectFrom('user_identity')
      .innerJoin('user_account', 'user_account.id', 'user_identity.user_id')
      .selectAll('user_account')
      .where('user_identity.issuer', '=', given.issuer)
      .where('user_identity.subject', '=', given.subject),
);

/** The subject at the provider that owns the account. */
export const findSubjectOfUser = platformStatement<Pick<Identity, 'issuer' | 'user_id'>, Pick<Identity, 'subject'>>(
  (query, given) =>
    query
      .selectFrom('user_identity')
      .select('subject')
      .where('issuer', '=', given.issuer)
      .where('user_id', '=', given.user_id)
      .orderBy('created')
      .limit(1),
);

export const findInvitationOfAddress = platformStatement<{ email: string; now: Timestamp }, { id: string }>(
  (query, given) =>
    query
      .selectFrom('invitation')
      .select('id')
      .where('email', '=', given.email)
      .where('state', '=', 'pending')
      .where('expires_at', '>', given.now)
      .limit(1),
);
