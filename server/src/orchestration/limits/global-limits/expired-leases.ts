import type { Context } from '../../../context.ts';
import { deleteEmptyLeases, listExpiredLeases } from './lease-queries.ts';
import { endExpiredLease } from './slots.ts';

const BATCH = 200;

/**
 * Gives back the slots of leases that nobody renewed, each once whoever else looks. An expired lease holds nothing, so
 * nobody waits for this; it keeps the averages true and the tables small. True when there are more.
 */
export async function endExpiredLeases(context: Context): Promise<boolean> {
  const { now } = context;
  const expired = await listExpiredLeases(context.db, now, BATCH);
  for (const id of expired) await endExpiredLease(context, id);
  const empty = await context.transaction((tx) => deleteEmptyLeases(tx, now, BATCH));
  return expired.length === BATCH || empty === BATCH;
}
