import { rows } from '../../../database/rows.ts';
import { platformStatement } from '../../../database/statement.ts';
import type { Row } from '../../../database/tables/tables.ts';
import type { Timestamp } from '../../../values/time.ts';
import { issuerOfUser, type UserRow } from '../../users/queries.ts';

type Reset = Row<'password_reset'>;

export const passwordResets = rows('password_reset');

export const deleteExpiredResets = platformStatement<{ now: Timestamp }, unknown>((query, given) =>
  query.deleteFrom('password_reset').where('expires_at', '<=', given.now),
);

/** The account whose password the link may change now. */
export const findReset = platformStatement<{ token_hash: string; now: Timestamp }, Pick<UserRow, 'id' | 'email'>>(
  (query, given) =>
    query
      .selectFrom('password_reset')
      .innerJoin('user_account', 'user_account.id', 'password_reset.user_id')
      .select(['user_account.id', 'user_account.email'])
      .where('password_reset.token_hash', '=', given.token_hash)
      .where('password_reset.expires_at', '>', given.now)
      .where('user_account.state', '=', 'active'),
);

/** Only the first request can use the link: a second one finds no row. */
export const takeReset = platformStatement<{ token_hash: string; now: Timestamp }, Pick<Reset, 'user_id'>>(
  (query, given) =>
    query
      .deleteFrom('password_reset')
      .where('token_hash', '=', given.token_hash)
      .where('expires_at', '>', given.now)
      .returning('user_id'),
);

type SigningIn = Pick<UserRow, 'id' | 'email' | 'state' | 'password_hash'> & { readonly issuer: string | null };

/** The ways in which the person with the address can sign in. */
export const findSigningIn = platformStatement<{ email: string }, SigningIn>(
  (query, given) =>
    query
      .selectFrom('user_account')
      .select(['id', 'email', 'state', 'password_hash', issuerOfUser.as('issuer')])
      .where('email', '=', given.email) as never,
);
