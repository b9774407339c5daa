import { platformStatement, rowOf } from '../../database/statement.ts';
import type { Row } from '../../database/tables.ts';
import type { Timestamp } from '../../time.ts';

export const insertSession = platformStatement<Row<'session'>, unknown>((query, given) =>
  query.insertInto('session').values(rowOf('session', given)),
);

export const deleteSession = platformStatement<{ id: string }, unknown>((query, given) =>
  query.deleteFrom('session').where('id', '=', given.id),
);

export const deleteExpiredSessions = platformStatement<{ now: Timestamp }, unknown>((query, given) =>
  query.deleteFrom('session').where('expires_at', '<', given.now),
);

export const deleteSessionsOfUser = platformStatement<{ user_id: string }, unknown>((query, given) =>
  query.deleteFrom('session').where('user_id', '=', given.user_id),
);
