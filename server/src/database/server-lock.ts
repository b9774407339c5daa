import { existsSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../errors.ts';
import { checkFolderOf, sqliteFileOf } from './open-problem.ts';

/** Result codes of SQLite: busy, locked. Source: https://www.sqlite.org/rescode.html */
const TAKEN = new Set([5, 6]);

export interface ServerLock {
  release(): void;
  /** For a server that could not start: leaves no file that was not there before. */
  abandon(): void;
}

/**
 * Makes this process the one server on an SQLite file: each of two servers would act as the only writer and the only
 * clock. The lock is one of the operating system, on a file beside the database, so it ends with the process
 * however that ends; commands of operators do not take it. Throws ConfigError when another server has it. PostgreSQL serves
 * many servers, and there it does nothing.
 */
export function lockForServer(url: string): ServerLock {
  const database = sqliteFileOf(url);
  if (database === undefined || database === ':memory:') return { release: () => {}, abandon: () => {} };
  checkFolderOf(database);
  const file = `${database}.lock`;
  const isNew = !existsSync(file);
  const connection = new DatabaseSync(file, { timeout: 0 });
  try {
    connection.exec('begin exclusive');
  } catch (error) {
    connection.close();
    if (!TAKEN.has((error as { errcode?: number }).errcode ?? 0)) throw error;
    throw new ConfigError(
      `Another Signalbox server runs on the database ${database}. Stop that one first, or name another with SIGNALBOX_HOME (--home) or SIGNALBOX_DATABASE_URL (--database-url).`,
    );
  }
  return {
    release: () => connection.close(),
    abandon: () => {
      connection.close();
      if (isNew) rmSync(file, { force: true });
    },
  };
}
