import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { startPostgres, type TestPostgres } from '../../../../test/support/postgres.ts';
import { databases, startServer } from '../../../../test/support/server.ts';
import { newId, newTimeOrderedId } from '../../../values/id.ts';
import { addSeconds, systemClock } from '../../../values/time.ts';
import { migrations } from '../../migrations/index.ts';
import { openStore } from '../../opening/connect.ts';
import type { RawConnection, Store } from '../../store.ts';
import { LaterWork } from '../later-work.ts';
import { dividedNames } from './divided-tables.ts';

const DAY = 86_400;
const before22 = migrations.slice(
  0,
  migrations.findIndex(({ dividesTables }) => dividesTables),
);
const TABLES = ['event', 'event_resource', 'log', 'mcp_request'];

// SQLite has no partitions.
for (const database of databases.filter((one) => one === 'postgres')) {
  describe(`an older database with rows is divided on ${database}`, () => {
    let postgres: TestPostgres;
    let home: string;
    /** A database with old, new and future rows. */
    let filled: string;
    before(async () => {
      postgres = (await startPostgres())!;
      home = await mkdtemp(join(tmpdir(), 'signalbox-test-'));
      const databaseUrl = await postgres.createDatabase();
      const old = await startServer({ databaseUrl, migrations: before22, config: { home, logSearchIndex: false } });
      const now = systemClock.now();
      const times = [-4000, -40, -1, 0, 1, 40, 4000].map((days) => addSeconds(now, days * DAY));
      for (const [index, occurred] of times.entries()) {
        const sent = await old.post('/events', [event(`old.${index}`, occurred)]);
        assert.equal(sent.status, 204, sent.text);
        const stored = await old.post('/logs/', [
          { name: 'a', level: 20, message: `old ${index}`, timestamp: occurred },
        ]);
        assert.equal(stored.status, 201, stored.text);
      }
      await old.server.store.continueUpgrade();
      await old.stop();
      await withClient(databaseUrl, (client) =>
        client.query(`insert into mcp_request (server_id, id, occurred, status, decision, reason, duration_microseconds, request_bytes, response_bytes)
          select gen_random_uuid(), id, now(), 200, 'allowed', '', 1, 1, 1
          from unnest(array['${newTimeOrderedId()}', '01000000-0000-7000-8000-000000000000', 'f1000000-0000-7000-8000-000000000000']::uuid[]) id`),
      );
      filled = databaseUrl;
    });
    after(async () => {
      await postgres.stop();
      await rm(home, { recursive: true, force: true });
    });

    const copy = () => postgres.createDatabase(new URL(filled).pathname.slice(1));

    test('nothing is lost or doubled, wherever a process is killed on the way', async () => {
      const url = await copy();
      // Later migrations have added columns; the tables are not divided yet.
      const store = await openStore(url);
      const wanted = await contentsOf(url);
      assert.deepEqual(
        wanted.counts.map(({ rows }) => rows > 0),
        [true, true, true, true],
      );
      // One process after the other, each killed a statement later than the one before it.
      let statements = 1;
      while (!(await isOverAfter(statements, store))) {
        assert.deepEqual(await contentsAll(url), wanted, `killed after ${statements} statements`);
        statements++;
      }
      assert.ok(statements > 15, String(statements));
      assert.equal(await isDividedAt(url), true);
      assert.deepEqual(await contentsOf(url), wanted);
      await store.close();
    });

    test('servers write on meanwhile, and find old and new rows', async () => {
      const databaseUrl = await copy();
      const server = await startServer({ databaseUrl, config: { home } });
      let isOver = false;
      const acknowledged: string[] = [];
      const writeOn = async (name: string) => {
        for (let count = 0; !isOver || count < 30; count++) {
          const message = `${name}.${count}`;
          const occurred = addSeconds(systemClock.now(), count % 10 === 0 ? 9 * DAY : 0);
          const body = event(message, occurred);
          const answers = [
            await server.post('/events', [body, body]),
            await server.post('/logs/', [{ name: 'a', level: 20, message, timestamp: occurred }]),
          ];
          assert.deepEqual(
            answers.map(({ status }) => status),
            [204, 201],
          );
          acknowledged.push(message);
        }
      };
      const writers = [writeOn('one'), writeOn('two')];
      while (!(await isDividedAt(databaseUrl))) await server.server.store.continueUpgrade();
      isOver = true;
      await Promise.all(writers);
      await withClient(databaseUrl, async (client) => {
        for (const [table, column] of [
          ['event', 'event'],
          ['log', 'message'],
        ] as const) {
          const { rows } = await client.query(`select ${column} as name from ${table} where ${column} ~ '^(one|two)'`);
          assert.deepEqual(rows.map(({ name }) => name).sort(), acknowledged.toSorted());
        }
        // The database is one that a new version made, apart from the names of indexes in the past.
        const { rows } = await client.query(
          `select tgrelid::regclass::text as name from pg_trigger where tgname ~ '_beyond$'`,
        );
        assert.deepEqual(rows, []);
      });
      await server.stop();
      await (await openStore(databaseUrl)).close();
      await assert.rejects(openStore(databaseUrl, undefined, undefined, before22), /newer version of Signalbox/);
    });

    test('an event that was sent before stays one, also with another time', async () => {
      const databaseUrl = await copy();
      const server = await startServer({ databaseUrl, config: { home } });
      while (!(await isDividedAt(databaseUrl))) await server.server.store.continueUpgrade();
      const id = newId();
      for (const days of [0, 0, -3, 3]) {
        const sent = { ...event('again', addSeconds(systemClock.now(), days * DAY)), id };
        assert.equal(
          (await server.post('/events', [sent, { ...sent, occurred: addSeconds(systemClock.now(), -DAY) }])).status,
          204,
        );
      }
      await withClient(databaseUrl, async (client) => {
        assert.equal((await client.query(`select from event where id = '${id}'`)).rowCount, 1);
      });
      await server.stop();
    });

    test('a migration that adds columns finds a database that is being divided', async () => {
      const url = await copy();
      const dividing = migrations.slice(0, before22.length + 1);
      const store = await openStore(url, undefined, undefined, dividing);
      // Killed after the boundary was taken.
      for (let statements = 1; !(await hasRest(url)); statements++) await isOverAfter(statements, store);
      await store.close();
      const server = await startServer({ databaseUrl: url, config: { home } });
      const before = (await contentsAll(url)).counts.at(-1)!.rows;
      await withClient(url, (client) =>
        client.query(`insert into mcp_request (server_id, id, occurred, status, decision, reason, duration_microseconds,
            request_bytes, response_bytes, failure)
          values (gen_random_uuid(), 'f2000000-0000-7000-8000-000000000000', now(), 502, 'allowed', '', 1, 1, 1, 'refused')`),
      );
      assert.equal((await contentsAll(url)).counts.at(-1)!.rows, before + 1);
      while (!(await isDividedAt(url))) await server.server.store.continueUpgrade();
      assert.equal((await contentsOf(url)).counts.at(-1)!.rows, before + 1);
      await server.stop();
    });

    test('an older server that is still connected delays it', async () => {
      const databaseUrl = await copy();
      const older = await startServer({ databaseUrl, migrations: before22, config: { home, logSearchIndex: false } });
      const newer = await openStore(databaseUrl);
      assert.equal((await older.post('/events', [event('before', systemClock.now())])).status, 204);
      await newer.continueUpgrade();
      assert.equal(await isDividedAt(databaseUrl), false);
      assert.equal((await older.post('/events', [event('after', systemClock.now())])).status, 204);
      await older.stop();
      while (!(await isDividedAt(databaseUrl))) await newer.continueUpgrade();
      await newer.close();
    });
  });
}

const event = (name: string, occurred: string) => ({
  id: newId(),
  occurred,
  event: name,
  resource: { 'prefect.resource.id': 'test.a' },
  related: [{ 'prefect.resource.id': `test.of.${name}`, 'prefect.resource.role': 'part' }],
});

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function isDividedAt(url: string): Promise<boolean> {
  return withClient(url, async (client) => {
    const { rowCount } = await client.query(`select from pg_class where relname = any($1) and relkind = 'p'`, [TABLES]);
    return rowCount === TABLES.length;
  });
}

function hasRest(url: string): Promise<boolean> {
  return withClient(url, async (client) => {
    const { rows } = await client.query("select to_regclass('mcp_request_default') is not null as found");
    return rows[0].found;
  });
}

/** The rows of the tables, with those that wait beyond the boundary. */
async function contentsAll(url: string) {
  return withClient(url, async (client) => {
    const counts = [];
    for (const table of dividedNames) {
      const { rows } = await client.query(
        `select relname as name from pg_class where relname = '${table}_default' and not relispartition`,
      );
      const from = [table, ...rows.map(({ name }) => name)].map((name) => `select * from ${name}`).join(' union all ');
      counts.push({ table, ...(await digestOf(client, from)) });
    }
    return { counts };
  });
}

function contentsOf(url: string) {
  return withClient(url, async (client) => {
    const counts = [];
    for (const table of dividedNames) counts.push({ table, ...(await digestOf(client, `select * from ${table}`)) });
    return { counts };
  });
}

async function digestOf(client: pg.Client, from: string): Promise<{ rows: number; digest: string }> {
  const { rows } = await client.query(
    `select count(*)::int as rows, md5(coalesce(string_agg(one::text, ';' order by one::text), '')) as digest from (${from}) one`,
  );
  return rows[0];
}

/** Goes on until so many statements were sent. True if there was none to be sent then. */
async function isOverAfter(statements: number, store: Store): Promise<boolean> {
  let left = statements;
  const { raw } = store as unknown as { raw: RawConnection };
  const execute: RawConnection['execute'] = async (sql, parameters) => {
    if (left-- <= 0) throw new Error('killed');
    return raw.execute(sql, parameters);
  };
  const work = new LaterWork({ dialect: store.dialect, platform: store.platform, raw: { execute } }, migrations);
  try {
    await work.continue();
    return true;
  } catch (error) {
    assert.equal((error as Error).message, 'killed');
    return false;
  }
}
