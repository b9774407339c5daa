/**
 * A key, a session or an approved device that a person makes with a session outlives the session. So a request that was
 * admitted before the person's access ended must not make one afterwards.
 */

import { actorOf, type PlatformContext } from '../../context/platform-context.ts';
import { rows } from '../../database/rows.ts';
import type { PlatformTx } from '../../database/store.ts';
import { Unauthorized } from '../../errors.ts';
import { lockUser, type UserRow } from './queries.ts';

/** The table of `sessions/`. It is declared again here because that folder imports this one. */
const sessions = rows('session');

/**
 * Locks the account of the caller. Throws Unauthorized when the session has ended since the request began. For a
 * request with a key, it checks only the account.
 */
export async function holdSession(context: PlatformContext, tx: PlatformTx): Promise<UserRow> {
  const { id } = actorOf(context);
  const user = await tx.first(lockUser, { id });
  const session = context.caller?.session;
  const stands = session === undefined || (await sessions.first(tx, { id: session.id, user_id: id })) !== undefined;
  if (user?.state !== 'active' || !stands) throw new Unauthorized('The session has ended. Sign in again.');
  return user;
}
