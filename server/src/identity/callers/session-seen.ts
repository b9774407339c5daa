import { platformStatement } from '../../database/statement.ts';
import type { Store } from '../../database/store.ts';
import { secondsBetween, type Timestamp } from '../../values/time.ts';
import type { Logger } from '../../watching/logger.ts';
import type { KnownSession } from '../access/session-access.ts';

/** How exact it is: a session in use is written down once in this time. */
const RESOLUTION_SECONDS = 300;

const markSeen = platformStatement<{ id: string; now: Timestamp; before: Timestamp }, unknown>((query, given) =>
  query
    .updateTable('session')
    .set({ last_seen_at: given.now })
    .where('id', '=', given.id)
    .where('last_seen_at', '<=', given.before),
);

/** Notes when a session was last used. A request that cannot note it is answered all the same. */
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
