/** A person's own account: name, password and sessions. Keys may do none of this. */
import { Forbidden, NamedConflict, notFound } from '../../errors.ts';
import { beginSignIn, checked } from '../../identity/sign-in-attempts.ts';
import { actorOf, csrfTokenOf, type PlatformContext } from '../../platform-context.ts';
import { recordAudit } from '../audit/record.ts';
import { findDeviceOf } from '../known-devices/operations.ts';
import { deleteKnownDevicesOfUser } from '../known-devices/queries.ts';
import { beginSession, type NewSession } from '../sessions/operations.ts';
import { deleteSessionsOfUser } from '../sessions/queries.ts';
import { holdSession } from '../users/hold-session.ts';
import { findUser, type UserRow, userOf } from '../users/queries.ts';
import {
  deleteOtherSessionsOfUser,
  deleteSessionOfUser,
  listSessionsOfUser,
  renameUser,
  replacePassword,
} from './account-queries.ts';
import type { OwnAccount, PasswordChange } from './account-schema.ts';

export async function readAccount(context: PlatformContext): Promise<OwnAccount> {
  const { id } = actorOf(context);
  const user = (await context.db.first(findUser, { id })) ?? notFound('User not found.');
  return accountOf(context, user);
}

async function accountOf(context: PlatformContext, user: UserRow): Promise<OwnAccount> {
  const sessions = await context.db.all(listSessionsOfUser, { user_id: user.id, now: context.now });
  return {
    user: userOf(user),
    hasPassword: user.password_hash !== null,
    sessions: sessions.map(({ id, created, last_seen_at, expires_at }) => ({
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
    await tx.run(renameUser, { id: held.id, name, now: context.now });
    await recordAudit(context, tx, { organizationId: null, action: 'user.update', target: targetOf(held) });
    return { ...held, name };
  });
  return accountOf(context, user);
}

/**
 * Ends every session and forgets the browsers that were recognized; keys stay. The browser that asks gets a new session,
 * so that a copy of its cookie opens nothing. 403 for a wrong current password,
 * 409 `no_password`, 429 after too many guesses.
 */
export async function changePassword(context: PlatformContext, given: PasswordChange): Promise<NewSession> {
  const { server, now, address, db } = context;
  const { id } = actorOf(context);
  const user = (await db.first(findUser, { id })) ?? notFound('User not found.');
  if (user.password_hash === null) {
    throw new NamedConflict('no_password', 'This account has no password. Its owner signs in another way.');
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
    await tx.run(replacePassword, { id, password_hash, now });
    await tx.run(deleteSessionsOfUser, { user_id: id });
    await tx.run(deleteKnownDevicesOfUser, { user_id: id });
    await recordAudit(context, tx, { organizationId: null, action: 'user.password', target: targetOf(held) });
    return beginSession(context, tx, held, 'new password', csrfTokenOf(context));
  });
}

/** 404 when the caller has no such session. */
export function endOwnSession(context: PlatformContext, id: string): Promise<void> {
  return context.transaction(async (tx) => {
    const held = await holdSession(context, tx);
    if (!(await tx.first(deleteSessionOfUser, { id, user_id: held.id }))) notFound('Session not found.');
    await recordAudit(context, tx, { organizationId: null, action: 'session.end', target: targetOf(held) });
  });
}

/** All but the one that asks. */
export function endOtherSessions(context: PlatformContext): Promise<void> {
  return context.transaction(async (tx) => {
    const held = await holdSession(context, tx);
    await tx.run(deleteOtherSessionsOfUser, { user_id: held.id, kept: context.caller?.session?.id ?? '' });
    await recordAudit(context, tx, {
      organizationId: null,
      action: 'session.end',
      target: targetOf(held),
      details: { sessions: 'all others' },
    });
  });
}

function targetOf({ id, email }: UserRow) {
  return { type: 'user', id, name: email };
}
