// Runs in a process of its own: it hears of each statement when its module loads.
import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import { globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Statement } from '../../src/database/statement.ts';
import type { RawConnection, Store } from '../../src/database/store.ts';

const sources = join(import.meta.dirname, '../../src');
/** They run when they are loaded: the program, its other processes, and a thread of the database. */
const PROGRAMS = [
  'main.js',
  'database/sqlite/read-process.ts',
  'database/sqlite/checkpoint-thread.ts',
  'process/serving-process.ts',
  'supervisor/supervisor-process.ts',
];
/** Only PostgreSQL is asked for its clock, its size and a setting of the session. */
const OF_POSTGRES = /clock_timestamp|pg_database_size|current_setting/;
const SCOPE = { workspace: 1 };

const declared: Statement<object, unknown>[] = [];
subscribe('signalbox:statement', (statement) => declared.push(statement as Statement<object, unknown>));
for (const file of globSync('**/*.ts', { cwd: sources, exclude: ['**/*.test.ts', ...PROGRAMS] })) {
  await import(join(sources, file));
}
const { openStore } = await import('../../src/database/opening/connect.ts');
const { startPostgres } = await import('../support/postgres.ts');
const { databases } = await import('../support/server.ts');
const { newPostgres, newSqlite } = await import('../support/templates.ts');

for (const database of databases) {
  test(`every statement fits the tables of ${database}`, async () => {
    assert.ok(declared.length > 400, `only ${declared.length} statements were found`);
    const folder = await mkdtemp(join(tmpdir(), 'signalbox-statements-'));
    const postgres = database === 'postgres' ? await startPostgres() : undefined;
    const url = await (postgres ? newPostgres(postgres) : newSqlite(folder));
    const store = (await openStore(url)) as Store & { readonly raw: RawConnection };
    const problems: string[] = [];
    for (const [index, statement] of declared.entries()) {
      const { sql, parameters } = statement.bind(store.dialect, {}, SCOPE);
      if (database === 'sqlite' && OF_POSTGRES.test(sql)) continue;
      const bound = parameters.map((value) => value ?? null);
      // Both name a table, a column or a type that does not exist, and neither runs the statement.
      const work =
        database === 'postgres'
          ? store.raw.execute(`prepare statement_${index} as ${sql}`)
          : store.raw.execute(`explain ${sql}`, bound);
      await work.catch((error: Error) => problems.push(`${error.message}: ${sql}`));
    }
    await store.close();
    await postgres?.stop();
    await rm(folder, { recursive: true });
    assert.deepEqual(problems, []);
  });
}
