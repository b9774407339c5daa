import { rows } from '../../../database/rows.ts';
import { platformStatement } from '../../../database/statement.ts';
import type { Timestamp } from '../../../values/time.ts';

export const sessions = rows('session');

export const deleteExpiredSessions = platformStatement<{ now: Timestamp }, unknown>((query, given) =>
  query.deleteFrom('session').where('expires_at', '<', given.now),
);
