import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Unavailable } from '../../errors.ts';
import { SqliteConnection } from './connection.ts';
import { SlowReads } from './slow-reads.ts';

const composed = { sql: 'select …', parameters: ['value'], prepare: false };
const fixed = { sql: 'select …', parameters: [], prepare: true };

describe('reads that leave the main thread', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'signalbox-test-'));
    await writeFile(join(folder, 'large.db'), Buffer.alloc(5 * 1024 * 1024));
  });
  after(() => rm(folder, { recursive: true }));
  const readsOf = (name: string) => new SlowReads(join(folder, name), 10);

  test('every composed query, unless the file is small', () => {
    const large = readsOf('large.db');
    assert.equal(large.owns(composed), true);
    large.observe(composed, 1);
    assert.equal(large.owns(composed), true);
    assert.equal(readsOf('small.db').owns(composed), false);
  });

  test('in a small file, composed queries with large results and queries that were slow', () => {
    const small = readsOf('small.db');
    assert.equal(small.owns({ ...composed, parameters: [JSON.stringify(Array(5000).fill('value'))] }), true);
    assert.equal(small.owns({ ...composed, sql: 'or '.repeat(5000) }), true);
    small.observe(composed, 26);
    assert.equal(small.owns(composed), true);
    const page = (offset: number) => ({ ...composed, sql: 'offset ?', parameters: [offset] });
    small.observe(page(80_000), 60);
    assert.deepEqual([small.owns(page(90_000)), small.owns(page(0))], [true, false]);
  });

  test('fixed statements that were slow or declare a scan of a whole table', () => {
    const large = readsOf('large.db');
    assert.equal(large.owns(fixed), false);
    large.observe(fixed, 26);
    assert.equal(large.owns(fixed), true);
    assert.equal(readsOf('small.db').owns({ ...composed, readsMuch: true }), true);
  });
});

/** Counts for minutes. */
const endless = {
  sql: 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000000000) select max(i) as i from n',
  parameters: [],
  prepare: false,
};
const quick = { sql: 'select value from thing where value > ?', parameters: [1], prepare: false };

describe('reads in processes', () => {
  let folder: string;
  let file: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'signalbox-test-'));
    file = join(folder, 'test.db');
    const connection = new SqliteConnection(file, { readOnly: false });
    connection.exec('pragma journal_mode = wal; create table thing (value integer); insert into thing values (1), (2)');
    connection.close();
  });
  after(() => rm(folder, { recursive: true }));

  test('a read that takes too long is cancelled with 503, and the next reads are answered', async (context) => {
    const reads = new SlowReads(file, 0.3);
    context.after(() => reads.close());
    await assert.rejects(reads.read('all', endless, 'one', {}), (error) => {
      assert.ok(error instanceof Unavailable);
      assert.match(error.message, /longer than 0\.3 s/);
      return true;
    });
    assert.deepEqual(await reads.read('all', quick, 'one', {}), [{ value: 2 }]);
  });

  test('a read whose client disconnected is cancelled, and a queued one never starts', async (context) => {
    const reads = new SlowReads(file, 0);
    context.after(() => reads.close());
    const client = new AbortController();
    const gone = Array.from({ length: 5 }, () => reads.read('all', endless, 'one', { signal: client.signal }));
    client.abort();
    const outcomes = await Promise.allSettled(gone);
    assert.ok(outcomes.every(({ status }) => status === 'rejected'));
    assert.deepEqual(await reads.read('all', quick, 'one', {}), [{ value: 2 }]);
  });

  test('a share that requests every process does not block another', async (context) => {
    const reads = new SlowReads(file, 0);
    const greedy = Promise.allSettled(Array.from({ length: 20 }, () => reads.read('all', endless, 'greedy', {})));
    context.after(() => greedy);
    assert.deepEqual(await reads.read('all', quick, 'other', {}), [{ value: 2 }]);
    reads.close();
  });

  test('long queries of one share wait in a bounded queue; those of another share run', async () => {
    const reads = new SlowReads(file, 0);
    const long = (i: number) => ({ ...endless, sql: `${endless.sql} -- ${'x'.repeat(1_500_000)}${i}` });
    const greedy = Promise.allSettled([1, 2].map((index) => reads.read('all', long(index), 'greedy', {})));
    await assert.rejects(reads.read('all', long(3), 'greedy', {}), Unavailable);
    assert.deepEqual(await reads.read('all', quick, 'other', {}), [{ value: 2 }]);
    reads.close();
    await greedy;
  });

  test('an invalid query is an internal error, not a 503', async (context) => {
    const reads = new SlowReads(file, 10);
    context.after(() => reads.close());
    const wrong = reads.read('all', { ...quick, sql: 'select nothing from nowhere' }, 'one', {});
    await assert.rejects(wrong, (error) => !(error instanceof Unavailable) && /syntax/.test((error as Error).message));
  });
});
