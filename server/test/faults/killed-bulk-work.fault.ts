/**
 * A server is killed again and again while it changes many runs: the work goes on, and each run is changed once. On
 * PostgreSQL, a second replica changes runs of the same work.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startOwnPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { count, FaultServer, report, sendJson } from './harness.ts';

const RUNS = count(1500, 5000);
const KILLS = count(4, 15);
const AT_ONCE = 25;
const ENDS_WITHIN_SECONDS = 180;

for (const database of ['sqlite', 'postgres'] as const) {
  test(`a killed bulk work goes on and changes each run once, on ${database}`, async (t) => {
    const postgres = database === 'postgres' ? await startOwnPostgres() : undefined;
    if (database === 'postgres' && !postgres) return t.skip('no PostgreSQL is installed');
    t.after(() => postgres?.stop());
    const databaseUrl = await postgres?.createDatabase();
    const environment = { SIGNALBOX_ENCRYPTION_KEY: randomBytes(32).toString('base64') };
    const start = async () => {
      const server = await FaultServer.start({ environment, ...(databaseUrl === undefined ? {} : { databaseUrl }) });
      t.after(() => server.dispose());
      return server;
    };
    const server = await start();
    if (postgres) await start();
    const send = async (method: 'GET' | 'POST', path: string, body?: object) => {
      const { status, text } = await sendJson(method, server.api + path, body);
      assert.ok(status < 300, text);
      return JSON.parse(text);
    };
    const { id: flow_id } = await send('POST', '/flows/', { name: 'many' });
    const ids: string[] = [];
    while (ids.length < RUNS) {
      const made = Array.from({ length: AT_ONCE }, () =>
        send('POST', '/flow_runs/', { flow_id, state: { type: 'RUNNING' } }),
      );
      ids.push(...(await Promise.all(made)).map(({ id }) => id));
    }
    // A state that is forced twice would be there twice.
    const asked = { action: 'set_state', state: { type: 'FAILED', name: 'Lost' }, force: true, matching: {} };
    const { id, total } = await send('POST', '/bulk_work/', asked);
    assert.equal(total, ids.length);
    let killed = 0;
    for (; killed < KILLS; killed++) {
      await delay(100 + Math.random() * 500);
      await server.end('SIGKILL');
      await server.start();
      if ((await send('GET', `/bulk_work/${id}`)).ended !== null) break;
    }
    const read = () => send('GET', `/bulk_work/${id}`);
    await until('the work has ended', async () => (await read()).ended !== null, ENDS_WITHIN_SECONDS);
    const { status, done, failed } = await read();
    let wrong = 0;
    for (let first = 0; first < ids.length; first += AT_ONCE) {
      const states = ids
        .slice(first, first + AT_ONCE)
        .map((run) => send('GET', `/flow_run_states/?flow_run_id=${run}`));
      for (const names of await Promise.all(states)) {
        if (names.map(({ name }: { name: string }) => name).join() !== 'Running,Lost') wrong += 1;
      }
    }
    const name = `runs not changed exactly once (${killed} kills, ${database})`;
    report({ test: '8', name, value: `${wrong} of ${ids.length}`, limit: '0' });
    assert.deepEqual({ status, done, failed, wrong }, { status: 'COMPLETED', done: ids.length, failed: 0, wrong: 0 });
  });
}
