import { platformStatement } from '../../../database/statement.ts';
import { REMOVED_WORKSPACES } from '../../../database/workspaces.ts';
import type { OrganizationRole, Role } from '../../../identity/access/access.ts';

/** Workspaces listed at most; more than a person chooses from. */
const MOST_WORKSPACES = 500;

export interface WorkspaceFactsRow {
  readonly key: number;
  readonly id: string;
  readonly handle: string;
  readonly name: string;
  readonly organization_id: string;
  readonly organization_slug: string;
  readonly default_role: Role | null;
  /** Null for those who are not members. */
  readonly organization_role: OrganizationRole | null;
  readonly granted_role: Role | null;
}

/** The workspaces of the actor's organizations, whether or not the actor has a role in them. */
export const listWorkspacesOfActor = platformStatement<{ actor_id: string }, WorkspaceFactsRow>(
  (query, given) =>
    query
      .selectFrom('workspace')
      .innerJoin('organization', 'organization.id', 'workspace.organization_id')
      .leftJoin('membership', (join) =>
        join
          .onRef('membership.organization_id', '=', 'workspace.organization_id')
          .on('membership.user_id', '=', given.actor_id),
      )
      .leftJoin('service_account', (join) =>
        join
          .onRef('service_account.organization_id', '=', 'workspace.organization_id')
          .on('service_account.id', '=', given.actor_id),
      )
      .leftJoin('resource_grant', (join) =>
        join
          .onRef('resource_grant.resource_id', '=', 'workspace.id')
          .on('resource_grant.actor_id', '=', given.actor_id),
      )
      .where((eb) => eb.or([eb('membership.role', 'is not', null), eb('service_account.role', 'is not', null)]))
      .where('workspace.organization_id', '<>', REMOVED_WORKSPACES)
      .select((eb) => [
        'workspace.key as key',
        'workspace.id as id',
        'workspace.handle as handle',
        'workspace.name as name',
        'workspace.organization_id as organization_id',
        'organization.slug as organization_slug',
        'workspace.default_role as default_role',
        eb.fn.coalesce('membership.role', 'service_account.role').as('organization_role'),
        'resource_grant.role as granted_role',
      ])
      .orderBy('workspace.organization_id')
      .orderBy('workspace.key')
      .limit(MOST_WORKSPACES) as never,
);
