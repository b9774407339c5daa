import { ConfigError } from '../errors.ts';
import type { SqlDialect } from './dialect.ts';
import type { Migration } from './migrations/migration.ts';
import type { RawConnection } from './store.ts';
import { columnTypes } from './tables.ts';

/** Two replicas that start together take turns. Any fixed number serves as the key of the lock. */
const LOCK = 7_446_201;
/** Connections to PostgreSQL are called `signalbox <last migration that their process knows>`. */
const CALLED = 'signalbox';

/** What the connections of a process are called, so that a newer version sees which older ones still run. */
export function connectionName(known: readonly Migration[]): string {
  return `${CALLED} ${known.at(-1)?.name ?? ''}`;
}

/**
 * Applies each pending migration of `known` in a transaction. In a database with rows, which may make it slow, it first
 * calls `begun` with the name of the migration. Throws ConfigError, with the migrations before it applied, at one that a
 * server of an older version could not go on with while such a server is connected.
 */
export async function migrate(
  connection: RawConnection,
  dialect: SqlDialect,
  known: readonly Migration[],
  begun: (migration: string) => void = () => {},
): Promise<void> {
  await connection.execute(
    'create table if not exists migration (name text primary key, applied text not null, readable_from text)',
  );
  await addReadableFrom(connection, dialect);
  const applied = new Set((await connection.execute('select name from migration')).map((row) => row['name'] as string));
  const isNew = applied.size === 0;
  for (const migration of known) {
    if (applied.has(migration.name)) continue;
    if (!isNew) {
      if (dialect.name === 'postgres') await refuseBesideOlder(migration, connection, known);
      begun(migration.name);
    }
    await apply(migration, connection, dialect, isNew);
  }
}

/** The first databases have no such column. */
async function addReadableFrom(connection: RawConnection, dialect: SqlDialect): Promise<void> {
  const columns = await connection.execute(
    dialect.name === 'postgres'
      ? `select column_name as name from information_schema.columns
          where table_schema = current_schema() and table_name = 'migration'`
      : `select name from pragma_table_info('migration')`,
  );
  if (columns.some(({ name }) => name === 'readable_from')) return;
  const unlessThere = dialect.name === 'postgres' ? 'if not exists ' : '';
  await connection.execute(`alter table migration add column ${unlessThere}readable_from text`);
}

async function refuseBesideOlder(
  migration: Migration,
  connection: RawConnection,
  known: readonly Migration[],
): Promise<void> {
  const names = known.map(({ name }) => name);
  const oldest = names.indexOf(migration.readableFrom ?? migration.name);
  const connected = await connection.execute(
    `select distinct application_name as called from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name like '${CALLED} %'`,
  );
  const older = connected
    .map(({ called }) => names.indexOf(String(called).slice(CALLED.length + 1)))
    .filter((position) => position >= 0 && position < oldest);
  if (older.length === 0) return;
  throw new ConfigError(
    `A Signalbox server of an older version (its last migration is ${names[Math.min(...older)]}) uses this database, and could not go on after ${migration.name}. Stop the older servers, then start this one. Nothing was changed for it.`,
  );
}

async function apply(
  migration: Migration,
  connection: RawConnection,
  dialect: SqlDialect,
  isNew: boolean,
): Promise<void> {
  const { name, readableFrom } = migration;
  const record = `insert into migration (name, applied, readable_from) values ('${name}', '${new Date().toISOString()}', ${readableFrom ? `'${readableFrom}'` : 'null'})`;
  const statements = renderedStatements(migration, dialect);
  // Building an index holds up the writes of older servers, but there are none on a new database.
  if (isNew || dialect.name === 'sqlite') {
    for (const { name: index, on } of migration.lateIndexes ?? [])
      statements.push(`create index ${index} on ${render(on, dialect)}`);
  }
  if (dialect.name === 'postgres') {
    // One simple query is one transaction; the lock makes the second of two replicas wait and then find it done.
    await connection.execute(
      `do $migration$ begin
        perform pg_advisory_xact_lock(${LOCK});
        if not exists (select from migration where name = '${name}') then
          ${statements.map((statement) => `${statement};`).join('\n')}
          ${record};
        end if;
      end $migration$`,
    );
    return;
  }
  await connection.execute('begin immediate');
  try {
    // Another process may have been faster until now, and waits for this one from here on.
    const done = await connection.execute('select name from migration where name = ?', [name]);
    if (done.length > 0) {
      await connection.execute('rollback');
      return;
    }
    for (const statement of statements) await connection.execute(statement);
    await connection.execute(record);
    await connection.execute('commit');
  } catch (error) {
    await connection.execute('rollback');
    throw error;
  }
}

/** The statements of a migration as a database gets them. */
export function renderedStatements({ statements }: Migration, dialect: SqlDialect): string[] {
  const written = 'sqlite' in statements ? statements[dialect.name] : statements;
  return written.map((statement) => render(statement, dialect));
}

export function render(statement: string, dialect: SqlDialect): string {
  const types = columnTypes[dialect.name];
  return statement.replace(/\{(\w+)\}/g, (whole, kind: string) => types[kind as keyof typeof types] ?? whole);
}
