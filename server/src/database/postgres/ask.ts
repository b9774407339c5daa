/** Asks PostgreSQL through its driver, and reads how a transaction ended. */
import type { Writable } from 'node:stream';
import type pg from 'pg';
import { Unavailable } from '../../errors.ts';
import { translateError } from './errors.ts';
import type { Result } from './result.ts';

/** Every error of the driver is translated here, so that no request ends with a driver error. */
export async function ask(client: pg.PoolClient, query: string | pg.QueryConfig): Promise<Result> {
  try {
    return await client.query<Record<string, unknown>>(query as pg.QueryConfig);
  } catch (error) {
    throw translateError(error);
  }
}

/** After an error, PostgreSQL answers a commit with a rollback and reports no error. */
export function assertCommitted({ command }: Result): void {
  if (command !== 'COMMIT') throw new Unavailable('The database did not commit the transaction.');
}

/** True when nothing of the transaction remains for certain: its commit was not sent, or became a rollback. */
export async function isUndone(committed: Promise<Result> | undefined): Promise<boolean> {
  if (committed === undefined) return true;
  return committed.then(
    ({ command }) => command !== 'COMMIT',
    () => false,
  );
}

/**
 * Sends all queries of one turn of the event loop in one write. Otherwise the driver makes a system call for each
 * query, and the server wakes up for each.
 */
export function sendTogether(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Writable } }).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
