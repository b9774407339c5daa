import type { PlatformContext } from '../../../context/platform-context.ts';
import type { PlatformTx } from '../../../database/store.ts';
import { hashOfSecret } from '../../../encryption/secret-hash.ts';
import { Unauthorized } from '../../../errors.ts';
import { beginSignIn, checked } from '../../../identity/callers/sign-in-attempts.ts';
import { newSecret } from '../../../identity/keys/api-keys.ts';
import { normalEmail } from '../../../identity/people/email-address.ts';
import { addSeconds } from '../../../values/time.ts';
import { auditIn } from '../../audit/record.ts';
import { lockUser, type UserRow, users } from '../../users/queries.ts';
import { findDeviceOf, type NewCookie, rememberDevice } from '../known-devices/operations.ts';
import { deleteExpiredSessions, sessions } from './queries.ts';
import type { SignIn } from './schema.ts';

export const SESSION_SECONDS = 14 * 24 * 3600;

const audit = auditIn('session', 'user');

export interface NewSession {
  readonly user: UserRow;
  /** Only the browser stores it. */
  readonly cookie: NewCookie;
  /** Undefined if the browser has signed this person in before. */
  readonly deviceCookie: NewCookie | undefined;
  readonly csrfToken: string;
  /** The request as that user's, for the audit of its further changes. */
  readonly context: PlatformContext;
}

/**
 * 401 for a wrong address or a wrong password, without distinction; 429 after too many guesses. Every sign-in is a new
 * session.
 */
export async function signIn(context: PlatformContext, given: SignIn): Promise<NewSession> {
  const { server, address } = context;
  const email = normalEmail(given.email);
  const knownDevice = await findDeviceOf(context, email);
  const attempt = await beginSignIn(server.attempts, { address, email, knownDevice });
  const user = await users.first(context.db, { email });
  const standing = knownDevice === undefined ? 'stranger' : 'known';
  const isRight = await checked(attempt, () =>
    server.passwords.verify(given.password, user?.password_hash ?? null, standing),
  );
  if (!user || !isRight || user.state !== 'active') throw wrong();
  await attempt.takeBack();
  return context.transaction(async (tx) => {
    // The password may have been changed, or the account removed, while the hash was computed.
    const current = await tx.first(lockUser, { id: user.id });
    if (current?.password_hash !== user.password_hash || current.state !== 'active') throw wrong();
    return beginSession(context, tx, current, 'password');
  });
}

function wrong(): Unauthorized {
  return new Unauthorized('The address or the password is wrong.');
}

/**
 * Call it inside a transaction that has locked the user. `method` is the way in which the person signed in, for the
 * audit. A session that replaces another one of the same browser keeps its `csrfToken`, which open pages use.
 */
export async function beginSession(
  context: PlatformContext,
  tx: PlatformTx,
  user: UserRow,
  method: 'password' | 'new password' | 'invitation' | 'set-up link' | 'password reset link' | 'identity provider',
  csrfToken = newSecret(),
): Promise<NewSession> {
  const { now } = context;
  const secret = newSecret();
  await tx.run(deleteExpiredSessions, { now });
  await sessions.insert(tx, {
    id: hashOfSecret(secret),
    created: now,
    user_id: user.id,
    csrf_token: csrfToken,
    expires_at: addSeconds(now, SESSION_SECONDS),
    last_seen_at: now,
  });
  const deviceCookie = await rememberDevice(context, tx, user.id);
  const caller = { actor: { type: 'user', id: user.id, name: user.email } as const, state: 'active' as const };
  const signedIn = { ...context, caller: { ...caller, apiKeyId: undefined, session: undefined } };
  await audit(signedIn, tx, 'begin', user, { method });
  const cookie = { value: secret, maxAgeSeconds: SESSION_SECONDS };
  return { user, cookie, deviceCookie, csrfToken, context: signedIn };
}

/** From now on, neither the cookie nor a copy of it gives access. */
export async function signOut(context: PlatformContext): Promise<void> {
  const { caller } = context;
  const session = caller?.session;
  if (!caller || !session) return;
  await context.transaction(async (tx) => {
    await sessions.remove(tx, { id: session.id });
    await audit(context, tx, 'end', caller.actor);
  });
}
