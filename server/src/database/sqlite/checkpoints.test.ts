import assert from 'node:assert/strict';
import { mkdirSync, renameSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { until } from '../../../test/support/until.ts';
import { statement } from '../statement.ts';
import { SqliteStore } from './store.ts';

const MEGABYTE = 1024 * 1024;
/** What the log may take: writes wait from 66 MB on. */
const MOST = 70 * MEGABYTE;

const insert = statement<{ value: string }, unknown>((query, given) =>
  query.insertInto('thing' as never).values({ workspace: given.workspace, value: given.value } as never),
);

describe('checkpoints', () => {
  let folder: string;
  let file: string;
  let store: SqliteStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'signalbox-checkpoints-'));
    file = join(folder, 'test.db');
    store = open();
    await store.raw.execute('create table thing (workspace integer, value text not null)');
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  const open = () => new SqliteStore(file, { timeoutSeconds: 10 }, []);
  const logBytes = () => statSync(`${file}-wal`).size;
  const write = async (megabytes: number) => {
    for (let left = megabytes; left > 0; left--)
      await store.transaction(1, (tx) => tx.run(insert, { value: 'x'.repeat(MEGABYTE) }));
  };
  const stored = (database: DatabaseSync) => database.prepare('select count(*) as count from thing').get()?.['count'];

  test('keep the log short while writes go on, and lose nothing', async () => {
    await write(250);
    assert.ok(logBytes() < MOST, `${logBytes()} bytes`);
    await store.close();
    const database = new DatabaseSync(file);
    assert.equal(stored(database), 250);
    assert.deepEqual({ ...database.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' });
    database.close();
    store = open();
  });

  test('wait for a reader that needs the log, and go on after it', async () => {
    const reader = new DatabaseSync(file);
    reader.exec('begin');
    assert.equal(stored(reader), 0);
    await write(90);
    assert.ok(logBytes() > 90 * MEGABYTE);
    assert.equal(stored(reader), 0);
    reader.exec('commit');
    const noop = reader.prepare('pragma wal_checkpoint(noop)');
    // The log begins anew: it holds fewer pages than it did, although the file keeps its length.
    await until('the log begins anew', async () => {
      await write(5);
      return Number(noop.get()?.['log']) < MOST / 4096;
    });
    reader.close();
  });

  test('two stores of one process on a file write in turns, also where a transaction takes many turns', async () => {
    const other = open();
    const long = (of: SqliteStore) =>
      of.transaction(1, async (tx) => {
        for (let turn = 0; turn < 3; turn++) {
          await tx.run(insert, { value: 'x' });
          await new Promise(setImmediate);
        }
      });
    await Promise.all([store, other, store, other].map(long));
    await other.close();
    assert.equal((await store.raw.execute('select count(*) as count from thing'))[0]?.['count'], 12);
  });

  test('are made by the writing connection where no thread can open the file', async () => {
    renameSync(file, `${file}.moved`);
    mkdirSync(file);
    await write(250);
    assert.ok(logBytes() < MOST, `${logBytes()} bytes`);
  });
});
