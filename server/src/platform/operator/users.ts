/** The operator's commands for users, on the machine itself. */

import { platformStatement } from '../../database/statement.ts';
import type { Row } from '../../database/tables/tables.ts';
import { ConfigError } from '../../errors.ts';
import { Passwords } from '../../identity/callers/passwords.ts';
import type { Timestamp } from '../../values/time.ts';
import { auditIn } from '../audit/record.ts';
import { grants } from '../grants/queries.ts';
import { unlinkUser } from '../people/oidc/unlink.ts';
import { endAccess } from '../people/sessions/end-access.ts';
import { MIN_PASSWORD_LENGTH } from '../people/sessions/schema.ts';
import { keepAdministrators, setUserState } from '../people/suspension/operations.ts';
import { issuerOfUser, users } from '../users/queries.ts';
import type { UserState } from '../users/schema.ts';
import { type OperatorContext, userByAddress } from './operator.ts';

const audit = auditIn('user');

interface ListedUser {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly state: string;
  /** Empty for a person who cannot sign in yet. */
  readonly signsInWith: readonly ('password' | 'identity provider')[];
  readonly organizations: readonly { readonly slug: string; readonly role: string }[];
  readonly created: Timestamp;
}

type UserRow = Pick<Row<'user_account'>, 'id' | 'email' | 'name' | 'state' | 'created' | 'password_hash'> & {
  readonly issuer: string | null;
};

const listUserRows = platformStatement<Record<string, never>, UserRow>(
  (query) =>
    query
      .selectFrom('user_account')
      .select(['id', 'email', 'name', 'state', 'created', 'password_hash', issuerOfUser.as('issuer')])
      .orderBy('email') as never,
);

type MembershipRow = Pick<Row<'membership'>, 'user_id' | 'organization_id' | 'role'> &
  Pick<Row<'organization'>, 'slug'>;

const listMemberships = platformStatement<Record<string, never>, MembershipRow>((query) =>
  query
    .selectFrom('membership')
    .innerJoin('organization', 'organization.id', 'membership.organization_id')
    .select(['membership.user_id', 'membership.organization_id', 'membership.role', 'organization.slug'])
    .orderBy('organization.slug'),
);

/** All users, by address. */
export async function listUsers({ store }: OperatorContext): Promise<ListedUser[]> {
  const db = store.platform.reads();
  const [found, memberships] = await Promise.all([db.all(listUserRows), db.all(listMemberships)]);
  const byUser = Map.groupBy(memberships, ({ user_id }) => user_id);
  return found.map(({ password_hash, issuer, ...user }) => ({
    id: user.id,
    email: user.email,
    name: user.name,
    state: user.state,
    signsInWith: [
      ...(password_hash === null ? [] : (['password'] as const)),
      ...(issuer === null ? [] : (['identity provider'] as const)),
    ],
    organizations: (byUser.get(user.id) ?? []).map(({ slug, role }) => ({ slug, role })),
    created: user.created,
  }));
}

/**
 * Ends a person's memberships, grants, sessions and keys. A new person may use the address and gets none of them. The
 * audit keeps its entries. Throws NamedConflict for the last administrator of an organization.
 */
export function removeUser({ change, now }: OperatorContext, email: string): Promise<void> {
  return change.transaction(async (tx) => {
    const user = await userByAddress(tx, email);
    const organizations = await keepAdministrators(tx, user, now);
    await grants.removeAll(tx, { actor_id: user.id });
    await endAccess(tx, user.id, now);
    await users.remove(tx, { id: user.id });
    await audit(change, tx, 'remove', user);
    for (const organization_id of organizations) {
      await auditIn('member', 'user')(change, tx, 'remove', { ...user, organization_id });
    }
  });
}

/** Gives a person a new password and ends everything that the old one gave access to: sessions, keys, devices. */
export async function changePassword({ change, now }: OperatorContext, email: string, password: string): Promise<void> {
  if (password.length < MIN_PASSWORD_LENGTH) {
    throw new ConfigError(`A password must have at least ${MIN_PASSWORD_LENGTH} characters.`);
  }
  const password_hash = await new Passwords({ passwordHashes: 1 }).hash(password);
  await change.transaction(async (tx) => {
    const user = await userByAddress(tx, email);
    await users.change(tx, { id: user.id }, { password_hash, proven_at: now, updated: now });
    await endAccess(tx, user.id, now);
    await audit(change, tx, 'password', user);
  });
}

/** Throws NamedConflict for the last administrator of an organization. */
export async function changeUserState({ change }: OperatorContext, email: string, state: UserState): Promise<void> {
  await setUserState(change, (await userByAddress(change.db, email)).id, state);
}

/** Throws NamedConflict for a person who has not signed in through an identity provider. */
export async function unlinkUserOfAddress({ change }: OperatorContext, email: string): Promise<void> {
  await unlinkUser(change, (await userByAddress(change.db, email)).id);
}
