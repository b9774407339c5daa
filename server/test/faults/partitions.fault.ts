/** A large older database is divided by time while clients write; the server that divides it is killed on the way. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { migrations } from '../../src/database/migrations/index.ts';
import { openStore } from '../../src/database/opening/connect.ts';
import { newId } from '../../src/values/id.ts';
import { limitHere } from '../support/machine.ts';
import { startPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { count, FaultServer, report, sendJson } from './harness.ts';

/** Rows of all four tables. */
const ROWS = count(100_000, 5_000_000);
const WRITERS = 8;
const KILLS = count(1, 3);
/** A write waits at most this long. */
const LIMIT_MILLISECONDS = 250;
const SECONDS = count(120, 1800);

const older = migrations.slice(
  0,
  migrations.findIndex(({ dividesTables }) => dividesTables),
);
const time = "now() - interval '60 days' * (n::float8 / $1)";
/** Fills a table with the share of the rows that it has where each run writes events, logs and few requests. */
const fills = {
  event: `insert into event (workspace, id, occurred, received, event, resource_id, resource, related, payload)
    select 1, gen_random_uuid(), ${time}, now(), 'test.filled', 'test.' || n % 1000, '{"prefect.resource.id":"test.a"}',
      '[{"prefect.resource.id":"test.b","prefect.resource.role":"part"}]', '{}' from generate_series(1, $1::int) n`,
  event_resource: `insert into event_resource select 1, 'test.b', 'part', occurred, id from event limit $1::int`,
  log: `insert into log (workspace, id, created, name, level, message, timestamp, flow_run_id)
    select 1, gen_random_uuid(), now(), 'test', 20, 'line ' || n, ${time}, md5((n / 100)::text)::uuid from generate_series(1, $1::int) n`,
  mcp_request: `insert into mcp_request (server_id, id, occurred, status, decision, reason, duration_microseconds, request_bytes, response_bytes)
    select md5((n % 10)::text)::uuid, (lpad(to_hex((extract(epoch from ${time}) * 1000)::bigint), 12, '0') || '7000' || substr(md5(n::text), 17))::uuid,
      ${time}, 200, 'allowed', '', 1, 1, 1 from generate_series(1, $1::int) n`,
};
const shares: Record<keyof typeof fills, number> = { event: 0.3, event_resource: 0.3, log: 0.3, mcp_request: 0.1 };
const TABLES = Object.keys(fills) as (keyof typeof fills)[];

const postgres = await startPostgres({ durable: true });

test(`${ROWS} rows are divided under load`, { skip: postgres === undefined }, async (context) => {
  const databaseUrl = await postgres!.createDatabase();
  const store = await openStore(databaseUrl, undefined, undefined, older);
  while (await store.continueUpgrade());
  await store.close();
  const client = new pg.Client(databaseUrl);
  await client.connect();
  for (const table of TABLES) await client.query(fills[table], [Math.round(ROWS * shares[table])]);
  await client.query('vacuum analyze');
  const rowsOf = async (table: string, which: string) =>
    Number((await client.query(`select count(*) as rows from ${table} where ${which}`)).rows[0].rows);
  const filled = {
    event: "event = 'test.filled'",
    event_resource: "resource_id = 'test.b'",
    log: "name = 'test'",
    mcp_request: 'true',
  };
  const server = await FaultServer.start({ databaseUrl, environment: { SIGNALBOX_SERVICES: 'none' } });
  const other = { databaseUrl, home: server.home, environment: { SIGNALBOX_SERVICES: 'upgrades' } };
  let divides: FaultServer | undefined;
  let isOver = false;
  context.after(async () => {
    isOver = true;
    await client.end();
    await divides?.dispose();
    await server.dispose();
  });
  const acknowledged = new Set<string>();
  let longest = 0;
  const write = async (writer: number) => {
    for (let number = 0; !isOver; number++) {
      const name = `written.${writer}.${number}`;
      const occurred = new Date().toISOString();
      const [path, body] =
        number % 2 === 0
          ? ['/events', [{ id: newId(), occurred, event: name, resource: { 'prefect.resource.id': 'test.c' } }]]
          : ['/logs/', [{ name: 'written', level: 20, message: name, timestamp: occurred }]];
      const began = performance.now();
      const { status } = await sendJson('POST', `${server.api}${path}`, body);
      longest = Math.max(longest, performance.now() - began);
      assert.ok(status === 201 || status === 204, `${name}: ${status}`);
      acknowledged.add(name);
      await delay(10);
    }
  };
  const writers = Array.from({ length: WRITERS }, (_, index) => write(index));
  // The first writes wait until the code of the server is compiled.
  await until('the writes are quick', () => acknowledged.size > 500);
  longest = 0;
  const began = performance.now();
  const isDivided = async () => {
    const { rowCount } = await client.query(`select from pg_class where relname = any($1) and relkind = 'p'`, [TABLES]);
    return rowCount === TABLES.length;
  };
  divides = await FaultServer.start(other);
  for (let kill = 0; kill < KILLS && !(await isDivided()); kill++) {
    await delay(count(300, 4000));
    await divides.end('SIGKILL');
    await divides.start();
  }
  await until('the tables are divided', isDivided, SECONDS);
  const seconds = (performance.now() - began) / 1000;
  await delay(1000);
  isOver = true;
  await Promise.all(writers);
  for (const table of TABLES) assert.equal(await rowsOf(table, filled[table]), Math.round(ROWS * shares[table]), table);
  const { rows } = await client.query(
    `select event as name from event where event ~ '^written' union all select message from log where name = 'written'`,
  );
  const stored = rows.map(({ name }) => String(name));
  assert.equal(new Set(stored).size, stored.length, 'none is doubled');
  const kept = new Set(stored);
  assert.deepEqual(
    [...acknowledged].filter((name) => !kept.has(name)),
    [],
    'none is lost',
  );
  const most = limitHere(longest, LIMIT_MILLISECONDS);
  report({
    test: '5c',
    name: `longest wait of ${acknowledged.size} writes while ${ROWS} rows are divided, with ${KILLS} kills (${seconds.toFixed(0)} s)`,
    value: `${longest.toFixed(0)} ms`,
    limit: `${most.toFixed(0)} ms`,
  });
  assert.ok(longest <= most, `${longest.toFixed(0)} ms`);
});

test('the database is stopped', () => postgres?.stop());
