/** The roles in organizations that follow from a person's groups at the identity provider. */
import type { OidcConfig } from '../../../config.ts';
import type { PlatformContext } from '../../../context/platform-context.ts';
import type { PlatformTx } from '../../../database/store.ts';
import { organizations } from '../../../database/workspaces.ts';
import type { OrganizationRole } from '../../../identity/access/access.ts';
import { setProvidedRole } from '../../organizations/members/provided-role.ts';
import { touchOrganization } from '../../touch-organization.ts';
import type { UserRow } from '../../users/queries.ts';

interface GivenRole {
  readonly organizationId: string;
  /** Null for a person whose groups give no role. */
  readonly role: OrganizationRole | null;
}

/** True for a person to whom a group gives a role in any organization. */
export function hasGroupRole({ groupRoles }: OidcConfig, groups: readonly string[]): boolean {
  return groupRoles.some(({ group }) => groups.includes(group));
}

/**
 * The role that the groups give in each organization that the setting names. Locks these organizations in a fixed
 * order, like other changes, before they lock a person. An organization that does not exist is skipped and logged.
 */
export async function lockGroupRoles(
  { now, server }: PlatformContext,
  { groupRoles }: OidcConfig,
  tx: PlatformTx,
  groups: readonly string[],
): Promise<GivenRole[]> {
  const held = new Set(groups);
  const given: GivenRole[] = [];
  for (const slug of new Set(groupRoles.map(({ organization }) => organization))) {
    const organization = await organizations.first(tx, { slug });
    if (!organization) {
      server.logger.warn(
        { organization: slug },
        'SIGNALBOX_OIDC_GROUP_ROLES names an organization that does not exist',
      );
      continue;
    }
    const roles = groupRoles.filter((one) => one.organization === slug && held.has(one.group)).map(({ role }) => role);
    given.push({ organizationId: organization.id, role: roles.includes('admin') ? 'admin' : (roles[0] ?? null) });
  }
  given.sort((one, other) => (one.organizationId < other.organizationId ? -1 : 1));
  for (const { organizationId } of given) await tx.run(touchOrganization, { organization_id: organizationId, now });
  return given;
}

/** Sets the roles of the person who signs in. The organizations are locked. */
export async function applyGroupRoles(
  context: PlatformContext,
  tx: PlatformTx,
  user: UserRow,
  given: readonly GivenRole[],
): Promise<void> {
  for (const { organizationId, role } of given) await setProvidedRole(context, tx, { organizationId, user, role });
}
