/** Checks which program the database at an address belongs to, before anything is written to it. */
import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../../errors.ts';
import type { SqlDialect } from '../dialect/dialect.ts';
import { BEFORE_FIRST_RELEASE, migrations } from '../migrations/index.ts';
import type { Migration } from '../migrations/migration.ts';
import { doesNotFit, failsByContents, nameOfDatabase } from '../open-problem.ts';
import { misfitOf, type Recorded, type RecordedMigrations } from '../schema/schema-fit.ts';
import type { RawConnection } from '../store.ts';

/** Lists the names of tables. Tables of PostgreSQL's extensions may exist in an otherwise empty database. */
export const listTables: Readonly<Record<SqlDialect['name'], string>> = {
  sqlite: `select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'`,
  postgres: `select relname as name from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = current_schema()::regnamespace
      and not exists (select from pg_depend
        where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')`,
};

const SETTING = 'SIGNALBOX_DATABASE_URL (--database-url)';

/** The migrations that our database records. */
export type Found = 'nothing' | RecordedMigrations;

/**
 * Checks the file of an `sqlite:` address. It only reads the file, which may be another program's, and never creates
 * one. Throws ConfigError like `checkTables`.
 */
export async function checkFile(url: string, file: string, known: readonly Migration[] = migrations): Promise<Found> {
  if (!existsSync(file)) return 'nothing';
  const found = statSync(file);
  if (!found.isFile()) {
    throw new ConfigError(`${file} is ${found.isDirectory() ? 'a folder' : 'not a file'}. Name a file in ${SETTING}.`);
  }
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  try {
    const execute = async (query: string) => database.prepare(query).all() as Record<string, unknown>[];
    return await checkTables(url, { execute }, 'sqlite', known);
  } finally {
    database.close();
  }
}

/**
 * Throws ConfigError when the database has tables of another program, or of a version of Signalbox that this one cannot
 * follow. On PostgreSQL `connection` must be a single connection outside a transaction.
 */
export async function checkTables(
  url: string,
  connection: RawConnection,
  dialect: SqlDialect['name'],
  known: readonly Migration[] = migrations,
): Promise<Found> {
  const tables = (await connection.execute(listTables[dialect])).map((row) => String(row['name']));
  if (tables.length === 0) return 'nothing';
  const applied = tables.includes('migration') ? await readApplied(connection) : undefined;
  if (applied?.has(BEFORE_FIRST_RELEASE)) {
    throw new ConfigError(
      `${nameOfDatabase(url)} was made by a version of Signalbox from before its first release, whose tables this version cannot bring up to date. Name an empty database or a new file in ${SETTING}, or start the version that made it.`,
    );
  }
  const names = new Set(known.map((migration) => migration.name));
  const unknown = [...(applied?.keys() ?? [])].filter((name) => !names.has(name));
  if (!applied || (unknown.length > 0 && unknown.length === applied.size)) {
    const isPrefect = tables.includes('alembic_version') && tables.includes('flow_run');
    throw new ConfigError(
      `${nameOfDatabase(url)} belongs to ${isPrefect ? 'a Prefect server' : 'another program'}. Signalbox does not change it. Name an empty database or a new file in ${SETTING}.`,
    );
  }
  const unreadable = unknown.filter((name) => !names.has(applied.get(name)?.readableFrom ?? name));
  if (unreadable.length > 0) {
    throw new ConfigError(
      `${nameOfDatabase(url)} was written by a newer version of Signalbox (it has ${unreadable.join(', ')}), and this one cannot work with it. Start the newer version, or restore a backup.`,
    );
  }
  const misfit = await misfitOf(connection, dialect, applied, known);
  if (misfit === undefined) return applied;
  // Another process may have migrated it during the check.
  if (sameMigrations(applied, await readApplied(connection))) throw doesNotFit(url, misfit);
  return checkTables(url, connection, dialect, known);
}

function sameMigrations(one: RecordedMigrations, other: RecordedMigrations | undefined): boolean {
  return one.size === other?.size && [...one.keys()].every((name) => other.has(name));
}

/** The migrations by name. Undefined when the table belongs to another program. */
async function readApplied(connection: RawConnection): Promise<RecordedMigrations | undefined> {
  try {
    await connection.execute('select name, applied from migration');
    const rows = (await connection.execute('select * from migration')) as (Partial<Record<string, string>> & {
      name: string;
    })[];
    return new Map(
      rows.map(({ name, readable_from, digest }): [string, Recorded] => [
        name,
        { readableFrom: readable_from ?? undefined, digest: digest ?? undefined },
      ]),
    );
  } catch (error) {
    if (failsByContents(error)) return undefined;
    throw error;
  }
}
