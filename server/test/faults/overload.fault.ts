/**
 * More work than the server can do: it does nearly as much as at its best, refuses the rest with 503 or 429 and
 * `Retry-After`, and answers as before once the flood is over.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { count, FaultServer, report, sendJson } from './harness.ts';
import type { Flooded, FloodOrder } from './overload-flood.ts';

const SECONDS = count(2, 60);
const ROUNDS = count(3, 5);
/** As many as keep the server busy. */
const BEST_CLIENTS = 256;
/** Five times as many requests as the server handles at once. */
const CLIENTS = 2560;
const LEAST_SHARE = 0.8;

describe('more work than the server can do', () => {
  let server: FaultServer;
  before(async () => {
    server = await FaultServer.start();
  });
  after(() => server.dispose());

  test(`${CLIENTS} clients that never pause`, async () => {
    const flow = await sendJson('POST', `${server.api}/flows/`, { name: 'flood' });
    const body = JSON.stringify({ flow_id: (JSON.parse(flow.text) as { id: string }).id });
    const workerData = { port: server.port, path: '/api/flow_runs/', body };
    const attacker = new Worker(new URL('./overload-flood.ts', import.meta.url), { workerData });
    const flood = async (clients: number): Promise<Flooded> => {
      attacker.postMessage({ clients, seconds: SECONDS } satisfies FloodOrder);
      const [flooded] = (await once(attacker, 'message')) as [Flooded];
      return flooded;
    };
    try {
      // Code is compiled, the heap grows, and the connections are made, before anything is measured.
      await flood(BEST_CLIENTS);
      await flood(CLIENTS);
      const memory = server.memoryMegabytes();
      const sums = { best: 0, flooded: 0 };
      const seen: Flooded[] = [];
      // In turns, so that other programs take as much from one as from the other.
      for (let round = 0; round < ROUNDS; round += 1) {
        sums.best += (await flood(BEST_CLIENTS)).statuses['201'] ?? 0;
        const flooded = await flood(CLIENTS);
        sums.flooded += flooded.statuses['201'] ?? 0;
        seen.push(flooded);
      }
      const share = sums.flooded / sums.best;
      const told = JSON.stringify(seen);
      report({
        test: '21',
        name: `work done with ${CLIENTS} clients, of the work with ${BEST_CLIENTS}`,
        value: `${(share * 100).toFixed(0)} % of ${sums.best} (${told}; ${(server.memoryMegabytes() - memory).toFixed(0)} MB more)`,
        limit: `${LEAST_SHARE * 100} %`,
      });
      assert.ok(server.running, server.output.slice(-2000));
      for (const { statuses, unhinted } of seen) {
        for (const status of Object.keys(statuses)) assert.ok(['201', '429', '503'].includes(status), told);
        assert.equal(unhinted, 0, told);
      }
      assert.ok(share >= LEAST_SHARE, `${share}: ${told}`);
    } finally {
      await attacker.terminate();
    }
    const began = performance.now();
    const answer = await sendJson('POST', `${server.api}/flows/count`);
    assert.equal(answer.status, 200);
    assert.ok(performance.now() - began < 10_000);
  });
});
