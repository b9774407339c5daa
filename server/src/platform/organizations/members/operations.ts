import type { OrganizationContext } from '../../../context/platform-context.ts';
import type { PlatformTx } from '../../../database/store.ts';
import { found, NamedConflict } from '../../../errors.ts';
import { auditIn } from '../../audit/record.ts';
import { deleteGrantsOfActor } from '../../grants/queries.ts';
import { touchOrganization } from '../../touch-organization.ts';
import { findMember, isLastAdministrator, memberOf, memberships, type Place } from './queries.ts';
import type { Member, MemberUpdate } from './schema.ts';

const MISSING = 'Member not found.';

const audit = auditIn('member', 'user');

/** 404 for a person who is not a member; 409 `last_admin` when the organization would have no administrator left. */
export function changeMember(context: OrganizationContext, userId: string, { role }: MemberUpdate): Promise<Member> {
  const { organization, now } = context;
  return context.transaction(async (tx) => {
    const member = await lockMember(context, tx, userId);
    const place = { organization_id: organization.id, user_id: userId };
    if (role !== 'admin') await keepAnAdministrator(tx, place);
    await memberships.change(tx, place, { role, updated: now });
    await audit(context, tx, 'update', member, { role });
    return { ...member, role, updatedAt: now };
  });
}

/** Ends the membership and the explicit grants in this organization; a new invitation restores neither. */
export function removeMember(context: OrganizationContext, userId: string): Promise<void> {
  const { organization } = context;
  return context.transaction(async (tx) => {
    const member = await lockMember(context, tx, userId);
    const place = { organization_id: organization.id, user_id: userId };
    await keepAnAdministrator(tx, place);
    await memberships.remove(tx, place);
    await tx.run(deleteGrantsOfActor, { actor_id: userId, organization_id: organization.id });
    await audit(context, tx, 'remove', member);
  });
}

async function lockMember({ organization, now }: OrganizationContext, tx: PlatformTx, userId: string): Promise<Member> {
  await tx.run(touchOrganization, { organization_id: organization.id, now });
  return memberOf(found(await tx.first(findMember, { organization_id: organization.id, user_id: userId }), MISSING));
}

async function keepAnAdministrator(tx: PlatformTx, leaving: Place): Promise<void> {
  if (await isLastAdministrator(tx, leaving)) {
    throw new NamedConflict(
      'last_admin',
      'An organization needs at least one administrator. Appoint another one first.',
    );
  }
}
