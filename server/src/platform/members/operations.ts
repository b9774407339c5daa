import type { PlatformTx } from '../../database/store.ts';
import { NamedConflict, notFound } from '../../errors.ts';
import type { OrganizationContext } from '../../platform-context.ts';
import { recordAudit } from '../audit/record.ts';
import { deleteGrantsOfActor } from '../grants/queries.ts';
import { touchOrganization } from '../touch-organization.ts';
import { deleteMembership, findMember, listAdministrators, memberOf, updateMembership } from './queries.ts';
import type { Member, MemberUpdate } from './schema.ts';

/** 404 for a person who is not a member; 409 `last_admin` when the organization would have no administrator left. */
export function changeMember(context: OrganizationContext, userId: string, given: MemberUpdate): Promise<Member> {
  const { organization, now } = context;
  return context.transaction(async (tx) => {
    const member = await lockMember(context, tx, userId);
    if (given.role !== 'admin') await keepAnAdministrator(tx, organization.id, userId);
    await tx.run(updateMembership, { organization_id: organization.id, user_id: userId, role: given.role, now });
    await recordAudit(context, tx, {
      organizationId: organization.id,
      action: 'member.update',
      target: { type: 'user', id: userId, name: member.email },
      details: { role: given.role },
    });
    return { ...member, role: given.role, updatedAt: now };
  });
}

/** Ends the membership and the explicit grants in this organization; a new invitation restores neither. */
export function removeMember(context: OrganizationContext, userId: string): Promise<void> {
  const { organization } = context;
  return context.transaction(async (tx) => {
    const member = await lockMember(context, tx, userId);
    await keepAnAdministrator(tx, organization.id, userId);
    await tx.run(deleteMembership, { organization_id: organization.id, user_id: userId });
    await tx.run(deleteGrantsOfActor, { actor_id: userId, organization_id: organization.id });
    await recordAudit(context, tx, {
      organizationId: organization.id,
      action: 'member.remove',
      target: { type: 'user', id: userId, name: member.email },
    });
  });
}

async function lockMember({ organization, now }: OrganizationContext, tx: PlatformTx, userId: string): Promise<Member> {
  await tx.run(touchOrganization, { organization_id: organization.id, now });
  const row = await tx.first(findMember, { organization_id: organization.id, user_id: userId });
  return row ? memberOf(row) : notFound('Member not found.');
}

async function keepAnAdministrator(tx: PlatformTx, organizationId: string, leaving: string): Promise<void> {
  const administrators = await tx.all(listAdministrators, { organization_id: organizationId });
  if (administrators.length === 1 && administrators[0]?.user_id === leaving) {
    throw new NamedConflict(
      'last_admin',
      'An organization needs at least one administrator. Appoint another one first.',
    );
  }
}
