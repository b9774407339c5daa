import { platformStatement } from '../../database/statement.ts';
import type { Row } from '../../database/tables.ts';
import type { Timestamp } from '../../time.ts';

/** More browsers than a person has. */
const MOST_SESSIONS = 100;

type SessionRow = Pick<Row<'session'>, 'id' | 'created' | 'last_seen_at' | 'expires_at'>;

/** The sessions that are valid, the one used last first. */
export const listSessionsOfUser = platformStatement<{ user_id: string; now: Timestamp }, SessionRow>((query, given) =>
  query
    .selectFrom('session')
    .select(['id', 'created', 'last_seen_at', 'expires_at'])
    .where('user_id', '=', given.user_id)
    .where('expires_at', '>', given.now)
    .orderBy('last_seen_at', 'desc')
    .orderBy('id')
    .limit(MOST_SESSIONS),
);

export const deleteSessionOfUser = platformStatement<Pick<Row<'session'>, 'id' | 'user_id'>, { id: string }>(
  (query, given) =>
    query.deleteFrom('session').where('id', '=', given.id).where('user_id', '=', given.user_id).returning('id'),
);

export const deleteOtherSessionsOfUser = platformStatement<{ kept: string; user_id: string }, unknown>((query, given) =>
  query.deleteFrom('session').where('user_id', '=', given.user_id).where('id', '<>', given.kept),
);

export const renameUser = platformStatement<{ id: string; name: string | null; now: Timestamp }, unknown>(
  (query, given) =>
    query.updateTable('user_account').set({ name: given.name, updated: given.now }).where('id', '=', given.id),
);

export const replacePassword = platformStatement<{ id: string; password_hash: string; now: Timestamp }, unknown>(
  (query, given) =>
    query
      .updateTable('user_account')
      .set({ password_hash: given.password_hash, updated: given.now })
      .where('id', '=', given.id),
);
