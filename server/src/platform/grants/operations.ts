import type { OrganizationChange } from '../../context/platform-context.ts';
import { rows } from '../../database/rows.ts';
import type { PlatformTx } from '../../database/store.ts';
import { found } from '../../errors.ts';
import type { Role } from '../../identity/access/access.ts';
import { auditIn } from '../audit/record.ts';
import { touchOrganization } from '../touch-organization.ts';
import { findActorOfOrganization, grants, putGrant } from './queries.ts';

const MISSING = 'Grant not found.';

/** The table of `access-requests/`. It is declared again here because that folder imports this one. */
const accessRequests = rows('access_request');

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

/** Like `setGrant`, within a transaction. It also approves an open request of the person for access. */
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
  const { actor_type, name } = found(
    await tx.first(findActorOfOrganization, { organization_id: organization.id, actor_id: actorId }),
    'The organization has no such member or service account.',
  );
  const place = { resource_id: resource.id, actor_id: actorId };
  await tx.run(putGrant, { ...place, resource_type: resource.type, actor_type, created: now, updated: now, role });
  // Closes the person's open request, because the role is granted.
  const approval = { state: 'approved', role, decided_at: now, decided_by: caller?.actor.name ?? 'operator' };
  const open = { server_id: resource.id, user_id: actorId, state: 'open' };
  await accessRequests.changeAll(tx, open, { ...approval, updated: now });
  const details = { actorId, actorType: actor_type, actorName: name, role };
  await auditIn('grant', resource.type)(context, tx, 'set', resource, details);
}

/** 404 when the actor has no explicit role there. */
export function removeGrant(context: OrganizationChange, resource: GrantedResource, actorId: string): Promise<void> {
  return context.transaction(async (tx) => {
    found(await grants.remove(tx, { resource_id: resource.id, actor_id: actorId }), MISSING);
    await auditIn('grant', resource.type)(context, tx, 'remove', resource, { actorId });
  });
}
