import type { Context } from '../../../context.ts';
import { deleteEmptyLeases, listExpiredLeases } from './lease-queries.ts';
import { endExpiredLease } from './slots.ts';

const BATCH = 200;

/**
 * Ends expired leases, each exactly once even when several replicas run this. An expired lease holds no slots, so no
 * request waits for this; it keeps the averages correct and the tables small. True when more leases are left.
 */
export async function endExpiredLeases(context: Context): Promise<boolean> {
  const { now } = context;
  const expired = await listExpiredLeases(context.db, now, BATCH);
  for (const id of expired) await endExpiredLease(context, id);
  const empty = await context.transaction((tx) => deleteEmptyLeases(tx, now, BATCH));
  return expired.length === BATCH || empty === BATCH;
}
