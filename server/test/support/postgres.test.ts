import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { startPostgres } from './postgres.ts';

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test('a temporary PostgreSQL gives every caller its own empty database, and is deleted after stop', async (t) => {
  const postgres = await startPostgres();
  if (!postgres) return t.skip('no PostgreSQL 15 or later is installed, and SIGNALBOX_TEST_POSTGRES_URL is not set');
  try {
    const [first, second] = await Promise.all([postgres.createDatabase(), postgres.createDatabase()]);
    assert.notEqual(first, second);
    await query(first, 'create table note (text text)');
    assert.deepEqual(await query(second, `select to_regclass('note') as note`), [{ note: null }]);
    assert.deepEqual(await query(first, `select current_setting('server_version_num')::int >= 150000 as recent`), [
      { recent: true },
    ]);
  } finally {
    await postgres.stop();
  }
  if (!process.env['SIGNALBOX_TEST_POSTGRES_URL']) await assert.rejects(query(postgres.url, 'select 1'));
});
