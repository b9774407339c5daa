/** The workspace of a built-in server and its caller's role there, read for each request. */
import { platformStatement } from '../../../database/statement.ts';
import type { Store } from '../../../database/store.ts';
import { type Role, roleOf } from '../../../identity/access/access.ts';
import { grantOf, places } from '../../../identity/access/standing.ts';
import type { ServerAccess } from './server-access.ts';

interface WorkspaceRow {
  readonly key: number;
  readonly default_role: Role | null;
  readonly granted_role: Role | null;
}

const findWorkspace = platformStatement<{ server_id: string; actor_id: string }, WorkspaceRow>(
  (query, given) =>
    query
      .selectFrom('mcp_server')
      .innerJoin('workspace', 'workspace.id', 'mcp_server.workspace_id')
      .$call(grantOf(given.actor_id, places.workspace.resource))
      .where('mcp_server.id', '=', given.server_id)
      .whereRef('workspace.organization_id', '=', 'mcp_server.organization_id')
      .select([
        'workspace.key as key',
        'workspace.default_role as default_role',
        'resource_grant.role as granted_role',
      ]) as never,
);

export interface WorkspaceStanding {
  /** Key of the workspace. */
  readonly key: number;
  readonly role: Role;
}

/** Undefined without a role there, or when the workspace was deleted. */
export async function readWorkspaceStanding(
  store: Store,
  { server, actor, facts }: ServerAccess,
): Promise<WorkspaceStanding | undefined> {
  if (!server || !actor) return undefined;
  const row = await store.platform.reads().first(findWorkspace, { server_id: server.id, actor_id: actor.id });
  if (!row) return undefined;
  const { role } = roleOf({
    actorState: facts.actorState,
    organizationRole: facts.organizationRole,
    grant: row.granted_role,
    resource: { defaultRole: row.default_role, visibility: 'members' },
  });
  return role === null ? undefined : { key: row.key, role };
}
