import { sql } from 'kysely';
import { platformStatement } from '../../../database/statement.ts';
import type { PlatformDb } from '../../../database/store.ts';

const toolCall = platformStatement<{ key: number }, { id: string }>(
  (_query, { key }) => sql<{ id: string }>`select request.id from workspace
    join mcp_server on mcp_server.organization_id = workspace.organization_id
    join mcp_request request on request.server_id = mcp_server.id
    where workspace.key = ${key} and request.method = 'tools/call' limit 1`,
);

/** True if a tool was called at any MCP server of the organization that owns the workspace with this key. */
export async function isToolCalledAround(db: PlatformDb, key: number): Promise<boolean> {
  return (await db.first(toolCall, { key })) !== undefined;
}
