import { expressionBuilder } from 'kysely';
import { platformStatement, rowOf } from '../../database/statement.ts';
import type { Row, Tables } from '../../database/tables.ts';
import type { Timestamp } from '../../time.ts';

export type UserRow = Row<'user_account'>;

/** The identity provider through which the person of a row of `user_account` has signed in, or null. */
export const issuerOfUser = expressionBuilder<Tables, 'user_account'>()
  .selectFrom('user_identity')
  .select((one) => one.fn.min('issuer').as('issuer'))
  .whereRef('user_id', '=', 'user_account.id');

/** Answers nothing when the address is another user's. */
export const insertUser = platformStatement<UserRow, Pick<UserRow, 'id'>>((query, given) =>
  query
    .insertInto('user_account')
    .values(rowOf('user_account', given))
    .onConflict((conflict) => conflict.doNothing())
    .returning('id'),
);

export const findUser = platformStatement<{ id: string }, UserRow>((query, given) =>
  query.selectFrom('user_account').selectAll().where('id', '=', given.id),
);

/** The account as it is now. Nothing changes, ends or removes it before the transaction has ended. */
export const lockUser = platformStatement<{ id: string }, UserRow>((query, given, dialect) =>
  query.selectFrom('user_account').selectAll().where('id', '=', given.id).modifyEnd(dialect.forUpdate),
);

/** `email` as `normalEmail` writes it. */
export const findUserByEmail = platformStatement<{ email: string }, UserRow>((query, given) =>
  query.selectFrom('user_account').selectAll().where('email', '=', given.email),
);

/** Gives an account its password and name, and takes its address as proven. One that is suspended stays so. */
export const setPassword = platformStatement<
  { id: string; name: string | null; password_hash: string; now: Timestamp },
  unknown
>((query, given) =>
  query
    .updateTable('user_account')
    .set({
      password_hash: given.password_hash,
      name: given.name,
      proven_at: given.now,
      updated: given.now,
    })
    .where('id', '=', given.id),
);

/** Its memberships, sessions and identities go with it. */
export const deleteUser = platformStatement<{ id: string }, unknown>((query, given) =>
  query.deleteFrom('user_account').where('id', '=', given.id),
);

export function userOf(row: UserRow) {
  return { id: row.id, email: row.email, name: row.name, createdAt: row.created };
}
