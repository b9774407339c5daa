import { platformStatement } from '../../../database/statement.ts';
import type { Row } from '../../../database/tables/tables.ts';
import type { Timestamp } from '../../../values/time.ts';

/** Sessions listed at most; more than a person has browsers. */
const MOST_SESSIONS = 100;

type SessionRow = Pick<Row<'session'>, 'id' | 'created' | 'last_seen_at' | 'expires_at'>;

/** The valid sessions, most recently used first. */
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

export const deleteOtherSessionsOfUser = platformStatement<{ kept: string; user_id: string }, unknown>((query, given) =>
  query.deleteFrom('session').where('user_id', '=', given.user_id).where('id', '<>', given.kept),
);
