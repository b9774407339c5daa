/** Clients without a credential send large bodies: the server keeps none of them, and others do not wait. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { limitHere } from '../support/machine.ts';
import type { Flood } from './body-flood.ts';
import { count, FaultServer, report, watchDelay } from './harness.ts';

const MEGABYTE = 1024 * 1024;
const CONNECTIONS = 60;
/** Odd, so that one measurement is the median: on a shared machine the machine alone may cause a single wait. */
const MEASUREMENTS = count(3, 21);
const MAX_GROWTH_MEGABYTES = 64;
const MAX_DELAY_MILLISECONDS = 250;

const addresses = [
  '/api/flows/',
  '/api/logs/',
  '/api/nothing',
  '/api/v0/me/api-keys',
  '/api/v0/session',
  '/api/v0/nothing',
  '/sign-in',
  '/setup',
  '/servers/default/none/mcp',
  '/nothing',
];

describe('bodies of clients without a credential', () => {
  let server: FaultServer;
  let attacker: Worker;
  before(async () => {
    server = await FaultServer.start({ environment: { SIGNALBOX_API_AUTH: 'key' } });
    attacker = new Worker(new URL('./body-flood.ts', import.meta.url), {
      workerData: { port: server.port, addresses },
    });
  });
  after(async () => {
    await attacker.terminate();
    await server.dispose();
  });

  /** The effect of a flood on the server and on requests of other clients. */
  const measure = async (flood: Flood) => {
    const memoryBefore = server.memoryMegabytes();
    let most = memoryBefore;
    const sampling = setInterval(() => {
      most = Math.max(most, server.memoryMegabytes());
    }, 20);
    const watch = watchDelay(`${server.api}/health`);
    attacker.postMessage(flood);
    const [statuses] = (await once(attacker, 'message')) as [number[]];
    clearInterval(sampling);
    const { longestMilliseconds } = await watch.stop();
    return { growth: most - memoryBefore, longestMilliseconds, statuses };
  };

  test('cost memory and others no more than short ones', async () => {
    // The code is compiled and the heap has its size before the first measurement.
    await measure({ connections: CONNECTIONS, bytes: 1024, rounds: 100 });
    const sizes = { '16 MB': 16 * MEGABYTE, '1 kB (control)': 1024 };
    for (const [name, bytes] of Object.entries(sizes)) {
      const measured = [];
      for (let time = 0; time < MEASUREMENTS; time += 1) {
        measured.push(await measure({ connections: CONNECTIONS, bytes, rounds: 2 }));
      }
      const growth = Math.max(...measured.map((one) => one.growth));
      const waits = measured.map((one) => one.longestMilliseconds).sort((a, b) => a - b);
      const wait = waits[(MEASUREMENTS - 1) / 2] ?? 0;
      report({
        test: '20',
        name: `memory for ${CONNECTIONS} bodies of ${name} without a credential`,
        value: `${growth.toFixed(0)} MB`,
        limit: `${MAX_GROWTH_MEGABYTES} MB`,
      });
      const longest = limitHere(wait, MAX_DELAY_MILLISECONDS);
      report({
        test: '20',
        name: `longest wait of others beside ${CONNECTIONS} bodies of ${name}`,
        value: `${wait.toFixed(0)} ms (${MEASUREMENTS} times, at most ${(waits.at(-1) ?? 0).toFixed(0)} ms)`,
        limit: `${longest.toFixed(0)} ms`,
      });
      // 0: the connection was closed while its client was still sending.
      const statuses = new Set(measured.flatMap((one) => one.statuses));
      for (const status of statuses)
        assert.ok([0, 400, 401, 403, 404, 413, 422, 429].includes(status), `status ${status}`);
      assert.ok(growth <= MAX_GROWTH_MEGABYTES, `memory grew by ${growth} MB`);
      assert.ok(wait <= longest, `${wait} ms`);
    }
  });
});
