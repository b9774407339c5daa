import { platformStatement } from '../../database/statement.ts';
import type { Store } from '../../database/store.ts';
import { secondsBetween, type Timestamp } from '../../values/time.ts';
import type { Logger } from '../../watching/logger.ts';
import type { KnownSession } from '../access/session-access.ts';

/** Resolution of the recorded time: a session in use is written once in this time. */
const RESOLUTION_SECONDS = 300;

const markSeen = platformStatement<{ id: string; now: Timestamp; before: Timestamp }, unknown>((query, given) =>
  query
    .updateTable('session')
    .set({ last_seen_at: given.now })
    .where('id', '=', given.id)
    .where('last_seen_at', '<=', given.before),
);

/** Records when a session was last used. If the write fails, the request is answered anyway. */
export async function noteSeen(
  { store, logger }: { readonly store: Store; readonly logger: Logger },
  session: Pick<KnownSession, 'id' | 'lastSeenAt'> | undefined,
  now: Timestamp,
): Promise<void> {
  if (!session || secondsBetween(session.lastSeenAt, now) < RESOLUTION_SECONDS) return;
  const seen = { id: session.id, now, before: session.lastSeenAt };
  await store.platform
    .transaction((tx) => tx.run(markSeen, seen))
    .catch((error: unknown) => logger.warn({ err: error }, 'could not record the last use of a session'));
}
