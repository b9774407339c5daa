/** Sets the role of a member as the identity provider decides it. */

import type { PlatformContext } from '../../../context/platform-context.ts';
import type { PlatformTx } from '../../../database/store.ts';
import type { OrganizationRole } from '../../../identity/access/access.ts';
import { auditIn } from '../../audit/record.ts';
import { deleteGrantsOfActor } from '../../grants/queries.ts';
import type { UserRow } from '../../users/queries.ts';
import { findMember, isLastAdministrator, memberships } from './queries.ts';

const audit = auditIn('member', 'user');

interface ProvidedRole {
  readonly organizationId: string;
  readonly user: Pick<UserRow, 'id' | 'email'>;
  /** Null if the person is not a member. */
  readonly role: OrganizationRole | null;
}

/**
 * Makes the person a member with this role, or ends the membership with its grants, in a transaction that has locked
 * the organization. The last administrator stays an administrator, who can correct a wrong setting.
 */
export async function setProvidedRole(
  context: PlatformContext,
  tx: PlatformTx,
  { organizationId, user, role }: ProvidedRole,
): Promise<void> {
  const { now } = context;
  const place = { organization_id: organizationId, user_id: user.id };
  const before = (await tx.first(findMember, place))?.role ?? null;
  if (before === role) return;
  if (before === 'admin' && (await isLastAdministrator(tx, place))) {
    context.server.logger.warn({ user_id: user.id }, 'the groups of the last administrator no longer give the role');
    return;
  }
  if (role === null) {
    await memberships.remove(tx, place);
    await tx.run(deleteGrantsOfActor, { actor_id: user.id, organization_id: organizationId });
  } else if (before === null) {
    await memberships.insertUnlessThere(tx, { ...place, created: now, updated: now, role });
  } else {
    await memberships.change(tx, place, { role, updated: now });
  }
  const verb = role === null ? 'remove' : before === null ? 'create' : 'update';
  const details = { ...(role !== null && { role }), source: 'identity provider' };
  await audit(context, tx, verb, { ...user, organization_id: organizationId }, details);
}
