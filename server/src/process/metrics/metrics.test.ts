import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startPostgres } from '../../../test/support/postgres.ts';
import { databases } from '../../../test/support/server.ts';
import { until } from '../../../test/support/until.ts';
import { type Config, readConfig } from '../../config.ts';
import { type RunningServer, startServer } from '../server.ts';
import { BoundedLabel } from './bounded-label.ts';

interface Started {
  readonly running: RunningServer;
  post(path: string, body: unknown): Promise<Record<string, string>>;
  /** The value of a series; undefined where it is absent. */
  read(series: string): Promise<number | undefined>;
  stop(): Promise<void>;
}

async function start(database: (typeof databases)[number], changes: Partial<Config> = {}): Promise<Started> {
  const home = await mkdtemp(join(tmpdir(), 'signalbox-test-'));
  const postgres = database === 'postgres' ? await startPostgres() : undefined;
  const databaseUrl = postgres ? await postgres.createDatabase() : `sqlite:${join(home, 'signalbox.db')}`;
  const config = {
    ...readConfig({}, {}),
    home,
    databaseUrl,
    port: 0,
    metricsPort: 0,
    logLevel: 'silent',
    drainSeconds: 1,
  };
  const running = await startServer({ ...config, ...changes });
  return {
    running,
    post: async (path, body) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${running.url}/api${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      assert.ok(answer.ok, `${path} ${answer.status}`);
      return (await answer.json()) as Record<string, string>;
    },
    read: async (series) => {
      const text = await (await fetch(running.metricsUrl ?? '')).text();
      const line = text.split('\n').find((one) => one.startsWith(`${series} `));
      return line === undefined ? undefined : Number(line.slice(series.length));
    },
    stop: async () => {
      await running.stop();
      await postgres?.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

for (const database of databases) {
  describe(`metrics on ${database}`, () => {
    test('runs, requests, writes and passes of services are in them', async () => {
      const { running, post, read, stop } = await start(database);
      const pool = await post('/work_pools/', { name: 'night', type: 'process' });
      const flow = await post('/flows/', { name: 'etl' });
      const deployment = await post('/deployments/', {
        name: 'daily',
        flow_id: flow['id'],
        work_pool_name: pool['name'],
      });
      const state = {
        type: 'SCHEDULED',
        state_details: { scheduled_time: new Date(Date.now() - 60_000).toISOString() },
      };
      for (let run = 0; run < 3; run += 1) await post(`/deployments/${deployment['id']}/create_flow_run`, { state });
      const labels = '{workspace="default/default",work_pool="night"}';
      assert.equal(await read(`signalbox_flow_runs_due${labels}`), 3);
      const age = await read(`signalbox_flow_runs_oldest_due_seconds${labels}`);
      assert.ok(age !== undefined && age >= 60 && age < 120, String(age));
      assert.equal(await read('signalbox_flow_runs{workspace="default/default",state_type="SCHEDULED"}'), 3);
      assert.equal(await read('signalbox_work_pools{workspace="default/default",status="NOT_READY"}'), 1);
      const route = 'POST /deployments/{id}/create_flow_run';
      assert.equal(await read(`signalbox_http_requests_total{route="${route}",status="201"}`), 3);
      assert.ok(((await read('signalbox_database_commit_duration_seconds_count{outcome="committed"}')) ?? 0) >= 6);
      assert.ok(((await read('signalbox_database_size_bytes')) ?? 0) > 100_000);
      await until('the scheduler has passed', async () =>
        Boolean(await read('signalbox_service_last_success_timestamp_seconds{service="scheduler"}')),
      );
      assert.equal((await fetch(`${running.url}/metrics`)).status, 404);
      await stop();
    });
  });
}

test('a server that stops says so at /api/ready, and answers requests until its delay is over', async () => {
  const { running, stop } = await start('sqlite', { drainDelaySeconds: 2 });
  const status = async (path: string) => (await fetch(`${running.url}/api${path}`)).status;
  assert.equal(await status('/ready'), 200);
  const stopped = stop();
  assert.deepEqual(await Promise.all(['/ready', '/health', '/hello'].map(status)), [503, 200, 200]);
  await stopped;
  await assert.rejects(status('/health'));
});

test('a label that users choose has a bounded number of values', () => {
  const label = new BoundedLabel(2);
  assert.deepEqual(
    ['a', 'b', 'c', 'a', 'd'].map((value) => label.of(value)),
    ['a', 'b', 'other', 'a', 'other'],
  );
});
