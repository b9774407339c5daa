import { existsSync, rmSync } from 'node:fs';
import { ConfigError } from '../../errors.ts';
import { type FileLock, takeLock } from '../../files/file-lock.ts';
import { sqliteFileOf } from '../../settings/database-url.ts';
import { checkNewFile } from '../open-problem.ts';

export interface ServerLock extends FileLock {
  /** Releases the lock of a server that could not start, and removes the file if the lock made it. */
  abandon(): void;
}

/**
 * Makes this process the only server on an SQLite file: each of two servers would act as the only writer and the only
 * clock. The lock is on a file beside the database; operators' commands do not take it. Throws ConfigError when another
 * server holds it. Does nothing for PostgreSQL, which serves many servers.
 */
export function lockForServer(url: string): ServerLock {
  const database = sqliteFileOf(url);
  if (database === undefined || database === ':memory:') return { release: () => {}, abandon: () => {} };
  checkNewFile(database);
  const file = `${database}.lock`;
  const isNew = !existsSync(file);
  const lock = takeLock(file);
  if (!lock) {
    throw new ConfigError(
      `Another Signalbox server runs on the database ${database}. Stop that one first, or name another with SIGNALBOX_HOME (--home) or SIGNALBOX_DATABASE_URL (--database-url).`,
    );
  }
  return {
    release: lock.release,
    abandon: () => {
      lock.release();
      if (isNew) rmSync(file, { force: true });
    },
  };
}
