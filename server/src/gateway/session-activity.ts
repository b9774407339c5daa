/** What requests add to the sessions they belong to. */
import { platformStatement, rowOf } from '../database/statement.ts';
import type { Row } from '../database/tables.ts';
import type { RequestRecord } from './records.ts';

type SessionRow = Row<'mcp_session'>;

/** True for what `outcome` of the API does not call ok: refused by us, or failed at the server. */
export function isError({ decision, status, error_code }: RequestRecord): boolean {
  return decision !== 'allowed' || status >= 400 || error_code !== null;
}

/** A row for each session in the batch, in the order of their ids, so that two replicas lock them in the same order. */
export function sessionsOf(batch: readonly RequestRecord[]): SessionRow[] {
  const sessions = new Map<string, SessionRow>();
  for (const record of batch) {
    if (record.session === null) continue;
    const row = sessions.get(record.session);
    if (row) add(row, record);
    else sessions.set(record.session, startedBy(record, record.session));
  }
  return [...sessions.values()].sort((left, right) => (left.id < right.id ? -1 : 1));
}

function startedBy(record: RequestRecord, id: string): SessionRow {
  const { server_id, actor_type, actor_id, actor_name, client_name, client_version, protocol_version } = record;
  return {
    server_id,
    id,
    actor_type,
    actor_id,
    actor_name,
    client_name,
    client_version,
    protocol_version,
    first_activity: record.occurred,
    last_activity: record.occurred,
    requests: 1,
    tool_calls: record.method === 'tools/call' ? 1 : 0,
    errors: isError(record) ? 1 : 0,
  };
}

function add(row: SessionRow, record: RequestRecord): void {
  row.client_name ??= record.client_name;
  row.client_version ??= record.client_version;
  // The first request names the revision that the client would like, later ones the one that was agreed on.
  row.protocol_version = record.protocol_version ?? row.protocol_version;
  if (record.occurred < row.first_activity) row.first_activity = record.occurred;
  if (record.occurred > row.last_activity) row.last_activity = record.occurred;
  row.requests += 1;
  if (record.method === 'tools/call') row.tool_calls += 1;
  if (isError(record)) row.errors += 1;
}

export const addToSession = platformStatement<SessionRow, unknown>((query, given) =>
  query
    .insertInto('mcp_session')
    .values(rowOf('mcp_session', given))
    .onConflict((conflict) =>
      conflict.columns(['server_id', 'id']).doUpdateSet((eb) => ({
        client_name: eb.fn.coalesce('mcp_session.client_name', 'excluded.client_name'),
        client_version: eb.fn.coalesce('mcp_session.client_version', 'excluded.client_version'),
        protocol_version: eb.fn.coalesce('excluded.protocol_version', 'mcp_session.protocol_version'),
        first_activity: eb
          .case()
          .when('excluded.first_activity', '<', eb.ref('mcp_session.first_activity'))
          .then(eb.ref('excluded.first_activity'))
          .else(eb.ref('mcp_session.first_activity'))
          .end(),
        last_activity: eb
          .case()
          .when('excluded.last_activity', '>', eb.ref('mcp_session.last_activity'))
          .then(eb.ref('excluded.last_activity'))
          .else(eb.ref('mcp_session.last_activity'))
          .end(),
        requests: eb('mcp_session.requests', '+', eb.ref('excluded.requests')),
        tool_calls: eb('mcp_session.tool_calls', '+', eb.ref('excluded.tool_calls')),
        errors: eb('mcp_session.errors', '+', eb.ref('excluded.errors')),
      })),
    ),
);
