/**
 * Makes the first administrator of a new server: the start prints a link, and the person who opens it makes an account.
 * The link is offered while no user can sign in, so it also restores access when all users have lost it.
 */

import type { PlatformContext } from '../../../context/platform-context.ts';
import type { PlatformTx, Store } from '../../../database/store.ts';
import { hashOfSecret } from '../../../encryption/secret-hash.ts';
import { notFound } from '../../../errors.ts';
import { lookUp } from '../../../identity/callers/sign-in-attempts.ts';
import { newSecret } from '../../../identity/keys/api-keys.ts';
import { normalEmail } from '../../../identity/people/email-address.ts';
import { newTimeOrderedId } from '../../../values/id.ts';
import { addSeconds, type Timestamp } from '../../../values/time.ts';
import { auditIn } from '../../audit/record.ts';
import { memberships } from '../../organizations/members/queries.ts';
import { type UserRow, users } from '../../users/queries.ts';
import { beginSession, type NewSession } from '../sessions/operations.ts';
import { SET_UP_SECONDS } from './lifetime.ts';
import { findOrganizationOfWorkspace, findSetUpLink, findWhoCanSignIn, setUpLinks, takeSetUpLinks } from './queries.ts';
import type { SetUp } from './schema.ts';

const audit = auditIn('server', 'user');

const USED =
  'This link has been used or has expired. While nobody can sign in, each start of the server prints a new one.';

/**
 * The token of a new link; undefined if a user can sign in. Links of other processes stay valid: each start on the
 * database prints one.
 */
export function offerSetUp(store: Store, now: Timestamp): Promise<string | undefined> {
  return store.platform.transaction(async (tx) => {
    if (await tx.first(findWhoCanSignIn)) {
      await tx.run(takeSetUpLinks);
      return undefined;
    }
    const token = newSecret();
    const expires_at = addSeconds(now, SET_UP_SECONDS);
    await setUpLinks.insert(tx, { token_hash: hashOfSecret(token), created: now, expires_at });
    return token;
  });
}

/** 404 if the link is unknown, used or expired. */
export function checkSetUpLink(context: PlatformContext, token: string): Promise<void> {
  const { db, now, server, address } = context;
  return lookUp(server.attempts, 'set-up link', address, async () => {
    const link = await db.first(findSetUpLink, { token_hash: hashOfSecret(token), now });
    if (!link || (await db.first(findWhoCanSignIn))) notFound(USED);
  });
}

/**
 * Makes the account, or gives a password to the existing one with the address, as an administrator of the organization
 * behind `/api`, and signs it in. 404 like `checkSetUpLink`.
 */
export async function setUp(context: PlatformContext, token: string, given: SetUp): Promise<NewSession> {
  const { now, server } = context;
  await checkSetUpLink(context, token);
  const password_hash = await server.passwords.hash(given.password);
  return context.transaction(async (tx) => {
    const links = await tx.all(takeSetUpLinks);
    const isLink = links.some((link) => link.token_hash === hashOfSecret(token) && link.expires_at > now);
    if (!isLink || (await tx.first(findWhoCanSignIn))) notFound(USED);
    const user = await accountOf(tx, now, given, password_hash);
    const organization = await tx.first(findOrganizationOfWorkspace, { key: server.defaultWorkspace });
    if (!organization) throw new Error('The workspace behind /api belongs to no organization.');
    const place = { organization_id: organization.id, user_id: user.id };
    const role = 'admin';
    const inserted = await memberships.insertUnlessThere(tx, { ...place, role, created: now, updated: now });
    if (!inserted) await memberships.change(tx, place, { role, updated: now });
    const session = await beginSession(context, tx, user, 'set-up link');
    await audit(session.context, tx, 'set_up', { ...user, organization_id: organization.id });
    return session;
  });
}

async function accountOf(tx: PlatformTx, now: Timestamp, given: SetUp, password_hash: string): Promise<UserRow> {
  const email = normalEmail(given.email);
  const stamps = { created: now, updated: now };
  const account = { email, name: given.name, password_hash, state: 'active', proven_at: now };
  const user = await users.insertUnlessThere(tx, { id: newTimeOrderedId(), ...stamps, ...account });
  if (user) return user;
  const existing = await users.first(tx, { email });
  if (!existing) throw new Error('An account was neither made nor found.');
  // A suspended account stays suspended.
  await users.change(tx, { id: existing.id }, { name: given.name, password_hash, proven_at: now, updated: now });
  return { ...existing, ...account };
}
