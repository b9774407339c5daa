import type { SqlDialect } from './dialect.ts';
import { migrations } from './migrations/index.ts';
import type { Migration } from './migrations/migration.ts';
import type { RawConnection } from './store.ts';
import { columnTypes } from './tables.ts';

/** Two replicas that start together take turns. Any fixed number serves as the key of the lock. */
const LOCK = 7_446_201;

/**
 * Applies each pending migration in a transaction. In a database with rows, which may make it slow, it first calls
 * `begun` with the name of the migration.
 */
export async function migrate(
  connection: RawConnection,
  dialect: SqlDialect,
  begun: (migration: string) => void = () => {},
): Promise<void> {
  await connection.execute('create table if not exists migration (name text primary key, applied text not null)');
  const applied = new Set((await connection.execute('select name from migration')).map((row) => row['name'] as string));
  for (const migration of migrations) {
    if (applied.has(migration.name)) continue;
    if (applied.size > 0) begun(migration.name);
    await apply(migration, connection, dialect);
  }
}

async function apply(migration: Migration, connection: RawConnection, dialect: SqlDialect): Promise<void> {
  const { statements: written } = migration;
  const statements = ('sqlite' in written ? written[dialect.name] : written).map((statement) =>
    render(statement, dialect),
  );
  const applied = new Date().toISOString();
  if (dialect.name === 'postgres') {
    // One simple query is one transaction; the lock makes the second of two replicas wait and then find it done.
    await connection.execute(
      `do $migration$ begin
        perform pg_advisory_xact_lock(${LOCK});
        if not exists (select from migration where name = '${migration.name}') then
          ${statements.map((statement) => `${statement};`).join('\n')}
          insert into migration values ('${migration.name}', '${applied}');
        end if;
      end $migration$`,
    );
    return;
  }
  await connection.execute('begin immediate');
  try {
    // Another process may have been faster until now, and waits for this one from here on.
    const done = await connection.execute('select name from migration where name = ?', [migration.name]);
    if (done.length > 0) return void (await connection.execute('rollback'));
    for (const statement of statements) await connection.execute(statement);
    await connection.execute(`insert into migration values ('${migration.name}', '${applied}')`);
    await connection.execute('commit');
  } catch (error) {
    await connection.execute('rollback');
    throw error;
  }
}

function render(statement: string, dialect: SqlDialect): string {
  const types = columnTypes[dialect.name];
  return statement.replace(/\{(\w+)\}/g, (whole, kind: string) => types[kind as keyof typeof types] ?? whole);
}
