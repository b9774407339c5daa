/**
 * Deletes old rows of OAuth, a batch of each kind in a transaction. Anyone may begin a sign-in or register a client, so
 * unused rows are deleted soon.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Server } from '../../context/context.ts';
import { deleteFound } from '../../database/delete-found.ts';
import { type PlatformStatement, platformStatement } from '../../database/statement.ts';
import { addSeconds, type Timestamp } from '../../values/time.ts';

const BATCH = 250;
/** Seconds for which a registered client stays that no person has given access. */
export const UNUSED_CLIENT_SECONDS = 86_400;
/**
 * Seconds after its last use for which a client with connections stays. A client without its registration registers
 * again.
 */
const IDLE_CLIENT_SECONDS = 180 * 86_400;
/** Seconds for which a connection stays whose sign-in was not finished. It has no tokens. */
const UNFINISHED_SECONDS = 3600;

interface Bounds {
  readonly now: Timestamp;
  readonly unfinished: Timestamp;
  readonly unused: Timestamp;
  readonly idle: Timestamp;
}

function deletion(
  table: string,
  key: string,
  which: (bounds: Bounds) => RawBuilder<unknown>,
): PlatformStatement<Bounds, unknown> {
  const [rows, column] = [sql.table(table), sql.ref(key)];
  return platformStatement<Bounds, unknown>((_query, given, dialect) => {
    const found = sql`select ${column} from ${rows} where ${which(given)} limit ${sql.lit(BATCH)}`;
    return deleteFound(rows, sql<boolean>`true`, column, found, dialect);
  });
}

const deletions = [
  deletion('oauth_flow', 'hash', ({ now }) => sql`expires_at < ${now}`),
  deletion('oauth_token', 'hash', ({ now }) => sql`expires_at < ${now}`),
  deletion(
    'oauth_connection',
    'id',
    ({ now, unfinished }) => sql`expires_at < ${now} or (created < ${unfinished} and not exists (
      select 1 from oauth_token where oauth_token.connection_id = oauth_connection.id))`,
  ),
  deletion(
    'oauth_client',
    'id',
    ({ unused, idle }) => sql`(used_at is null and created < ${unused}) or (used_at < ${idle} and not exists (
      select 1 from oauth_connection where oauth_connection.client_id = oauth_client.id))`,
  ),
];

/** True when more is left. */
export async function deleteOldConnections({ store }: Server, now: Timestamp): Promise<boolean> {
  const bounds: Bounds = {
    now,
    unfinished: addSeconds(now, -UNFINISHED_SECONDS),
    unused: addSeconds(now, -UNUSED_CLIENT_SECONDS),
    idle: addSeconds(now, -IDLE_CLIENT_SECONDS),
  };
  let left = false;
  for (const remove of deletions) {
    const removed = await store.platform.transaction((tx) => tx.run(remove, bounds));
    left ||= removed === BATCH;
  }
  return left;
}
