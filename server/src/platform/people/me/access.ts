/**
 * The rights of the caller, from the same facts and by the same rules that decide each request. Pages hide actions that
 * would be refused; each request is decided again.
 */

import type { PlatformContext } from '../../../context/platform-context.ts';
import { isAtLeast, type Role, roleOf } from '../../../identity/access/access.ts';
import { roleFor, WORKSPACE_PERMISSIONS } from '../../../identity/access/permissions.ts';
import { ageRefusal } from '../../../identity/keys/key-end.ts';
import { FIRST_ID } from '../../../values/id.ts';
import { listOrganizationsOf } from '../../organizations/queries.ts';
import { userOf, users } from '../../users/queries.ts';
import { listWorkspacesOfActor, type WorkspaceFactsRow } from './access-queries.ts';
import type { Access, CallerPermission } from './access-schema.ts';

type Organization = Access['organizations'][number];

/** A hosted workspace, by the id or slug in each segment of its address; without them, the workspace behind `/api`. */
interface AccessQuestion {
  readonly organization?: string | undefined;
  readonly workspace?: string | undefined;
}

const MOST_ORGANIZATIONS = 100;

export async function readAccess(context: PlatformContext, asked: AccessQuestion): Promise<Access> {
  const { caller, db } = context;
  const isActive = caller?.state === 'active';
  const actor = isActive ? caller.actor : undefined;
  const [user, organizations] = await Promise.all([
    actor?.type === 'user' ? users.first(db, { id: actor.id }) : undefined,
    actor ? readOrganizations(context, actor.id) : [],
  ]);
  const isHosted = asked.workspace !== undefined;
  const organization = organizations.find(({ id, slug, workspaces }) =>
    isHosted ? isNamed(asked.organization, id, slug) : workspaces.some(({ isDefault }) => isDefault),
  );
  const workspace = organization?.workspaces.find(({ id, handle, isDefault }) =>
    isHosted ? isNamed(asked.workspace, id, handle) : isDefault,
  );
  return {
    user: user ? userOf(user) : null,
    csrfToken: (isActive && caller.session?.csrfToken) || null,
    organizations,
    organizationId: organization?.id ?? null,
    workspaceId: workspace?.id ?? null,
    permissions: [
      ...inWorkspace(context, workspace?.role, isHosted),
      ...beyond(context, organizations, organization, workspace?.role),
    ],
  };
}

function isNamed(segment: string | undefined, id: string, slug: string): boolean {
  return segment === slug || segment?.toLowerCase() === id;
}

/** Without keys, `/api` requires no role. */
function inWorkspace({ server }: PlatformContext, role: Role | undefined, isHosted: boolean): CallerPermission[] {
  if (!isHosted && server.config.apiAuth !== 'key') return [...WORKSPACE_PERMISSIONS];
  if (role === undefined) return [];
  return WORKSPACE_PERMISSIONS.filter((permission) => isAtLeast(role, roleFor(permission)));
}

function beyond(
  { server, caller }: PlatformContext,
  organizations: readonly Organization[],
  organization: Organization | undefined,
  role: Role | undefined,
): CallerPermission[] {
  if (caller?.state !== 'active') return [];
  const { organizationCreation } = server.config;
  const isOperator = organizations.some(
    (one) => one.role === 'admin' && one.workspaces.some(({ isDefault }) => isDefault),
  );
  const mayCreate =
    caller.actor.type === 'user' &&
    (organizationCreation === 'everyone' || (organizationCreation === 'operators' && isOperator));
  const permissions: readonly (readonly [CallerPermission, boolean])[] = [
    ['workspace:admin', role === 'admin'],
    ['organization:member', organization !== undefined],
    ['organization:admin', organization?.role === 'admin'],
    ['organizations:create', mayCreate],
    ['installation:operate', isOperator],
  ];
  return permissions.filter(([, isGiven]) => isGiven).map(([permission]) => permission);
}

async function readOrganizations(context: PlatformContext, actor_id: string): Promise<Organization[]> {
  const { db, server } = context;
  const [found, rows] = await Promise.all([
    db.all(listOrganizationsOf, { actor_id, cursor: FIRST_ID, limit: MOST_ORGANIZATIONS }),
    db.all(listWorkspacesOfActor, { actor_id }),
  ]);
  const { caller, now } = context;
  // A key that is too old for an organization gives no access there.
  const open = found.filter((one) => ageRefusal(caller?.actor.keyCreated, one.max_key_age_days, now) === undefined);
  return open.map(({ id, slug, name, role, max_key_age_days }) => ({
    id,
    slug,
    name,
    role: role as Organization['role'],
    maxKeyAgeDays: max_key_age_days,
    workspaces: rows
      .filter(({ organization_id }) => organization_id === id)
      .flatMap((row) => {
        const own = roleIn(row);
        const isDefault = row.key === server.defaultWorkspace;
        return own === null ? [] : [{ id: row.id, handle: row.handle, name: row.name, role: own, isDefault }];
      }),
  }));
}

export function roleIn(row: WorkspaceFactsRow): Role | null {
  return roleOf({
    actorState: 'active',
    resource: { defaultRole: row.default_role, visibility: 'members' },
    organizationRole: row.organization_role,
    grant: row.granted_role,
  }).role;
}
