import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { copySqlite } from './sqlite.ts';

const folder = await mkdtemp(join(tmpdir(), 'signalbox-test-'));
after(() => rm(folder, { recursive: true, force: true }));

test('a copy in many steps holds one moment, and ends while writes go on', async () => {
  const file = join(folder, 'source.db');
  const writer = new DatabaseSync(file);
  writer.exec(`pragma journal_mode = wal;
    create table early (value integer); insert into early values (0);
    create table filler (text text);
    with recursive rows (n) as (select 1 union all select n + 1 from rows where n < 8000)
      insert into filler select hex(randomblob(1000)) from rows;
    create table late (value integer); insert into late values (0)`);
  let writes = 0;
  let isDone = false;
  const write = () => {
    if (isDone) return;
    writes += 1;
    writer.exec('begin; update early set value = value + 1; update late set value = value + 1; commit');
    setImmediate(write);
  };
  write();
  const copy = join(folder, 'copy.db');
  const rows = await copySqlite(file, copy).finally(() => {
    isDone = true;
  });
  assert.deepEqual(rows, { early: 1, filler: 8000, late: 1 });
  assert.ok(writes > 1, `${writes} writes came between the steps`);
  const copied = new DatabaseSync(copy, { readOnly: true });
  const facts = copied.prepare('select early.value as early, late.value as late from early, late').get();
  assert.equal(facts?.['early'], facts?.['late']);
  copied.close();
  writer.close();
});
