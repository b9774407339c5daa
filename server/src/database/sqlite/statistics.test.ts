import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
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
