import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts';
import { databases } from '../../../test/support/server.ts';
import { NotFound, Unavailable } from '../../errors.ts';
import { openStore } from '../opening/connect.ts';
import { platformQuery } from '../statement.ts';
import type { Store, Tx } from '../store.ts';

const WORKSPACE = 1;

const insertProbe = platformQuery<{ writes: number }, unknown>(
  (_query, { writes }) => sql`insert into write_probe values (${writes})`,
);
const countProbe = platformQuery<{ writes: number }, { count: number }>(
  (_query, { writes }) => sql`select count(*)::int as count from write_probe where writes = ${writes}`,
);
const selectTransaction = platformQuery<Record<string, never>, { xid: string }>(
  () => sql`select pg_current_xact_id()::text as xid`,
);
const selectProcess = platformQuery<Record<string, never>, { pid: number }>(() => sql`select pg_backend_pid() as pid`);
const wait = platformQuery<Record<string, never>, { waited: number }>(
  () => sql`select 1 as waited from pg_sleep(0.05)`,
);
const wrong = platformQuery<Record<string, never>, unknown>(() => sql`select 1 / 0`);

describe('transactions that arrive together', { skip: !databases.includes('postgres') }, () => {
  let postgres: TestPostgres;
  let store: Store;
  let observer: pg.Client;
  let probe = 1000;

  before(async () => {
    postgres = (await startPostgres()) as TestPostgres;
    const url = await postgres.createDatabase();
    store = await openStore(url);
    observer = new pg.Client({ connectionString: url });
    await observer.connect();
  });

  after(async () => {
    await store.close();
    await observer.end();
    await postgres.stop();
  });

  const share = <T>(locks: string, work: (tx: Tx) => Promise<T>) => store.sharedTransaction!(WORKSPACE, locks, work);
  const xidOf = async (tx: Tx) => (await tx.first(selectTransaction))?.xid;
  const stored = async (writes: number) => (await store.platform.reads().first(countProbe, { writes }))?.count;
  const nextProbe = () => probe++;

  test('share a commit, unless they lock the same row', async () => {
    const xids = await Promise.all(['a', 'b', 'c', 'a', 'd'].map((row) => share(row, xidOf)));
    const [first, second, third, sameRow, last] = xids;
    assert.deepEqual([second, third, last], [first, first, first]);
    assert.notEqual(sameRow, first);
  });

  test('all run, however many they are and whatever they lock', async () => {
    const writes = nextProbe();
    const all = Array.from({ length: 100 }, (_, index) =>
      share(String(index % 7), async (tx) => {
        await tx.run(insertProbe, { writes });
        return index;
      }),
    );
    assert.deepEqual(
      await Promise.all(all),
      all.map((_, index) => index),
    );
    assert.equal(await stored(writes), 100);
  });

  for (const [how, fail] of [
    ['throws', () => Promise.reject(new NotFound('planted'))],
    ['has a statement that fails', (tx: Tx) => tx.first(wrong)],
    ['has one that it does not wait for', async (tx: Tx) => tx.later(tx.first(wrong))],
  ] as const) {
    test(`one that ${how} after a write leaves nothing, and the others are stored once`, async () => {
      const [kept, lost] = [nextProbe(), nextProbe()];
      let effects = 0;
      const keep = (row: string) =>
        share(row, async (tx) => {
          tx.afterCommit(() => effects++);
          await tx.run(insertProbe, { writes: kept });
          // Its last query comes when the other one has failed.
          await tx.first(wait);
          await tx.run(insertProbe, { writes: kept });
        });
      const lose = share('l', async (tx) => {
        tx.afterCommit(() => effects++);
        await tx.run(insertProbe, { writes: lost });
        await fail(tx);
      });
      const ends = await Promise.allSettled([keep('a'), lose, keep('b')]);
      assert.deepEqual(
        ends.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
      assert.deepEqual([await stored(kept), await stored(lost), effects], [4, 0, 2]);
    });
  }

  test('one that fails after it has read disturbs no other', async () => {
    let runs = 0;
    const fail = share('a', async (tx) => {
      await tx.first(selectProcess);
      throw new NotFound('planted');
    });
    const others = ['b', 'c'].map((row) =>
      share(row, async (tx) => {
        runs++;
        await tx.first(wait);
      }),
    );
    await assert.rejects(fail, /planted/);
    await Promise.all(others);
    assert.equal(runs, 2);
  });

  test('one that must lock more rows runs by itself', async () => {
    const alone = share('a', async (tx) => {
      tx.alone();
      return xidOf(tx);
    });
    const [own, first, second] = await Promise.all([alone, share('b', xidOf), share('c', xidOf)]);
    assert.equal(first, second);
    assert.notEqual(own, first);
  });

  test('all fail with the connection, and nothing of them is stored', async () => {
    const writes = nextProbe();
    const ends = await Promise.allSettled(
      ['a', 'b', 'c'].map((row) =>
        share(row, async (tx) => {
          await tx.run(insertProbe, { writes });
          if (row !== 'b') return;
          const process = await tx.first(selectProcess);
          await observer.query('select pg_terminate_backend($1)', [process?.pid]);
          await tx.first(wait);
        }),
      ),
    );
    for (const end of ends) assert.ok(end.status === 'rejected' && end.reason instanceof Unavailable);
    assert.equal(await stored(writes), 0);
  });

  test('one whose client has gone before it began does not begin', async () => {
    const gone = AbortSignal.abort();
    let began = false;
    const begin = async () => {
      began = true;
    };
    await assert.rejects(store.sharedTransaction!(WORKSPACE, 'a', begin, { signal: gone }), Unavailable);
    assert.equal(began, false);
  });
});
