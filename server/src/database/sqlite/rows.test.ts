import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { SqliteConnection } from './connection.ts';

describe('SQLite rows', () => {
  let home: string;
  let connection: SqliteConnection;
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'signalbox-rows-'));
    connection = new SqliteConnection(join(home, 'test.db'), { readOnly: false });
    connection.exec('create table thing (id text, "a ""b""\n" integer, done INTEGER BOOLEAN)');
    connection.run('insert into thing values (?, ?, ?), (?, ?, ?)', ['one', 1, true, 'two', null, null]);
  });
  after(async () => {
    connection.close();
    await rm(home, { recursive: true });
  });

  test('keep any column name, and read booleans as true, false or null', () => {
    assert.deepEqual(connection.all('select *, 1 > 2 as said from thing order by id', []), [
      { id: 'one', 'a "b"\n': 1, done: true, said: 0 },
      { id: 'two', 'a "b"\n': null, done: null, said: 0 },
    ]);
    assert.equal(connection.first('select id from thing where id = ?', ['three']), undefined);
  });

  test('take the last value when two columns have the same name', () => {
    assert.deepEqual(connection.first('select 1 as same, 2 as same', []), { same: 2 });
  });

  test('keep their names after another process adds a column', () => {
    const ask = () => connection.first('select thing.*, id as also from thing where id = ?', ['one']);
    assert.deepEqual(ask(), { id: 'one', 'a "b"\n': 1, done: true, also: 'one' });
    const other = new SqliteConnection(join(home, 'test.db'), { readOnly: false });
    other.exec("alter table thing add column made text not null default 'later'");
    other.close();
    assert.deepEqual(ask(), { id: 'one', 'a "b"\n': 1, done: true, made: 'later', also: 'one' });
  });
});
