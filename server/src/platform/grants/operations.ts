import type { PlatformTx } from '../../database/store.ts';
import { notFound } from '../../errors.ts';
import type { Role } from '../../identity/access.ts';
import type { OrganizationChange } from '../../platform-context.ts';
import { recordAudit } from '../audit/record.ts';
import { touchOrganization } from '../touch-organization.ts';
import { approveOpenRequest, deleteGrant, findActorOfOrganization, putGrant } from './queries.ts';

/** The resource of a grant: a workspace or an MCP server of the context's organization. */
export interface GrantedResource {
  readonly type: 'workspace' | 'server';
  readonly id: string;
  readonly name: string;
}

/** Sets the explicit role of an actor. 404 for an actor that is neither a member nor a service account. */
export function setGrant(
  context: OrganizationChange,
  resource: GrantedResource,
  actorId: string,
  role: Role,
): Promise<void> {
  return context.transaction((tx) => grantRole(context, tx, resource, actorId, role));
}

/** The same within a transaction. It also approves an open request of the person for access. */
export async function grantRole(
  context: OrganizationChange,
  tx: PlatformTx,
  resource: GrantedResource,
  actorId: string,
  role: Role,
): Promise<void> {
  const { organization, caller, now } = context;
  // The removal of the actor locks the same row, so no grant is left behind.
  await tx.run(touchOrganization, { organization_id: organization.id, now });
  const actor = await tx.first(findActorOfOrganization, { organization_id: organization.id, actor_id: actorId });
  if (!actor) notFound('The organization has no such member or service account.');
  const place = { resource_id: resource.id, actor_id: actorId };
  const stamps = { created: now, updated: now };
  await tx.run(putGrant, { resource_type: resource.type, actor_type: actor.actor_type, ...place, ...stamps, role });
  await tx.run(approveOpenRequest, { ...place, role, now, decided_by: caller?.actor.name ?? 'operator' });
  await recordAudit(context, tx, {
    organizationId: organization.id,
    action: 'grant.set',
    target: resource,
    details: { actorId, actorType: actor.actor_type, actorName: actor.name, role },
  });
}

/** 404 when the actor has no explicit role there. */
export function removeGrant(context: OrganizationChange, resource: GrantedResource, actorId: string): Promise<void> {
  return context.transaction(async (tx) => {
    const removed = await tx.first(deleteGrant, { resource_id: resource.id, actor_id: actorId });
    if (!removed) notFound('Grant not found.');
    await recordAudit(context, tx, {
      organizationId: context.organization.id,
      action: 'grant.remove',
      target: resource,
      details: { actorId },
    });
  });
}
