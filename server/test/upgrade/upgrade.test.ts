/**
 * A newer version on the database of an older one. No release exists yet: the older versions are the schema that
 * `scripts/freeze-schema.ts` froze and its first migrations, used by today's code that knows no later one; the newer
 * version is today's code with a migration more.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { migrations } from '../../src/database/migrations/index.ts';
import type { Migration } from '../../src/database/migrations/migration.ts';
import { openStore } from '../../src/database/opening/connect.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { type Answer, databases, startServer, type TestServer } from '../support/server.ts';
import { execute } from './execute.ts';
import { earlierSql, frozenSql, migrationsOf, releases } from './frozen-schemas.ts';

const last = migrations.at(-1)!.name;
/** How many migrations the versions before the frozen one knew. */
const EARLIER = [8, 9];

/** A change as a later release could have it: a column that older servers leave empty, and an index of it. */
const next: Migration = {
  name: '9000-length-of-names',
  readableFrom: last,
  statements: [
    'alter table flow add column name_length {integer}',
    'create index ix_flow_without_length on flow (id) where name_length is null',
  ],
  lateIndexes: [{ name: 'ix_flow_name_length', on: 'flow (workspace, name_length {nullsFirst})' }],
  backfills: [
    `update flow set name_length = length(name)
      where id in (select id from flow where name_length is null limit {limit} {skipLocked})`,
  ],
};
/** One that no older server can go on with. */
const breaking: Migration = { name: '9001-breaking', statements: ['alter table flow add column must {text}'] };

for (const database of databases) {
  describe(`an older database on ${database}`, () => {
    let home: string;
    let postgres: TestPostgres | undefined;

    before(async () => {
      home = await mkdtemp(join(tmpdir(), 'signalbox-test-'));
      postgres = database === 'postgres' ? await startPostgres() : undefined;
    });
    after(async () => {
      await postgres?.stop();
      await rm(home, { recursive: true, force: true });
    });

    let made = 0;
    const databaseWith = async (sql: string) => {
      const url = postgres ? await postgres.createDatabase() : `sqlite:${join(home, `${++made}.db`)}`;
      await execute(url, sql);
      return url;
    };
    const fromRelease = (release: string) => databaseWith(frozenSql(release, database));

    const older = [
      ...EARLIER.map((count) => ({ count, sql: earlierSql('0.1.0', database, count) })),
      ...releases.map((release) => ({ count: migrationsOf(release).length, sql: frozenSql(release, database) })),
    ];
    for (const { count, sql } of older) {
      test(`keeps what a version with ${count} migrations wrote`, async () => {
        const databaseUrl = await databaseWith(sql);
        // The first databases did not say who can read them.
        if (count === EARLIER[0]) await execute(databaseUrl, 'alter table migration drop column readable_from');
        const old = await startServer({
          databaseUrl,
          migrations: migrations.slice(0, count),
          config: { home, logSearchIndex: false },
        });
        await write(old, 'old');
        const written = await contents(old);
        await old.stop();

        const told: string[] = [];
        await (await openStore(databaseUrl, (name) => told.push(name))).close();
        assert.deepEqual(
          told,
          migrations.slice(count).map(({ name }) => name),
        );
        const now = await startServer({ databaseUrl, config: { home } });
        assert.deepEqual(await contents(now), written);
        await write(now, 'new');
        const both = await contents(now);
        assert.deepEqual([both.flows.length, both.runs.length, both.logs.length], [2, 6, 6]);
        await now.stop();
      });
    }

    test('is brought up to date in batches and gets its indexes', async () => {
      const databaseUrl = await fromRelease('0.1.0');
      const old = await startServer({ databaseUrl, config: { home } });
      for (let from = 0; from < 1100; from += 10)
        await Promise.all(Array.from({ length: 10 }, (_, index) => old.post('/flows/', { name: `f${from + index}` })));
      await old.stop();
      const store = await openStore(databaseUrl, undefined, undefined, [...migrations, next]);
      const passes = [await store.continueUpgrade(), await store.continueUpgrade(), await store.continueUpgrade()];
      await store.close();
      assert.deepEqual(passes, [true, true, false], 'at most 500 rows in a transaction');
      assert.deepEqual(await execute(databaseUrl, 'select count(*) as rows from flow where name_length is null'), [
        { rows: 0 },
      ]);
      assert.equal(await hasIndex(databaseUrl), true);
    });

    test('is refused to an older version that could not read it', async () => {
      const databaseUrl = await fromRelease('0.1.0');
      await (await openStore(databaseUrl, undefined, undefined, [...migrations, next])).close();
      await (await openStore(databaseUrl)).close();
      await assert.rejects(
        openStore(databaseUrl, undefined, undefined, migrations.slice(0, EARLIER[0])),
        /newer version of Signalbox \(it has .*9000-length-of-names\), and this one cannot work with it/,
      );
      await (await openStore(databaseUrl, undefined, undefined, [...migrations, next, breaking])).close();
      await assert.rejects(openStore(databaseUrl), /newer version of Signalbox \(it has 9001-breaking\)/);
    });

    if (database === 'postgres') {
      test('serves the older and the newer version at once', async () => {
        const databaseUrl = await fromRelease('0.1.0');
        const old = await startServer({ databaseUrl, config: { home } });
        const acknowledged: string[] = [];
        let isOver = false;
        const writeOn = async (server: TestServer, name: string) => {
          for (let count = 0; !isOver || count < 20; count++) {
            const { status, text } = await send(server, '/flows/', { name: `${name}-${count}` });
            assert.equal(status, 201, text);
            acknowledged.push(`${name}-${count}`);
          }
        };
        const ofOld = writeOn(old, 'old');
        const newer = await startServer({ databaseUrl, migrations: [...migrations, next], config: { home } });
        const ofNewer = writeOn(newer, 'newer');
        // The index is built and the rows are brought up to date under these writes.
        await newer.server.store.continueUpgrade();
        // An older server can also start beside the newer one.
        const restarted = await startServer({ databaseUrl, config: { home } });
        await write(restarted, 'restarted');
        isOver = true;
        await Promise.all([ofOld, ofNewer]);
        while (await newer.server.store.continueUpgrade());
        const found = await execute(databaseUrl, 'select name, name_length from flow');
        assert.deepEqual(found.map(({ name }) => name).sort(), [...acknowledged, 'restarted'].sort());
        assert.ok(found.every((row) => row['name_length'] === String(row['name']).length));
        assert.equal(await hasIndex(databaseUrl), true);
        for (const server of [old, newer, restarted]) {
          assert.equal((await server.post('/flows/count', {})).body, found.length);
          await server.stop();
        }
      });

      test('is not changed under an older server that could not go on', async () => {
        const databaseUrl = await fromRelease('0.1.0');
        const old = await startServer({ databaseUrl, config: { home } });
        await write(old, 'old');
        const newest = [...migrations, next, breaking];
        await assert.rejects(
          openStore(databaseUrl, undefined, undefined, newest),
          /older version \(its last migration is .*would stop working after 9001-breaking\. Stop the older servers/,
        );
        await write(old, 'still');
        await old.stop();
        await (await openStore(databaseUrl, undefined, undefined, newest)).close();
      });

      test('gets an index anew that a killed process left unfinished', async () => {
        const databaseUrl = await fromRelease('0.1.0');
        const store = await openStore(databaseUrl, undefined, undefined, [...migrations, next]);
        await execute(
          databaseUrl,
          `create index ix_flow_name_length on flow (name_length);
           update pg_index set indisvalid = false where indexrelid = to_regclass('ix_flow_name_length')`,
        );
        assert.equal(await hasIndex(databaseUrl), false);
        await Promise.all([store.continueUpgrade(), store.continueUpgrade()]);
        assert.equal(await hasIndex(databaseUrl), true);
        await store.close();
      });
    }
  });
}

/** Three runs of a flow, ended, with logs and a variable. */
async function write(server: TestServer, name: string): Promise<void> {
  const flow = await send(server, '/flows/', { name });
  await send(server, '/variables/', { name: `of_${name}`, value: { from: name } });
  for (let count = 0; count < 3; count++) {
    const run = await send(server, '/flow_runs/', { flow_id: flow.body.id, name: `${name}-${count}` });
    assert.equal(run.status, 201, run.text);
    for (const type of ['PENDING', 'RUNNING', 'COMPLETED'])
      await send(server, `/flow_runs/${run.body.id}/set_state`, { state: { type } });
    const line = { name: 'log', level: 20, message: `of ${name}`, timestamp: '2026-01-01T00:00:00Z' };
    assert.equal((await send(server, '/logs/', [{ ...line, flow_run_id: run.body.id }])).status, 201);
  }
}

/**
 * As clients do: they repeat what is answered 503. PostgreSQL refuses, once for each connection, a prepared statement whose
 * table got a column.
 */
async function send(server: TestServer, path: string, body: unknown): Promise<Answer> {
  let answer = await server.post(path, body);
  for (let repeated = 0; answer.status === 503 && repeated < 100; repeated++) answer = await server.post(path, body);
  return answer;
}

async function contents(server: TestServer) {
  const list = async (path: string, body = {}) => (await server.post(path, body)).body as Record<string, unknown>[];
  const runs = await list('/flow_runs/filter', { sort: 'NAME_ASC' });
  // What goes on with the clock is left out.
  return {
    flows: await list('/flows/filter', { sort: 'NAME_ASC' }),
    runs: runs.map(({ estimated_start_time_delta: _, estimated_run_time: __, ...run }) => run),
    logs: await list('/logs/filter', { sort: 'TIMESTAMP_ASC' }),
    variables: await list('/variables/filter', { sort: 'NAME_ASC' }),
  };
}

async function hasIndex(url: string): Promise<boolean> {
  const rows = url.startsWith('sqlite:')
    ? await execute(url, `select name from sqlite_schema where name = 'ix_flow_name_length'`)
    : await execute(url, `select from pg_index where indexrelid = to_regclass('ix_flow_name_length') and indisvalid`);
  return rows.length === 1;
}
