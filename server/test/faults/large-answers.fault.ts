/** One tenant requests lists of large rows many times at once: the others do not notice. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { limitHere } from '../support/machine.ts';
import { startPostgres } from '../support/postgres.ts';
import { count, report, sendJson, watchMemory } from './harness.ts';
import { startTwoTenants } from './two-tenants.ts';

const ROWS = count(100, 200);
const AT_ONCE = 8;
/** Processor time of a turn. The waits of others depend on the load of the machine, so they are only reported. */
const LIMIT_MILLISECONDS = 50;
const LIMIT_MEGABYTES = 64;
const VALUE = 'x'.repeat(500_000);

const list = <Item>(length: number, of: (index: number) => Item) => Array.from({ length }, (_, index) => of(index));

/** Fills the workspace with large rows, and returns the lists that contain them. */
async function fill(api: string): Promise<[path: string, body: object][]> {
  const send = async (path: string, body: object) => {
    const { status, text } = await sendJson('POST', api + path, body);
    assert.ok(status < 300, `${path}: ${status} ${text.slice(0, 200)}`);
    return (text === '' ? {} : JSON.parse(text)) as { id: string };
  };
  const flow = await send('/flows/', { name: 'large' });
  let run = flow;
  const now = new Date().toISOString();
  for (let row = 0; row < ROWS; row++) {
    run = await send('/flow_runs/', { flow_id: flow.id, parameters: { x: VALUE } });
    await send('/deployments/', { name: `large-${row}`, flow_id: flow.id, parameters: { x: VALUE } });
    await send('/artifacts/', { key: `large-${row}`, data: VALUE });
  }
  for (let row = 0; row < ROWS; row++) {
    const inputs = { x: [{ input_type: 'parameter', name: VALUE }] };
    await send('/task_runs/', { flow_run_id: run.id, task_key: 't', dynamic_key: `${row}`, task_inputs: inputs });
  }
  const messages = { name: 'x', level: 20, message: VALUE, timestamp: now, flow_run_id: run.id };
  for (let row = 0; row < ROWS; row += 20) await send('/logs/', list(20, () => messages) as object);
  return [
    ['/flow_runs/filter', {}],
    ['/task_runs/filter', {}],
    ['/deployments/filter', {}],
    ['/artifacts/filter', {}],
    ['/artifacts/latest/filter', {}],
    ['/logs/filter', {}],
    ['/flow_runs/paginate', {}],
  ];
}

/** Reads an answer and discards it; returns its status and its number of bytes. */
function drain(url: string, body: object): Promise<{ status: number; bytes: number }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: 'POST', headers: { 'content-type': 'application/json' } }, (answer) => {
      let bytes = 0;
      answer.on('data', (part: Buffer) => (bytes += part.length));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, bytes }));
      answer.on('error', reject);
    });
    asked.on('error', reject);
    asked.end(JSON.stringify(body));
  });
}

const postgres = await startPostgres();

for (const database of ['sqlite', ...(postgres ? ['postgres'] : [])]) {
  describe(`large answers on ${database}`, () => {
    test(`lists of ${ROWS} rows of 500 kB, ${AT_ONCE} at once`, async () => {
      const tenants = await startTwoTenants(0, database === 'postgres' ? await postgres?.createDatabase() : undefined);
      const { server } = tenants;
      try {
        const lists = await fill(server.api);
        const broken: string[] = [];
        // The heap grows once after this many requests (`young-generation.ts`).
        for (let asked = 0; asked < 1000; asked++) await (await fetch(`${server.api}/health`)).arrayBuffer();
        for (const [path, body] of lists) await drain(server.api + path, { ...body, limit: 2 });
        const calm = tenants.watch();
        await delay(1000);
        const baseline = (await calm.stop()).p99Milliseconds;
        await server.longestTurn();
        for (const [path, body] of lists) {
          const memory = watchMemory(server);
          const watch = tenants.watch();
          const began = performance.now();
          const answers = await Promise.all(list(AT_ONCE, () => drain(server.api + path, body)));
          const seconds = (performance.now() - began) / 1000;
          const { p99Milliseconds, longestMilliseconds, statuses } = await watch.stop();
          const turn = await server.longestTurn();
          const growth = memory.stop();
          const name = `${database}: ${path}, ${AT_ONCE} at once, ${ROWS} rows of 500 kB`;
          const whole = answers.filter(({ status, bytes }) => status === 200 && bytes > ROWS * VALUE.length).length;
          const value = `growth ${growth.toFixed(0)} MB; others p99 ${p99Milliseconds.toFixed(0)} ms, longest ${longestMilliseconds.toFixed(0)} ms (${baseline.toFixed(0)} ms without); longest turn ${turn.toFixed(0)} ms; ${whole} answered in ${seconds.toFixed(1)} s`;
          const longest = limitHere(turn, LIMIT_MILLISECONDS);
          report({ test: '24', name, value, limit: `${LIMIT_MEGABYTES} MB, ${longest.toFixed(0)} ms` });
          const holds =
            whole === AT_ONCE &&
            [...statuses.keys()].join() === '200' &&
            growth <= LIMIT_MEGABYTES * count(2, 1) &&
            turn <= longest;
          // A reduced run is shorter than the heap takes to settle.
          if (!holds) broken.push(`${path}: ${value}`);
        }
        assert.deepEqual(broken, []);
      } finally {
        await tenants.dispose();
      }
    });
  });
}

test('the database is stopped', () => postgres?.stop());
