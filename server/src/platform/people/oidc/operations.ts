import type { OidcConfig } from '../../../config.ts';
import type { PlatformContext } from '../../../context/platform-context.ts';
import type { PlatformTx } from '../../../database/store.ts';
import { Forbidden } from '../../../errors.ts';
import { newTimeOrderedId } from '../../../values/id.ts';
import { auditIn } from '../../audit/record.ts';
import { memberships } from '../../organizations/members/queries.ts';
import { lockUser, type UserRow, users } from '../../users/queries.ts';
import { endAccess } from '../sessions/end-access.ts';
import { beginSession, type NewSession } from '../sessions/operations.ts';
import { findOrganizationOfWorkspace } from '../set-up/queries.ts';
import { applyGroupRoles, hasGroupRole, lockGroupRoles } from './group-roles.ts';
import type { ProvidedIdentity } from './provider.ts';
import { findInvitationOfAddress, findSubjectOfUser, findUserByIdentity, identities } from './queries.ts';

const audit = auditIn('user');

/**
 * Signs in the person whom the provider identified. The first time, a verified address finds the account, or makes one
 * if the settings allow it. Afterwards the subject identifies the person, even if the address changes. The roles that
 * the person's groups give are set each time. Throws Forbidden with the reason.
 */
export function signInWithIdentity(
  context: PlatformContext,
  oidc: OidcConfig,
  identity: ProvidedIdentity,
): Promise<NewSession> {
  checkDomain(oidc, identity);
  return context.transaction(async (tx) => {
    const given = await lockGroupRoles(context, oidc, tx, identity.groups);
    const linked = await tx.first(findUserByIdentity, identity);
    // Undefined if the account was removed at the same moment.
    const known = linked && (await tx.first(lockUser, linked));
    const user = known ?? (await linkUser(context, oidc, tx, identity));
    if (user.state !== 'active') throw new Forbidden(`The account ${user.email} is ${user.state}.`);
    const session = await beginSession(context, tx, user, 'identity provider');
    await applyGroupRoles(session.context, tx, user, given);
    if (!known) await audit(session.context, tx, 'link', user, { issuer: identity.issuer });
    return session;
  });
}

function checkDomain({ emailDomains }: OidcConfig, { email }: ProvidedIdentity): void {
  if (emailDomains.length === 0) return;
  const domain = email?.split('@').at(-1);
  if (domain === undefined || !emailDomains.includes(domain)) {
    throw new Forbidden('Addresses of this domain may not sign in here.');
  }
}

async function linkUser(
  context: PlatformContext,
  oidc: OidcConfig,
  tx: PlatformTx,
  identity: ProvidedIdentity,
): Promise<UserRow> {
  const { issuer, subject, email } = identity;
  if (email === undefined || !identity.isEmailVerified) {
    throw new Forbidden('The identity provider has not verified your email address.');
  }
  const user = (await lockedUser(tx, email)) ?? (await newUser(context, oidc, tx, { ...identity, email }));
  const other = await tx.first(findSubjectOfUser, { issuer, user_id: user.id });
  if (other && other.subject !== subject) throw anotherPerson(email);
  const made = { issuer, subject, user_id: user.id, created: context.now };
  if (!other && !(await identities.insertUnlessThere(tx, made))) {
    throw new Forbidden('Another request linked this identity to another account. Start again.');
  }
  return user.proven_at === null ? await claimed(context, tx, user) : user;
}

async function lockedUser(tx: PlatformTx, email: string): Promise<UserRow | undefined> {
  const found = await users.first(tx, { email });
  return found && (await tx.first(lockUser, found));
}

/** Providers may give the address of a person who left to a new person, who must not get the old account. */
function anotherPerson(email: string): Forbidden {
  return new Forbidden(
    `The account ${email} belongs to another person at the identity provider. Ask an operator to remove it first.`,
  );
}

/**
 * Removes the password and everything that was obtained with it. The person who accepted an invitation to this address
 * need not have been its owner, and would otherwise share the account with the owner.
 */
async function claimed({ now }: PlatformContext, tx: PlatformTx, user: UserRow): Promise<UserRow> {
  await users.change(tx, { id: user.id }, { password_hash: null, proven_at: now, updated: now });
  await endAccess(tx, user.id, now);
  return { ...user, password_hash: null, proven_at: now };
}

async function newUser(
  { now, server }: PlatformContext,
  oidc: OidcConfig,
  tx: PlatformTx,
  { email, name, groups }: { readonly email: string } & Pick<ProvidedIdentity, 'name' | 'groups'>,
): Promise<UserRow> {
  const isMember = oidc.newUsers === 'members';
  const isAdmitted = isMember || hasGroupRole(oidc, groups);
  if (!isAdmitted && !(await tx.first(findInvitationOfAddress, { email, now }))) {
    throw new Forbidden(`There is no account for ${email}. Ask for an invitation.`);
  }
  const stamps = { created: now, updated: now };
  const account = { email, name, password_hash: null, state: 'active', proven_at: now };
  const user = { id: newTimeOrderedId(), ...stamps, ...account };
  // Inserts no row if another request made an account with the address at the same moment.
  if (!(await users.insertUnlessThere(tx, user))) return (await lockedUser(tx, email)) ?? user;
  const organization = await tx.first(findOrganizationOfWorkspace, { key: server.defaultWorkspace });
  if (isMember && organization) {
    const place = { organization_id: organization.id, user_id: user.id };
    await memberships.insertUnlessThere(tx, { ...place, ...stamps, role: 'member' });
  }
  return user;
}
