/** Copies of the database behind an address. Only the driver of that database is loaded. */

import { sqliteFileOf } from '../../settings/database-url.ts';
import type { SqlDialect } from '../dialect/dialect.ts';
import type { Copy, Rows } from './copy.ts';

export type DatabaseKind = SqlDialect['name'];

interface DatabaseCopies {
  readonly kind: DatabaseKind;
  /** Copies the database in its state at one moment. Throws ConfigError when that fails. */
  copyTo(path: string): Promise<Copy>;
  /** Throws ConfigError when the database exists or has tables. */
  checkFree(): Promise<void>;
  /**
   * Fills a database that is empty or does not exist, in one step or not at all. Throws ConfigError like `checkFree`.
   */
  fillFrom(path: string): Promise<Rows>;
}

/** The kind of the database in a sentence. */
export const kindText: Readonly<Record<DatabaseKind, string>> = { sqlite: 'an SQLite', postgres: 'a PostgreSQL' };

export async function copiesOf(url: string): Promise<DatabaseCopies> {
  const file = sqliteFileOf(url);
  if (file !== undefined) {
    const { checkNoFile, copySqlite, filesNamedIn, placeSqlite } = await import('./sqlite.ts');
    const copyTo = async (to: string) => ({ rows: await copySqlite(file, to), ...filesNamedIn(to) });
    const checkFree = async () => checkNoFile(file);
    return { kind: 'sqlite', copyTo, checkFree, fillFrom: (from) => placeSqlite(from, file) };
  }
  const { checkNoTables, dumpPostgres, fillPostgres } = await import('./postgres.ts');
  return {
    kind: 'postgres',
    copyTo: (to) => dumpPostgres(url, to),
    checkFree: () => checkNoTables(url),
    fillFrom: (from) => fillPostgres(from, url),
  };
}
