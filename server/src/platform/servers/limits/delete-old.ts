/** Deletes counters that have been unused for a while, and the places of dead processes. */
import { sql } from 'kysely';
import type { Server } from '../../../context/context.ts';
import { deleteFound } from '../../../database/delete-found.ts';
import { platformStatement } from '../../../database/statement.ts';
import { addSeconds, type Timestamp } from '../../../values/time.ts';

const BATCH = 250;
/** More than the time that a counter covers. */
const IDLE_SECONDS = 3600;

const deleteCounters = platformStatement<{ before: Timestamp }, unknown>((_query, given, dialect) => {
  const rows = sql.table('mcp_quota');
  const counter = sql.ref('counter');
  const found = sql`select counter from mcp_quota where updated < ${given.before} limit ${sql.lit(BATCH)}`;
  return deleteFound(rows, sql<boolean>`true`, counter, found, dialect);
});

const deletePlaces = platformStatement<{ before: Timestamp }, unknown>(
  (_query, given) => sql`delete from mcp_quota_place where expires_at < ${given.before}`,
);

/** True when more is left. */
export async function deleteOldQuotas({ store }: Server, now: Timestamp): Promise<boolean> {
  const before = addSeconds(now, -IDLE_SECONDS);
  await store.platform.transaction((tx) => tx.run(deletePlaces, { before }));
  return (await store.platform.transaction((tx) => tx.run(deleteCounters, { before }))) === BATCH;
}
