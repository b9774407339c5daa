import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BoundQuery } from '../statement.ts';
import { MergedWrites } from './merged-writes.ts';
import type { Result } from './transaction.ts';

const write = (sql: string, ...parameters: unknown[]): BoundQuery => ({ sql, parameters, prepare: true, merges: true });

describe('writes that are sent together', () => {
  const sent: BoundQuery[] = [];
  const merged = (rows: readonly object[]) =>
    new MergedWrites(async (query) => {
      sent.push(query);
      return { rows, rowCount: 7 } as unknown as Result;
    });

  test('become one statement, with the parameters of all, and each learns its number of rows', async () => {
    sent.length = 0;
    const writes = merged([{ c0: 1, c1: 0, c2: 12 }]);
    const results = await Promise.all([
      writes.add(write('insert into a values ($1, $2)', 'x', 'y')),
      writes.add(write('update b set c = $2 where id = $1', 1, 2)),
      writes.add(write('insert into d select $1', 'z')),
    ]);
    assert.deepEqual(
      results.map(({ rowCount }) => rowCount),
      [1, 0, 12],
    );
    assert.equal(sent.length, 1);
    assert.deepEqual(sent[0]!.parameters, ['x', 'y', 1, 2, 'z']);
    assert.equal(
      sent[0]!.sql,
      'with c0 as (insert into a values ($1, $2) returning 1), c1 as (update b set c = $4 where id = $3 returning 1), c2 as (insert into d select $5 returning 1) select (select count(*) from c0)::int as c0, (select count(*) from c1)::int as c1, (select count(*) from c2)::int as c2',
    );
  });

  test('one alone is sent as it is, and what comes in another turn is another statement', async () => {
    sent.length = 0;
    const writes = merged([]);
    assert.equal((await writes.add(write('delete from a'))).rowCount, 7);
    await writes.add(write('delete from b'));
    assert.deepEqual(
      sent.map(({ sql }) => sql),
      ['delete from a', 'delete from b'],
    );
  });

  test('they are sent before what comes behind them', () => {
    sent.length = 0;
    const writes = merged([{ c0: 1, c1: 1 }]);
    void writes.add(write('delete from a'));
    void writes.add(write('delete from b'));
    writes.flush();
    assert.equal(sent.length, 1);
  });

  test('all fail with the statement', async () => {
    const writes = new MergedWrites(() => Promise.reject(new Error('planted')));
    const both = [writes.add(write('delete from a')), writes.add(write('delete from b'))];
    for (const one of both) await assert.rejects(one, /planted/);
  });
});
