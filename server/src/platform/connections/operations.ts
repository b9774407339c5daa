import { notFound } from '../../errors.ts';
import { mcpScopesOf } from '../../identity/oauth-scopes.ts';
import { actorOf, type PlatformContext } from '../../platform-context.ts';
import { recordAudit } from '../audit/record.ts';
import { deleteOwnConnection, type ListedConnection } from './queries.ts';
import type { Connection } from './schema.ts';

/** Its tokens end with it: the next request with one of them is refused. 404 for a connection of somebody else. */
export function endConnection(context: PlatformContext, id: string): Promise<void> {
  const { id: user_id } = actorOf(context);
  return context.transaction(async (tx) => {
    const row = (await tx.first(deleteOwnConnection, { id, user_id })) ?? notFound('Connection not found.');
    await recordAudit(context, tx, {
      organizationId: row.organization_id,
      action: 'client.disconnect',
      target: { type: 'mcp_server', id: row.server_id },
      details: { connection: id, client: row.client_name },
    });
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
