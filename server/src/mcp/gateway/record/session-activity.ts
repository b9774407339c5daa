/** Adds requests to their sessions. */
import type { Row } from '../../../database/tables/tables.ts';

type SessionRow = Row<'mcp_session'>;
type RequestRecord = Row<'mcp_request'>;

/** True for requests whose `outcome` in the API is not ok: refused here, or failed at the server. */
function isError({ decision, status, error_code, failure }: RequestRecord): boolean {
  return decision !== 'allowed' || status >= 400 || error_code !== null || failure !== null;
}

/** A row for each session in the batch, ordered by id, so that two replicas lock them in the same order. */
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
  // The first request names the revision that the client prefers, later ones the negotiated one.
  row.protocol_version = record.protocol_version ?? row.protocol_version;
  if (record.occurred < row.first_activity) row.first_activity = record.occurred;
  if (record.occurred > row.last_activity) row.last_activity = record.occurred;
  row.requests += 1;
  if (record.method === 'tools/call') row.tool_calls += 1;
  if (isError(record)) row.errors += 1;
}

/** Updates a session that already has a row. */
export const addToSession = `on conflict (server_id, id) do update set
  client_name = coalesce(mcp_session.client_name, excluded.client_name),
  client_version = coalesce(mcp_session.client_version, excluded.client_version),
  protocol_version = coalesce(excluded.protocol_version, mcp_session.protocol_version),
  first_activity = case when excluded.first_activity < mcp_session.first_activity
    then excluded.first_activity else mcp_session.first_activity end,
  last_activity = case when excluded.last_activity > mcp_session.last_activity
    then excluded.last_activity else mcp_session.last_activity end,
  requests = mcp_session.requests + excluded.requests,
  tool_calls = mcp_session.tool_calls + excluded.tool_calls,
  errors = mcp_session.errors + excluded.errors`;
