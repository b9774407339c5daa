import { expressionBuilder } from 'kysely';
import { rows } from '../../database/rows.ts';
import { platformStatement } from '../../database/statement.ts';
import type { PlatformDb } from '../../database/store.ts';
import type { Row, Tables } from '../../database/tables/tables.ts';
import { found } from '../../errors.ts';
import { answerOf } from '../answer-of.ts';
import { User } from './schema.ts';

export type UserRow = Row<'user_account'>;

/**
 * `email` is in the form that `normalEmail` gives. Memberships, sessions and identities are deleted with an account.
 */
export const users = rows('user_account');

/** The identity provider through which the person of a row of `user_account` has signed in, or null. */
export const issuerOfUser = expressionBuilder<Tables, 'user_account'>()
  .selectFrom('user_identity')
  .select((one) => one.fn.min('issuer').as('issuer'))
  .whereRef('user_id', '=', 'user_account.id');

/** The current account. No other transaction changes, ends or removes it before this one has ended. */
export const lockUser = platformStatement<{ id: string }, UserRow>((query, given, dialect) =>
  query.selectFrom('user_account').selectAll().where('id', '=', given.id).modifyEnd(dialect.forUpdate),
);

/** Throws NotFound. */
export async function readUser(db: PlatformDb, id: string): Promise<UserRow> {
  return found(await users.first(db, { id }), 'User not found.');
}

export const userOf = answerOf(User);
