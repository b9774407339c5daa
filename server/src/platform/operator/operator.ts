/**
 * The operator's commands on the machine itself, with the database and without a server: the first administrator and
 * the first key need no browser.
 */

import type { PlatformDb, PlatformTx, Store } from '../../database/store.ts';
import { REMOVED_WORKSPACES } from '../../database/workspaces.ts';
import { ConfigError } from '../../errors.ts';
import { newTimeOrderedId } from '../../id.ts';
import type { OrganizationRole } from '../../identity/access.ts';
import { isEmailAddress, normalEmail } from '../../identity/email-address.ts';
import type { OrganizationChange, PlatformChange } from '../../platform-context.ts';
import type { Timestamp } from '../../time.ts';
import { type CreatedApiKey, createApiKey, type KeyOwner } from '../api-keys/operations.ts';
import { recordOperatorAudit } from '../audit/record.ts';
import { insertMembership } from '../members/queries.ts';
import { findOrganizationBySlug } from '../organizations/queries.ts';
import { serviceAccounts } from '../service-accounts/queries.ts';
import { findUserByEmail, insertUser, lockUser } from '../users/queries.ts';

/** The operator's place: a database, the time, and what a change of the platform is given. */
export interface OperatorContext {
  readonly store: Store;
  readonly now: Timestamp;
  readonly change: PlatformChange;
}

export function createOperatorContext(store: Store, now: Timestamp, server: PlatformChange['server']): OperatorContext {
  const change: PlatformChange = {
    now,
    caller: undefined,
    address: '',
    isOperator: true,
    server,
    db: store.platform.reads(),
    transaction: (work) => store.platform.transaction(work),
  };
  return { store, now, change };
}

export interface NewUser {
  readonly email: string;
  readonly name: string | null;
  /** Slug of the organization. */
  readonly organization: string;
  readonly role: OrganizationRole;
}

/** Makes the user where there is none with this address, and the membership. Throws ConfigError for the operator. */
export function createUser({ store, now }: OperatorContext, given: NewUser): Promise<{ id: string }> {
  const email = normalEmail(given.email);
  if (!isEmailAddress(email)) throw new ConfigError(`"${given.email}" is not an email address.`);
  return store.platform.transaction(async (tx) => {
    const organization = await organizationBySlug(tx, given.organization);
    const stamps = { created: now, updated: now };
    const account = { email, name: given.name, password_hash: null, state: 'active', proven_at: now };
    const user = { id: newTimeOrderedId(), ...stamps, ...account };
    const inserted = (await tx.first(insertUser, user)) !== undefined;
    const id = inserted ? user.id : ((await tx.first(findUserByEmail, { email }))?.id ?? user.id);
    const membership = { organization_id: organization, user_id: id, ...stamps, role: given.role };
    if (!(await tx.first(insertMembership, membership))) {
      throw new ConfigError(`${email} is already a member of "${given.organization}".`);
    }
    await recordOperatorAudit(tx, now, {
      organizationId: organization,
      action: 'member.create',
      target: { type: 'user', id, name: email },
      details: { role: given.role },
    });
    return { id };
  });
}

export type KeyOwnerName =
  | { readonly user: string }
  | { readonly serviceAccount: string; readonly organization: string };

/**
 * Makes a key for a user (by address) or a service account (by name). The secret is answered once. Throws NamedConflict
 * when a service account has as many as it may, and NamedRefusal for an expiry that is not allowed.
 */
export function createKey(
  { store, change }: OperatorContext,
  owner: KeyOwnerName,
  descriptor: string,
  expiresAt: Timestamp | null = null,
): Promise<CreatedApiKey> {
  return store.platform.transaction(async (tx) => {
    const found = await findOwner(tx, owner);
    await lockOwner(change, tx, found);
    return createApiKey(change, tx, found, { descriptor, expiresAt });
  });
}

/** So that what holds for the keys of one owner holds beside a running server too. */
export async function lockOwner({ now }: PlatformChange, tx: PlatformTx, owner: KeyOwner): Promise<void> {
  const { type, id, organizationId } = owner;
  if (type === 'user') await tx.first(lockUser, { id });
  else await serviceAccounts.change(tx, { organization_id: organizationId ?? '', id }, { updated: now });
}

interface FoundOwner extends KeyOwner {
  readonly name: string;
}

export async function findOwner(tx: PlatformDb, owner: KeyOwnerName): Promise<FoundOwner> {
  if ('user' in owner) {
    const user = await tx.first(findUserByEmail, { email: normalEmail(owner.user) });
    if (!user) throw new ConfigError(`There is no user ${owner.user}.`);
    return { type: 'user', id: user.id, name: user.email, organizationId: null };
  }
  const organization_id = await organizationBySlug(tx, owner.organization);
  const account = await serviceAccounts.first(tx, { organization_id, name: owner.serviceAccount });
  if (!account) {
    throw new ConfigError(
      `"${owner.organization}" has no service account "${owner.serviceAccount}". "signalbox service-accounts create --name ${owner.serviceAccount}" makes it.`,
    );
  }
  return { type: 'service_account', id: account.id, name: account.name, organizationId: organization_id };
}

/** The context of a change within an organization. Throws ConfigError when the organization does not exist. */
export async function changeWithin({ change }: OperatorContext, slug: string): Promise<OrganizationChange> {
  return { ...change, organization: { id: await organizationBySlug(change.db, slug), name: slug } };
}

async function organizationBySlug(tx: PlatformDb, slug: string): Promise<string> {
  const organization = await tx.first(findOrganizationBySlug, { slug });
  if (!organization || organization.id === REMOVED_WORKSPACES) {
    throw new ConfigError(`There is no organization "${slug}". "signalbox organizations list" lists them.`);
  }
  return organization.id;
}
