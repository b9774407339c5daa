/**
 * The operator's commands on the machine itself, with the database and without a server: the first administrator and
 * the first key need no browser.
 */

import type { OrganizationChange, OrganizationContext, PlatformChange } from '../../context/platform-context.ts';
import type { PlatformDb, PlatformTx, Store } from '../../database/store.ts';
import type { Row } from '../../database/tables/tables.ts';
import { organizations, REMOVED_WORKSPACES } from '../../database/workspaces.ts';
import { ConfigError } from '../../errors.ts';
import type { OrganizationRole } from '../../identity/access/access.ts';
import { isEmailAddress, normalEmail } from '../../identity/people/email-address.ts';
import { FIRST_ID, newTimeOrderedId } from '../../values/id.ts';
import type { Timestamp } from '../../values/time.ts';
import { auditIn } from '../audit/record.ts';
import { type CreatedApiKey, createApiKey, type KeyOwner } from '../keys/api-keys/operations.ts';
import type { ApiKeyCreate } from '../keys/api-keys/schema.ts';
import { serviceAccounts } from '../keys/service-accounts/queries.ts';
import { memberships } from '../organizations/members/queries.ts';
import { lockUser, type UserRow, users } from '../users/queries.ts';

/** The context of an operator's command: a database, the time, and the context of its changes. */
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

interface NewUser {
  readonly email: string;
  readonly name: string | null;
  /** Slug of the organization. */
  readonly organization: string;
  readonly role: OrganizationRole;
}

/** Makes the user if no one has this address, and the membership. Throws ConfigError for the operator. */
export function createUser({ change, now }: OperatorContext, given: NewUser): Promise<{ id: string }> {
  const email = normalEmail(given.email);
  if (!isEmailAddress(email)) throw new ConfigError(`"${given.email}" is not an email address.`);
  const { role } = given;
  return change.transaction(async (tx) => {
    const { id: organization_id } = await organizationBySlug(tx, given.organization);
    const stamps = { created: now, updated: now };
    const account = { email, name: given.name, password_hash: null, state: 'active', proven_at: now };
    const user = { id: newTimeOrderedId(), ...stamps, ...account };
    const { id } = (await users.insertUnlessThere(tx, user)) ?? (await users.first(tx, { email })) ?? user;
    if (!(await memberships.insertUnlessThere(tx, { organization_id, user_id: id, ...stamps, role }))) {
      throw new ConfigError(`${email} is already a member of "${given.organization}".`);
    }
    await auditIn('member', 'user')(change, tx, 'create', { id, email, organization_id }, { role });
    return { id };
  });
}

export type KeyOwnerName =
  | { readonly user: string }
  | { readonly serviceAccount: string; readonly organization: string };

/**
 * Makes a key for a user (by address) or a service account (by name). The secret is returned once. Throws NamedConflict
 * when a service account has reached its limit of keys, and NamedRefusal for an expiry that is not allowed.
 */
export function createKey(change: PlatformChange, owner: KeyOwnerName, given: ApiKeyCreate): Promise<CreatedApiKey> {
  return change.transaction(async (tx) => {
    const found = await findOwner(tx, owner);
    await lockOwner(change, tx, found);
    return createApiKey(change, tx, found, given);
  });
}

/** Locks the owner, so that the rules about one owner's keys also hold beside a running server. */
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
    const { id, email } = await userByAddress(tx, owner.user);
    return { type: 'user', id, name: email, organizationId: null };
  }
  const { id: organization_id } = await organizationBySlug(tx, owner.organization);
  const account = await serviceAccounts.first(tx, { organization_id, name: owner.serviceAccount });
  if (!account) {
    throw new ConfigError(
      `"${owner.organization}" has no service account "${owner.serviceAccount}". "signalbox service-accounts create --name ${owner.serviceAccount}" makes it.`,
    );
  }
  return { type: 'service_account', id: account.id, name: account.name, organizationId: organization_id };
}

/** Throws ConfigError when the user does not exist. */
export async function userByAddress(db: PlatformDb, address: string): Promise<UserRow> {
  const user = await users.first(db, { email: normalEmail(address) });
  if (!user) throw new ConfigError(`There is no user ${address}.`);
  return user;
}

/** It is nobody in the database; `isOperator` of the context makes the audit name the operator. */
const operatorCaller: OrganizationContext['caller'] = {
  actor: { type: 'user', id: FIRST_ID, name: 'operator' },
  state: 'active',
  apiKeyId: undefined,
  session: undefined,
};

/**
 * The context of a route for the operator, who has the rights of an administrator of every organization. It has only
 * the parts that the routes of commands use. Throws ConfigError when the organization does not exist.
 */
export async function operatorContextFor(
  { change }: OperatorContext,
  org: string | undefined,
): Promise<OrganizationContext> {
  const found = org === undefined ? undefined : await organizationBySlug(change.db, org);
  const organization = { ...found, role: 'admin' };
  return {
    ...change,
    caller: operatorCaller,
    organization,
    device: undefined,
    origin: '',
  } as unknown as OrganizationContext;
}

/** The context of a change within an organization. Throws ConfigError when the organization does not exist. */
export async function changeWithin({ change }: OperatorContext, slug: string): Promise<OrganizationChange> {
  return { ...change, organization: { id: (await organizationBySlug(change.db, slug)).id, name: slug } };
}

async function organizationBySlug(tx: PlatformDb, slug: string): Promise<Row<'organization'>> {
  const organization = await organizations.first(tx, { slug });
  if (!organization || organization.id === REMOVED_WORKSPACES) {
    throw new ConfigError(`There is no organization "${slug}". "signalbox organizations list" lists them.`);
  }
  return organization;
}
