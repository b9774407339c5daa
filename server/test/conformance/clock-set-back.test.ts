/** A wall clock that jumps 40 days ahead and back, as a wrong clock at boot does: nothing stays shut for those days. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import type { LatestTime } from '../../src/database/schema/lower-times.ts';
import { platformQuery } from '../../src/database/statement.ts';
import { type ColumnSpec, columnsOf, kindOf, type TableName, tables } from '../../src/database/tables/tables.ts';
import { WorkAllowance } from '../../src/fairness/foreign-work/allowance.ts';
import { Quotas } from '../../src/mcp/quotas/quotas.ts';
import { latestTimes } from '../../src/services/latest-times.ts';
import { TimesAhead } from '../../src/services/upkeep/lease-expiry.ts';
import { newId } from '../../src/values/id.ts';
import { addSeconds, secondsBetween, type Timestamp } from '../../src/values/time.ts';
import { hostedServer } from '../support/hosted.ts';
import { timeAhead } from '../support/local-time.ts';
import { askPlatform, joinByInvitation, person } from '../support/platform.ts';
import { databases, startServer, type TestServer } from '../support/server.ts';

const JUMP_SECONDS = 40 * 86_400;
/** Between the jump and what is read after it, on a slow machine. */
const SLOW_SECONDS = 600;

/** Times that are about the future and are not in the list, and why. */
const exempt: Readonly<Record<string, string>> = {
  'api_key.expires_at': 'the person who makes a key says when it ends',
  'flow_run_pause.expires_at': 'the client says when a pause ends',
  'failure_cause.muted_until': 'the person who mutes a cause says until when',
  'mcp_failure_cause.muted_until': 'the person who mutes a cause says until when',
  'task_run.cache_expiration': 'the client says until when a result counts',
  'task_run_state_cache.cache_expiration': 'the client says until when a result counts',
  'flow_run.next_scheduled_start_time': 'the client says when a run starts',
  'task_run.next_scheduled_start_time': 'the client says when a run starts',
  'flow_run.expected_start_time': 'the client or the schedule says when a run starts',
  'task_run.expected_start_time': 'the client says when a run starts',
  'upstream_credential.expires_at': 'the authorization server says for how long a token counts, and refuses it later',
  'oauth_flow.expires_at': 'the cookie of a sign-in has its own end, and an assertion must not be used a second time',
};

/** A value for each column that names no other time. */
function plainValue(spec: ColumnSpec, name: string): unknown {
  if (name === 'workspace') return 1;
  const kind = kindOf(spec);
  if (kind === 'uuid') return newId();
  if (kind === 'json') return '{}';
  return kind === 'text' ? 'text' : 0;
}

const replicaRole = platformQuery<object, unknown>(() => sql`set local session_replication_role = replica`);
const insertRow = platformQuery<{ table: TableName; row: Record<string, unknown> }, unknown>(
  (_query, { table, row }) =>
    sql`insert into ${sql.table(table)} (${sql.join(Object.keys(row).map(sql.ref))}) values (${sql.join(Object.values(row))})`,
);
const readTime = platformQuery<LatestTime, { time: Timestamp }>(
  (query, { table, column }) => query.selectFrom(table).select(sql.ref(column).as('time')) as never,
);
const removeRows = platformQuery<LatestTime, unknown>((_query, { table }) => sql`delete from ${sql.table(table)}`);

/** Stores a row of `table` whose times are all `time`, without the rows that it refers to. */
async function putRow({ server }: TestServer, table: TableName, time: Timestamp): Promise<void> {
  const row: Record<string, unknown> = {};
  for (const column of columnsOf(table) as string[]) {
    const spec = (tables[table] as Record<string, ColumnSpec>)[column]!;
    row[column] = kindOf(spec) === 'timestamp' ? time : plainValue(spec, column);
  }
  if (server.store.platform.reads().dialect.name === 'postgres') {
    await server.store.platform.transaction(async (tx) => {
      await tx.run(replicaRole, {});
      // The database counts them.
      if (table === 'automation_event') delete row['position'];
      for (const name of Object.keys(row)) {
        const spec = (tables[table] as Record<string, ColumnSpec>)[name]!;
        if (kindOf(spec) === 'boolean') row[name] = false;
      }
      await tx.run(insertRow, { table, row });
    });
    return;
  }
  const database = new DatabaseSync(server.config.databaseUrl.slice('sqlite:'.length), {
    enableForeignKeyConstraints: false,
  });
  const names = Object.keys(row);
  const statement = `insert into "${table}" (${names.map((name) => `"${name}"`)}) values (${names.map(() => '?')})`;
  database.prepare(statement).run(...(Object.values(row) as string[]));
  database.close();
}

/** A server whose clock a test sets. */
async function startWithClock(database: (typeof databases)[number]) {
  let ahead = 0;
  const server = await startServer({ database, local: timeAhead(() => ahead * 1000) });
  const { clock } = server.server;
  clock.stop();
  const set = (seconds: number) => {
    ahead = seconds;
    return clock.now();
  };
  return { server, set };
}

test('every stored time of the future is in the list, or has a reason not to be', () => {
  const listed = new Set(latestTimes.map(({ table, column }) => `${table}.${column}`));
  const missing: string[] = [];
  for (const [table, columns] of Object.entries(tables)) {
    for (const [column, spec] of Object.entries(columns as Record<string, ColumnSpec>)) {
      if (kindOf(spec) !== 'timestamp') continue;
      if (!/until|expir|due|silent|next_|expected_|online/.test(column)) continue;
      if (!listed.has(`${table}.${column}`) && !exempt[`${table}.${column}`]) missing.push(`${table}.${column}`);
    }
  }
  assert.deepEqual(missing, []);
});

for (const database of databases) {
  describe(`a clock that was ahead, on ${database}`, () => {
    test('each stored time that it wrote is lowered to the latest that it can be, also after a restart', async (t) => {
      const { server, set } = await startWithClock(database);
      t.after(() => server.stop());
      const { store } = server.server;
      const running = new TimesAhead(server.server);
      await running.runOnce(server.server.clock.now());
      for (const time of latestTimes.filter(({ where }) => !where)) {
        const name = `${time.table}.${time.column}`;
        const longest = 'seconds' in time.latest ? time.latest.seconds : 0;
        for (const service of [running, new TimesAhead(server.server)]) {
          await store.platform.transaction((tx) => tx.run(removeRows, time));
          const then = set(JUMP_SECONDS);
          await putRow(server, time.table, addSeconds(then, longest));
          const now = set(0);
          await service.runOnce(now);
          const [row] = await store.platform.reads().all(readTime, time);
          assert.ok(row, name);
          const left = secondsBetween(now, row.time);
          assert.ok(left <= longest + SLOW_SECONDS, `${name} is ${left} s ahead`);
          assert.ok(left >= longest - SLOW_SECONDS, `${name} is ${left} s ahead`);
        }
        await store.platform.transaction((tx) => tx.run(removeRows, time));
      }
    });

    test('people sign in and clients register as soon as the limit allows it', async (t) => {
      const { server, set } = await startWithClock(database);
      t.after(() => server.stop());
      const admin = await person(server, 'ada@example.com', 'admin');
      const password = 'correct horse battery staple';
      await joinByInvitation(server, admin, 'owner@example.com', password);
      const signIn = (typed: string) =>
        askPlatform(server, 'POST', '/session', { email: 'owner@example.com', password: typed });
      const register = () =>
        server.request('POST', '/oauth/register', JSON.stringify({ redirect_uris: ['http://127.0.0.1/callback'] }), {
          'content-type': 'application/json',
        });
      set(JUMP_SECONDS);
      const refused = async (ask: () => Promise<{ status: number }>) => {
        for (let count = 0; count < 30; count++) if ((await ask()).status === 429) return true;
        return false;
      };
      assert.ok(await refused(() => signIn('a guess')));
      assert.ok(await refused(register));
      set(0);
      // The first look shows that the rows are of another time.
      for (const { status, headers } of [await signIn(password), await register()]) {
        if (status === 429) assert.ok(Number(headers['retry-after']) <= 120, String(headers['retry-after']));
      }
      set(120);
      assert.equal((await signIn(password)).status, 200);
      assert.equal((await register()).status, 201);
    });

    test('a quota of requests per minute is free again after a minute', async (t) => {
      const { server, set } = await startWithClock(database);
      t.after(() => server.stop());
      const { store, clock } = server.server;
      const quota = { per: 'server', tool: null, requestsPerMinute: 2, concurrentRequests: null } as const;
      const limits = { quotas: [{ quota, matches: () => true }], maxResultBytes: undefined };
      await person(server, 'ada@example.com', 'admin');
      const request = { serverId: await hostedServer(server, 'limited'), actorId: newId(), tool: undefined, amount: 1 };
      const [known, restarted] = [new Quotas(store, clock), new Quotas(store, clock)];
      t.after(() => {
        for (const quotas of [known, restarted]) quotas.close();
      });
      const isAdmitted = async (quotas: Quotas) =>
        typeof (await quotas.admit(limits, request, new WorkAllowance())) === 'function';
      set(JUMP_SECONDS);
      while (await isAdmitted(known)) {}
      set(0);
      await isAdmitted(restarted);
      set(61);
      assert.ok(await isAdmitted(restarted));
      assert.ok(await isAdmitted(known));
    });

    test('a deployment gets its runs of the days between', async (t) => {
      const { server, set } = await startWithClock(database);
      t.after(() => server.stop());
      const { scheduler } = await import('../../src/services/scheduler.ts');
      const flow = await server.post('/flows/', { name: newId() });
      set(JUMP_SECONDS);
      const schedule = { interval: 86_400, anchor_date: '2020-01-01T00:00:00Z' };
      await server.post('/deployments/', { flow_id: flow.body.id, name: newId(), schedules: [{ schedule }] });
      while (await scheduler.runOnce(server.context())) {}
      const now = set(0);
      await new TimesAhead(server.server).runOnce(now);
      set(3700);
      while (await scheduler.runOnce(server.context())) {}
      const filter = { sort: 'EXPECTED_START_TIME_ASC', limit: 1 };
      const [first] = (await server.post('/flow_runs/filter', filter)).body;
      assert.ok(Date.parse(first.expected_start_time) < Date.parse(now) + 3 * 86_400_000, first.expected_start_time);
    });
  });
}
