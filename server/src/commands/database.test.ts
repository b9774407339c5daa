import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { startPostgres } from '../../test/support/postgres.ts';
import { databases, startServer } from '../../test/support/server.ts';
import { addSeconds } from '../values/time.ts';

const main = join(import.meta.dirname, '../main.js');
const DAY = 86_400;

for (const database of databases) {
  describe(`commands for the database on ${database}`, () => {
    test('the report counts what each workspace has and what is old; vacuum gives space back', async () => {
      const home = await mkdtemp(join(tmpdir(), 'signalbox-test-'));
      const postgres = database === 'postgres' ? await startPostgres() : undefined;
      const databaseUrl = postgres ? await postgres.createDatabase() : `sqlite:${join(home, 'signalbox.db')}`;
      const server = await startServer({ database: 'sqlite', databaseUrl });
      const { id } = (await server.post('/flows/', { name: 'etl' })).body;
      const timestamp = addSeconds(server.context().now, -91 * DAY);
      const message = 'x'.repeat(2000);
      for (let run = 0; run < 3; run += 1) {
        const { body } = await server.post('/flow_runs/', { flow_id: id });
        await server.post(`/flow_runs/${body.id}/set_state`, { state: { type: 'COMPLETED' }, force: true });
      }
      const { store, defaultWorkspace } = server.server;
      await store.transaction(defaultWorkspace, (tx) =>
        tx.execute(sql`update flow_run set end_time = ${timestamp} where "workspace" = ${defaultWorkspace}`),
      );
      for (let batch = 0; batch < 5; batch += 1) {
        const logs = Array.from({ length: 200 }, () => ({ name: 'etl', level: 20, message, timestamp }));
        assert.equal((await server.post('/logs/', logs)).status, 201);
      }
      await server.stop();
      const run = async (...words: string[]) => {
        const args = [main, ...words, '--json', '--home', home, '--database-url', databaseUrl];
        return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout);
      };
      const { workspaces, retention, tables, bytes } = await run('db', 'report');
      assert.deepEqual(
        [workspaces[0].workspace, workspaces[0].flow_run, workspaces[0].log],
        ['default/default', 3, 1000],
      );
      const old = Object.fromEntries(retention.map((one: { kind: string; old: number }) => [one.kind, one.old]));
      assert.deepEqual([old['flow_runs'], old['logs'], old['events'] >= 0], [3, 1000, true]);
      assert.ok(
        tables.find(({ table }: { table: string }) => table === 'log').bytes >
          1_000_000 * (database === 'sqlite' ? 1 : 0.05),
      );
      assert.ok(bytes > 1_000_000);
      const { before, after } = await run('db', 'vacuum');
      assert.ok(before > 0 && after > 0 && after <= before * 1.1, `${before} ${after}`);
      await postgres?.stop();
      await rm(home, { recursive: true, force: true });
    });
  });
}

test('a server on SQLite gives the space of deleted rows back while it runs', async () => {
  const server = await startServer();
  const { store, defaultWorkspace } = server.server;
  const logs = Array.from({ length: 200 }, () => ({
    name: 'etl',
    level: 20,
    message: 'x'.repeat(20_000),
    timestamp: server.context().now,
  }));
  for (let batch = 0; batch < 10; batch += 1) await server.post('/logs/', logs);
  const full = await store.size();
  await store.transaction(defaultWorkspace, (tx) =>
    tx.execute(sql`delete from log where "workspace" = ${defaultWorkspace}`),
  );
  while (await store.releaseSpace());
  const left = await store.size();
  assert.ok((left.freeBytes ?? 0) < 12_000_000 && full.bytes > 40_000_000, JSON.stringify({ full, left }));
  await server.stop();
});
