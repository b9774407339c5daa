/** Changes of a table's definition that give way to the statements of requests. */
import { setTimeout as delay } from 'node:timers/promises';
import type { RawConnection } from '../../store.ts';

/**
 * Longest wait for one lock. Every later statement on the table waits behind it, so it is short, and the change is tried
 * again.
 */
const LOCK_MILLISECONDS = 50;
const TRIES = 40;
const PAUSE_MILLISECONDS = 250;

/** A lock was not available, or two transactions waited for each other. */
const GAVE_WAY: readonly unknown[] = ['55P03', '40P01'];

/**
 * Runs the statements of PL/pgSQL in one transaction. Returns false, with nothing changed, when requests held the tables
 * at every try.
 */
export async function changePatiently({ execute }: RawConnection, statements: string): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      await execute(`do $change$ declare found record; begin
        perform set_config('lock_timeout', '${LOCK_MILLISECONDS}ms', true);
        ${statements} end $change$`);
      return true;
    } catch (error) {
      if (!GAVE_WAY.includes((error as { readonly code?: unknown }).code)) throw error;
    }
    await delay(PAUSE_MILLISECONDS * Math.random());
  }
  return false;
}
