import { sql } from 'kysely';
import { and, type Condition } from '../../../database/dialect/dialect.ts';
import { rows } from '../../../database/rows.ts';
import { platformQuery } from '../../../database/statement.ts';
import type { Row } from '../../../database/tables/tables.ts';
import { answerOf } from '../../answer-of.ts';
import { ServerSession, type SessionsQuery } from './schema.ts';

type SessionRow = Row<'mcp_session'>;

export const serverSessions = rows('mcp_session');

export const sessionOf = answerOf(ServerSession);

/** Sessions, the latest first. */
export const listSessions = platformQuery<SessionsQuery & { server_id: string; cursor: string }, SessionRow>(
  (_query, { server_id, cursor, limit, actorId, client }) => {
    const conditions: Condition[] = [sql`server_id = ${server_id}`, sql`id < ${cursor}`];
    if (actorId !== undefined) conditions.push(sql`actor_id = ${actorId}`);
    if (client !== undefined) conditions.push(sql`client_name = ${client}`);
    return sql`select * from mcp_session where ${and(conditions)} order by id desc limit ${limit}`;
  },
  { readsMuch: true },
);
