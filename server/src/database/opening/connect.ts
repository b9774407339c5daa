import type { Config } from '../../config.ts';
import { ConfigError } from '../../errors.ts';
import { sqliteFileOf } from '../../settings/database-url.ts';
import { migrations } from '../migrations/index.ts';
import type { Migration } from '../migrations/migration.ts';
import { nameOfDatabase, openProblem } from '../open-problem.ts';
import type { PostgresStore } from '../postgres/store.ts';
import { migrate } from '../schema/migrate.ts';
import type { SqliteStore } from '../sqlite/store.ts';
import { NO_LIMITS, type Store, type StoreLimits } from '../store.ts';
import { checkFile, checkTables, type Found } from './check-database.ts';

/**
 * Opens the database behind `url` (`sqlite:<file>` or `postgres://…`) and brings its schema and statistics up to date.
 * `migrating` is called with the name of each migration that runs on a database with rows, where one may take minutes.
 * `known` is the schema for which the code was written. Throws ConfigError when the database does not open, belongs to
 * another program, or has a newer version that this one cannot work beside.
 */
export function openStore(
  url: string,
  migrating: (migration: string) => void = () => {},
  limits: StoreLimits = NO_LIMITS,
  known: readonly Migration[] = migrations,
): Promise<Store> {
  return open(url, migrating, () => {}, limits, known);
}

/**
 * Like `openStore`, for commands on a database that a server made. Throws ConfigError if there is none, and makes none.
 */
export function openExistingStore(url: string): Promise<Store> {
  return open(
    url,
    () => {},
    (found) => {
      if (found !== 'nothing') return;
      throw new ConfigError(
        `${nameOfDatabase(url)} has never been used by Signalbox. Name the database of your server with SIGNALBOX_HOME (--home) or SIGNALBOX_DATABASE_URL (--database-url), or start the server once to create it.`,
      );
    },
    NO_LIMITS,
    migrations,
  );
}

async function open(
  url: string,
  migrating: (migration: string) => void,
  accept: (found: Found) => void,
  limits: StoreLimits,
  known: readonly Migration[],
): Promise<Store> {
  try {
    const file = sqliteFileOf(url);
    if (file !== undefined) accept(await checkFile(url, file, known));
    const store = await connect(url, file, limits, known);
    try {
      let isUpToDate = false;
      while (!isUpToDate) {
        const found = await checkTables(url, store.raw, store.dialect.name, known);
        if (file === undefined) accept(found);
        const recorded = found === 'nothing' ? new Map() : found;
        isUpToDate = await migrate(url, store.raw, store.dialect, { known, recorded, begun: migrating });
      }
      await store.refreshStatistics();
      return store;
    } catch (error) {
      await store.close().catch(() => {});
      throw error;
    }
  } catch (error) {
    throw openProblem(url, error);
  }
}

export function limitsOf(config: Config): StoreLimits {
  return {
    timeoutSeconds: config.databaseTimeoutSeconds,
    lockSeconds: config.databaseLockSeconds,
    connections: config.databaseConnections,
    listenUrl: config.databaseListenUrl,
  };
}

/** Loads only the driver of that database. */
async function connect(
  url: string,
  file: string | undefined,
  limits: StoreLimits,
  known: readonly Migration[],
): Promise<SqliteStore | PostgresStore> {
  if (file !== undefined) return new (await import('../sqlite/store.ts')).SqliteStore(file, limits, known);
  return new (await import('../postgres/store.ts')).PostgresStore(url, limits, known);
}
