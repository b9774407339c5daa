/** Faults that only PostgreSQL can cause: ended connections, stalled ones, slow answers. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts';
import { databases } from '../../../test/support/server.ts';
import { until } from '../../../test/support/until.ts';
import { Unavailable } from '../../errors.ts';
import { openStore } from '../opening/connect.ts';
import { platformQuery } from '../statement.ts';
import type { Store } from '../store.ts';

const sleep = platformQuery<{ seconds: number }, { slept: number }>(
  (_query, { seconds }) => sql`select 1 as slept from pg_sleep(${seconds})`,
);
const selectOne = platformQuery<Record<string, never>, { one: number }>(() => sql`select 1 as one`);
const selectProcess = platformQuery<Record<string, never>, { pid: number }>(() => sql`select pg_backend_pid() as pid`);
const insertProbe = platformQuery<{ writes: number }, unknown>(
  (_query, { writes }) => sql`insert into write_probe values (${writes})`,
);
const countProbe = platformQuery<{ writes: number }, { count: number }>(
  (_query, { writes }) => sql`select count(*)::int as count from write_probe where writes = ${writes}`,
);
const wrong = platformQuery<Record<string, never>, unknown>(() => sql`select 1 / 0`);
const lockProbe = platformQuery<Record<string, never>, unknown>(() => sql`select * from write_probe for update`);

describe('the store on a failing PostgreSQL', { skip: !databases.includes('postgres') }, () => {
  let postgres: TestPostgres;
  /** Its statements run until the test ends them. */
  let store: Store;
  let hasty: Store;
  let observer: pg.Client;

  before(async () => {
    postgres = (await startPostgres()) as TestPostgres;
    const url = await postgres.createDatabase();
    store = await openStore(url, undefined, { timeoutSeconds: 300, lockSeconds: 300, connections: 10 });
    hasty = await openStore(url, undefined, { timeoutSeconds: 0.5, lockSeconds: 0.3, connections: 10 });
    observer = new pg.Client({ connectionString: url });
    await observer.connect();
  });

  after(async () => {
    await store.close();
    await hasty.close();
    await observer.end();
    await postgres.stop();
  });

  const terminate = (pid: number) => observer.query('select pg_terminate_backend($1)', [pid]);
  const isGone = async (pid: number) =>
    (await observer.query('select 1 from pg_stat_activity where pid = $1', [pid])).rows.length === 0;
  const running = async (text: string) =>
    (
      await observer.query(
        `select pid from pg_stat_activity where datname = current_database() and state = 'active' and query like $1 and pid <> pg_backend_pid()`,
        [`%${text}%`],
      )
    ).rows.length;

  test('a connection that breaks in a transaction ends only that transaction', async () => {
    await assert.rejects(
      store.platform.transaction(async (tx) => {
        const process = await tx.first(selectProcess);
        await terminate(process?.pid ?? 0);
        // The connection is idle when it breaks.
        await until('the connection is gone', () => isGone(process?.pid ?? 0));
        await new Promise(setImmediate);
        await tx.run(insertProbe, { writes: 11 });
      }),
      Unavailable,
    );
    assert.deepEqual(await store.platform.reads().first(countProbe, { writes: 11 }), { count: 0 });
  });

  test('a connection that breaks during a read or before the commit causes an unavailable error', async () => {
    const reading = store.platform.reads().first(sleep, { seconds: 300 });
    reading.catch(() => {});
    await until('the read runs', async () => (await running('pg_sleep')) === 1);
    await observer.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like '%pg_sleep%' and pid <> pg_backend_pid()`,
    );
    await assert.rejects(reading, Unavailable);
    await assert.rejects(
      store.platform.transaction(async (tx) => {
        await tx.run(insertProbe, { writes: 12 });
        await terminate((await tx.first(selectProcess))?.pid ?? 0);
      }),
      Unavailable,
    );
    assert.deepEqual(await store.platform.reads().first(countProbe, { writes: 12 }), { count: 0 });
  });

  test('a transaction does not report a commit when one of its statements failed unawaited', async () => {
    await assert.rejects(
      store.platform.transaction(async (tx) => {
        await tx.run(insertProbe, { writes: 13 });
        await tx.first(wrong).catch(() => {});
      }),
    );
    assert.deepEqual(await store.platform.reads().first(countProbe, { writes: 13 }), { count: 0 });
  });

  test('a transaction is cancelled and rolled back when its client disconnects, and others continue', async () => {
    const gone = new AbortController();
    const writing = store.transaction(
      0,
      async (tx) => {
        await tx.run(insertProbe, { writes: 24 });
        await Promise.all([tx.first(sleep, { seconds: 300 }), tx.first(selectOne)]);
      },
      'disk',
      { signal: gone.signal },
    );
    writing.catch(() => {});
    await until('the transaction runs', async () => (await running('pg_sleep')) === 1);
    gone.abort();
    await assert.rejects(
      writing,
      (error) => error instanceof Unavailable && /client has disconnected/.test(error.message),
    );
    assert.equal(await running('pg_sleep'), 0);
    assert.deepEqual(await store.platform.reads().first(countProbe, { writes: 24 }), { count: 0 });
    await store.platform.transaction((tx) => tx.run(insertProbe, { writes: 25 }));
    assert.deepEqual(await store.platform.reads().first(countProbe, { writes: 25 }), { count: 1 });
  });

  test('a slow query is cancelled, and a background service has a longer limit', async () => {
    await assert.rejects(hasty.platform.reads().first(sleep, { seconds: 300 }), Unavailable);
    await assert.rejects(
      hasty.platform.transaction((tx) => tx.first(sleep, { seconds: 300 })),
      Unavailable,
    );
    assert.equal(await running('pg_sleep'), 0);
    assert.deepEqual(await hasty.platform.reads({ background: true }).first(sleep, { seconds: 0.7 }), { slept: 1 });
  });

  test('a write waits a limited time for rows that another transaction locks', async () => {
    await store.platform.transaction(async (tx) => {
      await tx.all(lockProbe);
      await assert.rejects(
        hasty.platform.transaction((other) => other.all(lockProbe)),
        Unavailable,
      );
    });
    assert.ok((await store.platform.transaction((tx) => tx.all(lockProbe))).length > 0);
  });

  test('PostgreSQL ends an idle transaction, and its rows are unlocked', async () => {
    await assert.rejects(
      hasty.platform.transaction(async (tx) => {
        const process = await tx.first(selectProcess);
        await tx.all(lockProbe);
        await until('the connection is gone', () => isGone(process?.pid ?? 0));
        await tx.run(insertProbe, { writes: 14 });
      }),
      Unavailable,
    );
    assert.ok((await hasty.platform.transaction((tx) => tx.all(lockProbe))).length > 0);
  });

  test('a read whose client disconnected is cancelled, and a queued one never starts', async () => {
    const gone = new AbortController();
    const read = store.platform.reads({ signal: gone.signal }).first(sleep, { seconds: 300 });
    read.catch(() => {});
    await until('the read runs', async () => (await running('pg_sleep')) === 1);
    gone.abort();
    await assert.rejects(read, Unavailable);
    assert.equal(await running('pg_sleep'), 0);
    await assert.rejects(store.platform.reads({ signal: gone.signal }).first(selectOne), Unavailable);
    await assert.rejects(
      store.platform.transaction((tx) => tx.run(insertProbe, { writes: 15 }), 'disk', { signal: gone.signal }),
      Unavailable,
    );
    assert.deepEqual(await store.platform.reads().first(countProbe, { writes: 15 }), { count: 0 });
  });

  test('a workspace that requests every connection leaves room for others', async () => {
    const gone = new AbortController();
    const greedy = Array.from({ length: 60 }, () =>
      store.reads(7, { signal: gone.signal }).first(sleep, { seconds: 300 }),
    );
    const ended = Promise.allSettled(greedy);
    // It would wait for a connection in vain.
    assert.deepEqual(await store.reads(8).first(selectOne), { one: 1 });
    gone.abort();
    await ended;
  });
});
