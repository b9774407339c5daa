/**
 * Lets a person who has forgotten the password choose a new one: the server mails a link to the address of the account.
 * Neither the answer nor its time reveals whether the account exists, because the server looks it up after it has
 * answered.
 */

import type { PlatformContext } from '../../../context/platform-context.ts';
import { hashOfSecret } from '../../../encryption/secret-hash.ts';
import { found, notFound } from '../../../errors.ts';
import { countResetRequest, lookUp } from '../../../identity/callers/sign-in-attempts.ts';
import { newSecret } from '../../../identity/keys/api-keys.ts';
import { normalEmail } from '../../../identity/people/email-address.ts';
import { type Letter, passwordResetLetter, providerSignInLetter } from '../../../mail/letter.ts';
import { addSeconds } from '../../../values/time.ts';
import { auditIn } from '../../audit/record.ts';
import { lockUser, type UserRow, users } from '../../users/queries.ts';
import { endAccess } from '../sessions/end-access.ts';
import { beginSession, type NewSession } from '../sessions/operations.ts';
import { deleteExpiredResets, findReset, findSigningIn, passwordResets, takeReset } from './queries.ts';

export const RESET_SECONDS = 30 * 60;

const audit = auditIn('user');

const NOT_VALID = 'This link has been used or has expired. Ask for a new one.';

/** 404 if the server sends no mail. */
export function requireMail({ server }: PlatformContext): void {
  if (!server.mail.isOn) notFound('This server sends no mail. Ask an administrator for a new password.');
}

/**
 * Answers in the same way whether or not the address has an account. 404 if the server sends no mail, 429 after too
 * many requests.
 */
export async function askForReset(context: PlatformContext, given: string): Promise<void> {
  requireMail(context);
  const { server, address } = context;
  const email = normalEmail(given);
  await countResetRequest(server.attempts, address, email);
  server.mail.later(() => letterFor(context, email), { organizationId: null });
}

/** Undefined for an address without an account that may sign in. */
async function letterFor(context: PlatformContext, email: string): Promise<Letter | undefined> {
  const { server, origin } = context;
  const user = await context.db.first(findSigningIn, { email });
  if (user?.state !== 'active') return undefined;
  // The provider decides who signs in with such an account; a password would bypass it.
  if (user.password_hash === null && user.issuer !== null) {
    return providerSignInLetter(user.email, server.config.oidc?.label ?? 'an identity provider', `${origin}/sign-in`);
  }
  const token = newSecret();
  await context.transaction(async (tx) => {
    const now = server.clock.now();
    await tx.run(deleteExpiredResets, { now });
    const expires_at = addSeconds(now, RESET_SECONDS);
    await passwordResets.insert(tx, { token_hash: hashOfSecret(token), created: now, user_id: user.id, expires_at });
    await audit(context, tx, 'password_reset', user);
  });
  return passwordResetLetter(user.email, `${origin}/forgotten-password/${token}`, RESET_SECONDS / 60);
}

/** The account of a link. 404 if it is unknown, used or expired. */
export function readReset(context: PlatformContext, token: string): Promise<Pick<UserRow, 'id' | 'email'>> {
  const { db, now, server, address } = context;
  return lookUp(server.attempts, 'password reset link', address, async () => {
    return found(await db.first(findReset, { token_hash: hashOfSecret(token), now }), NOT_VALID);
  });
}

/**
 * Gives the account its new password, ends everything that the old one gave access to, as an operator's change does,
 * and signs the person in. 404 like `readReset`.
 */
export async function resetPassword(context: PlatformContext, token: string, password: string): Promise<NewSession> {
  const { now, server } = context;
  // Comes before the hash, which is too expensive to compute for callers without a link.
  await readReset(context, token);
  const password_hash = await server.passwords.hash(password);
  return context.transaction(async (tx) => {
    const reset = await tx.first(takeReset, { token_hash: hashOfSecret(token), now });
    const user = reset && (await tx.first(lockUser, { id: reset.user_id }));
    if (user?.state !== 'active') notFound(NOT_VALID);
    await users.change(tx, { id: user.id }, { password_hash, proven_at: now, updated: now });
    await endAccess(tx, user.id, now);
    const session = await beginSession(context, tx, user, 'password reset link');
    await audit(session.context, tx, 'password', user);
    return session;
  });
}
