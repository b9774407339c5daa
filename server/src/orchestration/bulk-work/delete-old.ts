import type { Context } from '../../context/context.ts';
import { addSeconds } from '../../values/time.ts';
import { deleteWorksBefore } from './queries.ts';

const KEPT_SECONDS = 30 * 86_400;
const BATCH = 100;

/** Deletes works that have ended and are old. True when more is left. */
export function deleteOldBulkWork({ now, transaction }: Context): Promise<boolean> {
  const old = { before: addSeconds(now, -KEPT_SECONDS), limit: BATCH };
  return transaction(async (tx) => (await tx.run(deleteWorksBefore, old)) === BATCH);
}
