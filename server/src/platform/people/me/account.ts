/** A person's own account: name, password and sessions. Keys may change none of it. */

import { actorOf, csrfTokenOf, type PlatformContext } from '../../../context/platform-context.ts';
import { Forbidden, found, NamedConflict } from '../../../errors.ts';
import { beginSignIn, checked } from '../../../identity/callers/sign-in-attempts.ts';
import { auditIn } from '../../audit/record.ts';
import { holdSession } from '../../users/hold-session.ts';
import { readUser, type UserRow, userOf, users } from '../../users/queries.ts';
import { findDeviceOf } from '../known-devices/operations.ts';
import { knownDevices } from '../known-devices/queries.ts';
import { beginSession, type NewSession } from '../sessions/operations.ts';
import { sessions } from '../sessions/queries.ts';
import { deleteOtherSessionsOfUser, listSessionsOfUser } from './account-queries.ts';
import type { OwnAccount, PasswordChange } from './account-schema.ts';

const MISSING = 'Session not found.';

const auditUser = auditIn('user');
const auditSession = auditIn('session', 'user');

export async function readAccount(context: PlatformContext): Promise<OwnAccount> {
  return accountOf(context, await readUser(context.db, actorOf(context).id));
}

async function accountOf(context: PlatformContext, user: UserRow): Promise<OwnAccount> {
  const valid = await context.db.all(listSessionsOfUser, { user_id: user.id, now: context.now });
  return {
    user: userOf(user),
    hasPassword: user.password_hash !== null,
    sessions: valid.map(({ id, created, last_seen_at, expires_at }) => ({
      id,
      createdAt: created,
      lastSeenAt: last_seen_at,
      expiresAt: expires_at,
      isCurrent: id === context.caller?.session?.id,
    })),
  };
}

export async function renameAccount(context: PlatformContext, name: string | null): Promise<OwnAccount> {
  const user = await context.transaction(async (tx) => {
    const held = await holdSession(context, tx);
    await users.change(tx, { id: held.id }, { name, updated: context.now });
    await auditUser(context, tx, 'update', held);
    return { ...held, name };
  });
  return accountOf(context, user);
}

/**
 * Ends every session and forgets the recognized browsers; keys stay. The calling browser gets a new session, so that a
 * copy of its cookie becomes useless. 403 for a wrong current password, 409 `no_password`, 429 after too many guesses.
 */
export async function changePassword(context: PlatformContext, given: PasswordChange): Promise<NewSession> {
  const { server, now, address, db } = context;
  const { id } = actorOf(context);
  const user = await readUser(db, id);
  if (user.password_hash === null) {
    throw new NamedConflict(
      'no_password',
      'This account has no password. Its owner signs in through an identity provider.',
    );
  }
  const knownDevice = await findDeviceOf(context, user.email);
  const attempt = await beginSignIn(server.attempts, { address, email: user.email, knownDevice });
  const isRight = await checked(attempt, () =>
    server.passwords.verify(given.currentPassword, user.password_hash, 'known'),
  );
  if (!isRight) throw new Forbidden('The current password is wrong.');
  await attempt.takeBack();
  const password_hash = await server.passwords.hash(given.newPassword);
  return context.transaction(async (tx) => {
    const held = await holdSession(context, tx);
    if (held.password_hash !== user.password_hash) throw new Forbidden('The current password is wrong.');
    await users.change(tx, { id }, { password_hash, updated: now });
    await sessions.removeAll(tx, { user_id: id });
    await knownDevices.removeAll(tx, { user_id: id });
    await auditUser(context, tx, 'password', held);
    return beginSession(context, tx, held, 'new password', csrfTokenOf(context));
  });
}

/** 404 when the caller has no such session. */
export function endOwnSession(context: PlatformContext, id: string): Promise<void> {
  return context.transaction(async (tx) => {
    const held = await holdSession(context, tx);
    found(await sessions.remove(tx, { id, user_id: held.id }), MISSING);
    await auditSession(context, tx, 'end', held);
  });
}

/** Ends all sessions except the caller's. */
export function endOtherSessions(context: PlatformContext): Promise<void> {
  return context.transaction(async (tx) => {
    const held = await holdSession(context, tx);
    await tx.run(deleteOtherSessionsOfUser, { user_id: held.id, kept: context.caller?.session?.id ?? '' });
    await auditSession(context, tx, 'end', held, { sessions: 'all others' });
  });
}
