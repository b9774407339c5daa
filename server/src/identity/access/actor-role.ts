/** Reads the role of an actor in a workspace as it is now, for work that goes on after the actor's request. */
import { platformStatement } from '../../database/statement.ts';
import type { PlatformDb } from '../../database/store.ts';
import { type ActorState, type Role, roleOf } from './access.ts';
import { ofActor, places, type Roles } from './standing.ts';

interface RolesRow extends Roles {
  readonly default_role: Role | null;
  readonly state: ActorState | null;
}

const findRoles = platformStatement<{ workspace: number; actor_id: string }, RolesRow>(
  (query, given) =>
    query
      .selectFrom('workspace')
      .$call(ofActor.at(given.actor_id, places.workspace))
      .leftJoin('user_account', 'user_account.id', 'membership.user_id')
      .where('workspace.key', '=', given.workspace)
      .select((eb) => [
        'workspace.default_role as default_role',
        ...ofActor.roles,
        eb.fn.coalesce('user_account.state', 'service_account.state').as('state'),
      ]) as never,
);

/** The role is null, with the reason, if the actor has none. */
export async function roleOfActor(
  db: PlatformDb,
  workspace: number,
  actorId: string,
): Promise<{ readonly role: Role | null; readonly reason: string }> {
  const row = await db.first(findRoles, { workspace, actor_id: actorId });
  if (!row) return { role: null, reason: 'the workspace is gone' };
  return roleOf({
    actorState: row.organization_role === null ? 'active' : (row.state ?? 'deleted'),
    resource: { defaultRole: row.default_role, visibility: 'members' },
    organizationRole: row.organization_role,
    grant: row.granted_role,
  });
}
