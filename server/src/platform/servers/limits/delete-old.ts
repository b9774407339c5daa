/** Deletes what no longer counts for a limit, and the places of dead processes. */
import { sql } from 'kysely';
import type { Server } from '../../../context/context.ts';
import { platformStatement } from '../../../database/statement.ts';
import { forgetRates } from '../../../rates/queries.ts';
import { addSeconds, microsecondsOf, type Timestamp } from '../../../values/time.ts';

/** The clocks of replicas may differ by less than this. */
const IDLE_SECONDS = 3600;

const deletePlaces = platformStatement<{ before: Timestamp }, unknown>(
  (_query, given) => sql`delete from mcp_quota_place where expires_at < ${given.before}`,
);

/** True when more is left. */
export async function deleteOldRates({ store }: Server, now: Timestamp): Promise<boolean> {
  const before = addSeconds(now, -IDLE_SECONDS);
  await store.platform.transaction((tx) => tx.run(deletePlaces, { before }));
  return store.platform.transaction((tx) => forgetRates(tx, Math.floor(microsecondsOf(before) / 1000)));
}
