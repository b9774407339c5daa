import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startServer } from '../../../test/support/server.ts';
import { until } from '../../../test/support/until.ts';
import { openStore } from '../opening/connect.ts';
import type { SqliteStore } from './store.ts';

test('the index of words is read by its keys, also after a start with few words', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-statistics-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const url = `sqlite:${join(folder, 'signalbox.db')}`;
  for (let start = 0; start < 2; start++) {
    const store = (await openStore(url)) as SqliteStore;
    try {
      await store.raw.execute('insert into log_words (rowid, words) values (?, ?)', [start + 1, 'few words']);
      await store.refreshStatistics();
      const read = 'select id from log_words_data where id >= ? and id <= ?';
      const plan = await store.raw.execute(`explain query plan ${read}`, [1, 2]);
      assert.deepEqual(
        plan.map(({ detail }) => detail),
        ['SEARCH log_words_data USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)'],
      );
    } finally {
      await store.close();
    }
  }
});

test('plans follow a database that grows from nothing', async (t) => {
  const server = await startServer({ database: 'sqlite' });
  t.after(() => server.stop());
  const { id } = (await server.post('/flows/', { name: 'first' })).body;
  const { raw } = server.server.store as SqliteStore;
  await server.server.store.refreshStatistics();
  const rowsOf = async () =>
    (await raw.execute("select stat from sqlite_stat1 where tbl = 'flow_run' and ? = 1", [1])).map(({ stat }) =>
      Number(String(stat).split(' ')[0]),
    );
  await server.post('/flow_runs/', { flow_id: id });
  await server.server.store.refreshStatistics();
  assert.ok((await rowsOf()).every((rows) => rows < 100));
  for (let made = 0; made < 1100; made += 100) {
    await Promise.all(Array.from({ length: 100 }, () => server.post('/flow_runs/', { flow_id: id })));
  }
  await until('they know of many rows', async () => (await rowsOf()).some((rows) => rows > 100));
});
