import type { OrganizationChange } from '../../../context/platform-context.ts';
import type { PlatformTx } from '../../../database/store.ts';
import { found, NamedConflict } from '../../../errors.ts';
import { newTimeOrderedId } from '../../../values/id.ts';
import { auditIn } from '../../audit/record.ts';
import { deleteGrantsOfActor } from '../../grants/queries.ts';
import { touchOrganization } from '../../touch-organization.ts';
import {
  type CreatedApiKey,
  createApiKey,
  type KeyOwner,
  type RolledApiKey,
  rollApiKey,
} from '../api-keys/operations.ts';
import type { ApiKeyCreate, ApiKeyRoll } from '../api-keys/schema.ts';
import { type ServiceAccountRow, serviceAccountOf, serviceAccounts } from './queries.ts';
import type { ServiceAccount, ServiceAccountCreate, ServiceAccountUpdate } from './schema.ts';

export const MISSING = 'Service account not found.';

const audit = auditIn('service_account');

/** Makes an account and its first key, in one transaction. 409 `name_taken`. */
export function createServiceAccount(
  context: OrganizationChange,
  given: ServiceAccountCreate,
): Promise<CreatedApiKey & { serviceAccount: ServiceAccount }> {
  return context.transaction(async (tx) => {
    const serviceAccount = await addServiceAccount(context, tx, given);
    const organizationId = context.organization.id;
    const { id, name } = serviceAccount;
    const owner: KeyOwner = { type: 'service_account', id, name, organizationId };
    return { serviceAccount, ...(await createApiKey(context, tx, owner, given)) };
  });
}

/** Makes an account without a key, within a transaction. 409 `name_taken`. */
export async function addServiceAccount(
  context: OrganizationChange,
  tx: PlatformTx,
  { name, description, role }: Pick<ServiceAccountCreate, 'name' | 'description' | 'role'>,
): Promise<ServiceAccount> {
  const { organization, now } = context;
  const place = { id: newTimeOrderedId(), created: now, updated: now, organization_id: organization.id };
  const row = await serviceAccounts.insertUnlessThere(tx, { ...place, name, description, role, state: 'active' });
  if (!row) throw nameTaken(name);
  await audit(context, tx, 'create', row, { role });
  return serviceAccountOf(row);
}

/** 404 for an account that is deleted or belongs to another organization, 409 `name_taken`. */
export function changeServiceAccount(
  context: OrganizationChange,
  id: string,
  given: ServiceAccountUpdate,
): Promise<ServiceAccount> {
  const { name, description, role } = given;
  return context.transaction(async (tx) => {
    if (name !== undefined) {
      const namesake = await serviceAccounts.first(tx, { organization_id: context.organization.id, name });
      if (namesake && namesake.id !== id) throw nameTaken(name);
    }
    const row = await change(context, tx, id, { name, description, role });
    await audit(context, tx, 'update', row, given);
    return serviceAccountOf(row);
  });
}

/** The keys of a suspended account stay unchanged and give no access until it is active again. */
export function setServiceAccountState(
  context: OrganizationChange,
  id: string,
  state: 'active' | 'suspended',
): Promise<ServiceAccount> {
  return context.transaction(async (tx) => {
    const row = await change(context, tx, id, { state });
    await audit(context, tx, state === 'active' ? 'resume' : 'suspend', row);
    return serviceAccountOf(row);
  });
}

/** Deletes its grants; the records of its keys stay, but the keys give no access. */
export function deleteServiceAccount(context: OrganizationChange, id: string): Promise<void> {
  return context.transaction(async (tx) => {
    await tx.run(touchOrganization, { organization_id: context.organization.id, now: context.now });
    const row = await change(context, tx, id, { state: 'deleted' });
    await tx.run(deleteGrantsOfActor, { actor_id: id, organization_id: context.organization.id });
    await audit(context, tx, 'delete', row);
  });
}

/** 404 for an account that is deleted or belongs to another organization, 409 and 422 like `createApiKey`. */
export function createServiceAccountKey(
  context: OrganizationChange,
  id: string,
  given: ApiKeyCreate,
): Promise<CreatedApiKey> {
  return context.transaction(async (tx) => createApiKey(context, tx, await lockOwner(context, tx, id), given));
}

/** 404 for an account that is deleted or belongs to another organization, else like `rollApiKey`. */
export function rollServiceAccountKey(
  context: OrganizationChange,
  id: string,
  keyId: string,
  given: ApiKeyRoll,
): Promise<RolledApiKey> {
  return context.transaction(async (tx) => rollApiKey(context, tx, await lockOwner(context, tx, id), keyId, given));
}

/** The change locks the account, so two requests cannot both make its last key. */
async function lockOwner(context: OrganizationChange, tx: PlatformTx, id: string): Promise<KeyOwner> {
  const { name } = await change(context, tx, id, {});
  return { type: 'service_account', id, name, organizationId: context.organization.id };
}

/** 404 for an account that is deleted or belongs to another organization. */
export async function readServiceAccount(
  { db, organization }: OrganizationChange,
  id: string,
): Promise<ServiceAccount> {
  return serviceAccountOf(found(await serviceAccounts.first(db, { organization_id: organization.id, id }), MISSING));
}

async function change(
  { organization, now }: OrganizationChange,
  tx: PlatformTx,
  id: string,
  part: Partial<ServiceAccountRow>,
): Promise<ServiceAccountRow> {
  const place = { organization_id: organization.id, id };
  return found(await serviceAccounts.change(tx, place, { ...part, updated: now }), MISSING);
}

function nameTaken(name: string): NamedConflict {
  return new NamedConflict('name_taken', `The organization already has a service account named "${name}".`);
}
