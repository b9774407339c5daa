import { ConfigError } from '../../errors.ts';
import type { SqlDialect } from '../dialect/dialect.ts';
import type { Migration } from '../migrations/migration.ts';
import { doesNotFit, failsByContents } from '../open-problem.ts';
import type { RawConnection } from '../store.ts';
import { divideNew } from './partitions/divided-tables.ts';
import { lateIndexStatements, renderedStatements } from './rendered-migrations.ts';
import { digestOf, openWork, type RecordedMigrations } from './schema-fit.ts';

/** Any fixed number serves as the key of the lock. */
const LOCK = 7_446_201;
/** Connections to PostgreSQL are named `signalbox <last migration that their process knows>`. */
const CALLED = 'signalbox';

/** The name of a process's connections, by which a newer version sees which older ones still run. */
export function connectionName(known: readonly Migration[]): string {
  return `${CALLED} ${known.at(-1)?.name ?? ''}`;
}

/** The SQL condition that a server is connected which does not know `migration`. */
export function olderIsConnected(migration: Migration, known: readonly Migration[]): string {
  const older = known.slice(0, known.indexOf(migration)).map(({ name }) => `'${CALLED} ${name}'`);
  return `exists (select from pg_stat_activity where datname = current_database() and application_name in (${older.join(', ')}))`;
}

/**
 * Applies the pending migrations of `known` in one transaction, so that a database is never between two versions. In a
 * database with rows, where a migration may be slow, it calls `begun` with the name of each. `recorded` are the
 * migrations that the caller has checked. Returns false, with nothing changed, if another process migrated first: the
 * caller must check its result. Throws ConfigError, with nothing changed, if a migration fails or if a server of an
 * older version is connected that could not continue.
 */
export async function migrate(
  url: string,
  connection: RawConnection,
  dialect: SqlDialect,
  { known, recorded, begun }: Upgrade,
): Promise<boolean> {
  const { pending, undigested } = openWork(recorded, known);
  if (pending.length === 0 && undigested.length === 0) return true;
  const { execute } = connection;
  let under: Migration | undefined;
  // Two replicas that start together take turns.
  await execute(dialect.name === 'postgres' ? 'begin' : 'begin immediate');
  try {
    if (dialect.name === 'postgres') await execute(`select pg_advisory_xact_lock(${LOCK})`);
    await makeTable(connection, dialect);
    const names = (await execute('select name from migration')).map(({ name }) => String(name));
    if (names.length !== recorded.size || !names.every((name) => recorded.has(name))) {
      await execute('rollback');
      return false;
    }
    const isNew = recorded.size === 0;
    if (!isNew && dialect.name === 'postgres') await refuseBesideOlder(pending, connection, known);
    for (const migration of undigested) await execute(recordDigest(migration, dialect));
    for (const migration of pending) {
      under = migration;
      if (!isNew) begun(migration.name);
      await apply(migration, connection, dialect, isNew);
    }
    await execute('commit');
    return true;
  } catch (error) {
    // The connection may be lost, and the transaction with it.
    await execute('rollback').catch(() => {});
    if (under && !(error instanceof ConfigError) && failsByContents(error)) {
      throw doesNotFit(url, `${under.name} fails there (${(error as Error).message})`);
    }
    throw error;
  }
}

interface Upgrade {
  readonly known: readonly Migration[];
  readonly recorded: RecordedMigrations;
  readonly begun: (migration: string) => void;
}

/** The first databases lack some columns. */
async function makeTable({ execute }: RawConnection, dialect: SqlDialect): Promise<void> {
  await execute('create table if not exists migration (name text primary key, applied text not null)');
  const columns = await execute(
    dialect.name === 'postgres'
      ? `select attname as name from pg_attribute where attrelid = 'migration'::regclass`
      : `select name from pragma_table_info('migration')`,
  );
  for (const added of ['readable_from', 'digest']) {
    if (!columns.some(({ name }) => name === added)) await execute(`alter table migration add column ${added} text`);
  }
}

async function refuseBesideOlder(
  pending: readonly Migration[],
  { execute }: RawConnection,
  known: readonly Migration[],
): Promise<void> {
  const names = known.map(({ name }) => name);
  const connected = await execute(
    `select distinct application_name as called from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name like '${CALLED} %'`,
  );
  const positions = connected
    .map(({ called }) => names.indexOf(String(called).slice(CALLED.length + 1)))
    .filter((position) => position >= 0);
  const older = Math.min(...positions);
  const breaking = pending.find(({ name, readableFrom }) => older < names.indexOf(readableFrom ?? name));
  if (!breaking) return;
  throw new ConfigError(
    `A Signalbox server of an older version (its last migration is ${names[older]}) uses this database and would stop working after ${breaking.name}. Stop the older servers, then start this one. Nothing was changed.`,
  );
}

async function apply(
  migration: Migration,
  { execute }: RawConnection,
  dialect: SqlDialect,
  isNew: boolean,
): Promise<void> {
  const { name } = migration;
  const divides = migration.dividesTables && isNew && dialect.name === 'postgres';
  const readableFrom = divides ? undefined : migration.readableFrom;
  const statements = [
    ...renderedStatements(migration, dialect),
    // Building an index blocks the writes of older servers, but a new database has none.
    ...(isNew || dialect.name === 'sqlite' ? lateIndexStatements(migration, dialect) : []),
    ...(divides ? [divideNew()] : []),
    `insert into migration (name, applied, readable_from) values ('${name}', '${new Date().toISOString()}', ${readableFrom ? `'${readableFrom}'` : 'null'})`,
    recordDigest(migration, dialect),
  ];
  if (dialect.name === 'postgres') await execute(statements.join(';\n'));
  else for (const statement of statements) await execute(statement);
}

function recordDigest(migration: Migration, dialect: SqlDialect): string {
  return `update migration set digest = '${digestOf(migration, dialect)}' where name = '${migration.name}'`;
}
