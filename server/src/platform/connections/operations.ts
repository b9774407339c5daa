import { actorOf, type PlatformContext } from '../../context/platform-context.ts';
import { found } from '../../errors.ts';
import { mcpScopesOf } from '../../identity/callers/oauth-scopes.ts';
import { auditIn } from '../audit/record.ts';
import { connections, type ListedConnection } from './queries.ts';
import type { Connection } from './schema.ts';

export const audit = auditIn('client', 'mcp_server');

/** Its tokens end with it: the next request with one of them is refused. 404 for another person's connection. */
export function endConnection(context: PlatformContext, id: string): Promise<void> {
  const { id: user_id } = actorOf(context);
  return context.transaction(async (tx) => {
    const row = found(await connections.remove(tx, { id, user_id }), 'Connection not found.');
    const { organization_id, server_id, client_name: client } = row;
    await audit(context, tx, 'disconnect', { id: server_id, organization_id }, { connection: id, client });
  });
}

export function connectionOf(row: ListedConnection): Connection {
  return {
    id: row.id,
    clientName: row.client_name,
    clientId: row.client_id,
    returnsTo: row.redirect_uri,
    server: { id: row.server_id, name: row.server_name, slug: row.server_slug, organization: row.organization_slug },
    scopes: mcpScopesOf(row.scope),
    createdAt: row.created,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  };
}
