import { platformStatement } from '../../../database/statement.ts';
import { REMOVED_WORKSPACES } from '../../../database/workspaces.ts';
import type { Role } from '../../../identity/access/access.ts';
import { ofActor, places, type Roles } from '../../../identity/access/standing.ts';

/** Workspaces listed at most; more than a person chooses from. */
const MOST_WORKSPACES = 500;

export interface WorkspaceFactsRow extends Roles {
  readonly key: number;
  readonly id: string;
  readonly handle: string;
  readonly name: string;
  readonly organization_id: string;
  readonly organization_slug: string;
  readonly default_role: Role | null;
}

/** The workspaces of the actor's organizations, whether or not the actor has a role in them. */
export const listWorkspacesOfActor = platformStatement<{ actor_id: string }, WorkspaceFactsRow>(
  (query, given) =>
    query
      .selectFrom('workspace')
      .innerJoin('organization', 'organization.id', 'workspace.organization_id')
      .$call(ofActor.at(given.actor_id, places.workspace))
      .where((eb) => eb.or([eb('membership.role', 'is not', null), eb('service_account.role', 'is not', null)]))
      .where('workspace.organization_id', '<>', REMOVED_WORKSPACES)
      .select([
        'workspace.key as key',
        'workspace.id as id',
        'workspace.handle as handle',
        'workspace.name as name',
        'workspace.organization_id as organization_id',
        'organization.slug as organization_slug',
        'workspace.default_role as default_role',
        ...ofActor.roles,
      ])
      .orderBy('workspace.organization_id')
      .orderBy('workspace.key')
      .limit(MOST_WORKSPACES) as never,
);
