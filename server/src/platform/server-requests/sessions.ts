import { sql } from 'kysely';
import { and, type Condition } from '../../database/dialect.ts';
import { platformQuery, platformStatement } from '../../database/statement.ts';
import type { Row } from '../../database/tables.ts';
import type { ServerSession, SessionsQuery } from './schema.ts';

type SessionRow = Row<'mcp_session'>;

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

export const findSession = platformStatement<{ server_id: string; id: string }, SessionRow>((query, given) =>
  query.selectFrom('mcp_session').selectAll().where('server_id', '=', given.server_id).where('id', '=', given.id),
);

export function sessionOf(row: SessionRow): ServerSession {
  return {
    id: row.id,
    actorType: row.actor_type,
    actorId: row.actor_id,
    actorName: row.actor_name,
    clientName: row.client_name,
    clientVersion: row.client_version,
    protocolVersion: row.protocol_version,
    firstActivityAt: row.first_activity,
    lastActivityAt: row.last_activity,
    requests: row.requests,
    toolCalls: row.tool_calls,
    errors: row.errors,
  };
}
