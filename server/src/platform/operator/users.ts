/** The operator's commands for users, on the machine itself. */

import { platformStatement } from '../../database/statement.ts';
import type { Row } from '../../database/tables.ts';
import { ConfigError } from '../../errors.ts';
import { normalEmail } from '../../identity/email-address.ts';
import { Passwords } from '../../identity/passwords.ts';
import type { Timestamp } from '../../time.ts';
import { recordOperatorAudit } from '../audit/record.ts';
import { deleteEveryGrantOfActor } from '../grants/queries.ts';
import { unlinkUser } from '../oidc/unlink.ts';
import { endAccess } from '../sessions/end-access.ts';
import { MIN_PASSWORD_LENGTH } from '../sessions/schema.ts';
import { keepAdministrators, setUserState } from '../suspension/operations.ts';
import { deleteUser, findUserByEmail, issuerOfUser, setPassword } from '../users/queries.ts';
import type { UserState } from '../users/schema.ts';
import type { OperatorContext } from './operator.ts';

export interface ListedUser {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly state: string;
  /** Empty for one who cannot sign in yet. */
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
  const [users, memberships] = await Promise.all([db.all(listUserRows), db.all(listMemberships)]);
  const byUser = Map.groupBy(memberships, ({ user_id }) => user_id);
  return users.map(({ password_hash, issuer, ...user }) => ({
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
 * Ends a person's memberships, grants, sessions and keys. A new person may take the address and gets none of them. The
 * audit keeps what was done. Throws NamedConflict for the last administrator of an organization.
 */
export function removeUser({ store, now }: OperatorContext, email: string): Promise<void> {
  return store.platform.transaction(async (tx) => {
    const user = (await tx.first(findUserByEmail, { email: normalEmail(email) })) ?? noUser(email);
    const organizations = await keepAdministrators(tx, user, now);
    await tx.run(deleteEveryGrantOfActor, { actor_id: user.id });
    await endAccess(tx, user.id, now);
    await tx.run(deleteUser, { id: user.id });
    const target = { type: 'user', id: user.id, name: user.email };
    await recordOperatorAudit(tx, now, { organizationId: null, action: 'user.remove', target });
    for (const organizationId of organizations) {
      await recordOperatorAudit(tx, now, { organizationId, action: 'member.remove', target });
    }
  });
}

/** Gives a person a new password and ends all that was obtained by an earlier one: sessions, keys, devices. */
export async function changePassword({ store, now }: OperatorContext, email: string, password: string): Promise<void> {
  if (password.length < MIN_PASSWORD_LENGTH) {
    throw new ConfigError(`A password must have at least ${MIN_PASSWORD_LENGTH} characters.`);
  }
  const password_hash = await new Passwords().hash(password);
  await store.platform.transaction(async (tx) => {
    const user = (await tx.first(findUserByEmail, { email: normalEmail(email) })) ?? noUser(email);
    await tx.run(setPassword, { id: user.id, name: user.name, password_hash, now });
    await endAccess(tx, user.id, now);
    await recordOperatorAudit(tx, now, {
      organizationId: null,
      action: 'user.password',
      target: { type: 'user', id: user.id, name: user.email },
    });
  });
}

/** Throws NamedConflict for the last administrator of an organization. */
export async function changeUserState(
  { store, change }: OperatorContext,
  email: string,
  state: UserState,
): Promise<void> {
  const { id } = (await store.platform.reads().first(findUserByEmail, { email: normalEmail(email) })) ?? noUser(email);
  await setUserState(change, id, state);
}

/** Throws NamedConflict for a person who has not signed in through an identity provider. */
export async function unlinkUserOfAddress({ store, change }: OperatorContext, email: string): Promise<void> {
  const { id } = (await store.platform.reads().first(findUserByEmail, { email: normalEmail(email) })) ?? noUser(email);
  await unlinkUser(change, id);
}

function noUser(email: string): never {
  throw new ConfigError(`There is no user ${email}.`);
}
