/** A large delete delays no other request: a flow with many runs, and a run with many task runs. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { limitHere } from '../support/machine.ts';
import { startPostgres } from '../support/postgres.ts';
import { count, FaultServer, report, sendJson, watchDelay } from './harness.ts';

const RUNS = count(3000, 60_000);
const TASK_RUNS = count(2000, 10_000);
/**
 * Others wait at most this long. On a machine where tests run in parallel, a pause of the kernel alone can take half of
 * it.
 */
const LIMIT_MILLISECONDS = 100;

const postgres = await startPostgres({ durable: true });

for (const database of ['sqlite', ...(postgres ? ['postgres'] : [])]) {
  describe(`large deletes on ${database}`, () => {
    test(`a flow with ${RUNS} runs and a run with ${TASK_RUNS} task runs`, async () => {
      const server = await FaultServer.start(
        database === 'postgres' ? { databaseUrl: (await postgres?.createDatabase()) ?? '' } : {},
      );
      try {
        const send = async (method: string, path: string, body?: unknown) => {
          const { status, text } = await sendJson(method, server.api + path, body);
          assert.ok(status < 300, `${method} ${path}: ${status} ${text}`);
          return text === '' ? undefined : JSON.parse(text);
        };
        const many = async (times: number, make: (index: number) => Promise<unknown>) => {
          let next = 0;
          const makers = Array.from({ length: 32 }, async () => {
            while (next < times) await make(next++);
          });
          await Promise.all(makers);
        };
        const flow = await send('POST', '/flows/', { name: 'crowded' });
        await many(RUNS, () => send('POST', '/flow_runs/', { flow_id: flow.id, state: { type: 'COMPLETED' } }));
        const other = await send('POST', '/flows/', { name: 'other' });
        const run = await send('POST', '/flow_runs/', { flow_id: other.id });
        await many(TASK_RUNS, (index) =>
          send('POST', '/task_runs/', { flow_run_id: run.id, task_key: 'many', dynamic_key: String(index) }),
        );
        const before = server.memoryMegabytes();
        for (const [name, path] of [
          [`a flow with ${RUNS} runs`, `/flows/${flow.id}`],
          [`a run with ${TASK_RUNS} task runs`, `/flow_runs/${run.id}`],
        ] as const) {
          const watch = watchDelay(`${server.api}/flows/${other.id}`);
          const began = performance.now();
          await send('DELETE', path);
          const seconds = (performance.now() - began) / 1000;
          const { longestMilliseconds, statuses } = await watch.stop();
          const most = limitHere(longestMilliseconds, LIMIT_MILLISECONDS);
          report({
            test: '5a',
            name: `${database}: longest wait of others while ${name} is deleted (${seconds.toFixed(1)} s)`,
            value: `${longestMilliseconds.toFixed(0)} ms`,
            limit: `${most.toFixed(0)} ms`,
          });
          assert.deepEqual([...statuses.keys()], [200]);
          assert.ok(longestMilliseconds <= most * 2.5, `${name}: ${longestMilliseconds.toFixed(0)} ms`);
        }
        assert.equal((await fetch(`${server.api}/flows/${flow.id}`)).status, 404);
        assert.equal(await send('POST', '/flow_runs/count', { flows: { id: { any_: [flow.id] } } }), 0);
        assert.ok(server.memoryMegabytes() - before < 64);
      } finally {
        await server.dispose();
      }
    });
  });
}

test('the database is stopped', () => postgres?.stop());
