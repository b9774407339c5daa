/** One tenant sends the most expensive filter queries, all at once: the others do not notice. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { limitHere } from '../support/machine.ts';
import { startPostgres } from '../support/postgres.ts';
import { count, report } from './harness.ts';
import { startTwoTenants } from './two-tenants.ts';

const RUNS = count(10_000, 100_000);
const AT_ONCE = count(8, 60);
const SECONDS = count(6, 60);
const LIMIT_MILLISECONDS = 250;
const LIMIT_MEGABYTES = 64;

const list = (length: number, of: (index: number) => string) => Array.from({ length }, (_, index) => of(index));
const uuid = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
const junk = list(10_000, (index) => `junk-${index}`);
const ids = list(10_000, uuid);
const evil = `%${'x%'.repeat(900)}y`;

const attacks: readonly (readonly [path: string, body: object])[] = [
  ['/flow_runs/filter', { flow_runs: { tags: { all_: ['a', ...junk.slice(1)] } } }],
  ['/flow_runs/filter', { flow_runs: { tags: { all_: junk.slice(0, 200) } } }],
  ['/flow_runs/count', { flow_runs: { tags: { any_: junk, operator: 'or_', all_: junk } } }],
  ['/flow_runs/count', { flow_runs: { name: { like_: evil } } }],
  ['/flow_runs/filter', { flow_runs: { name: { like_: evil } }, sort: 'NAME_ASC' }],
  [
    '/flow_runs/count',
    { flow_runs: { name: { any_: junk }, idempotency_key: { not_any_: junk } }, flows: { name: { any_: junk } } },
  ],
  ['/flows/filter', { flow_runs: { name: { any_: junk }, tags: { all_: ['a', 'b', 'c'] } } }],
  ['/flows/count', { flow_runs: { id: { any_: ids } }, task_runs: { tags: { all_: junk } } }],
  ['/flow_runs/count', { flow_runs: { tags: { any_: [...junk, 'more'] } } }],
  [
    '/events/filter',
    { filter: { related: list(50, () => 'x').map(() => ({ id: junk.slice(0, 500), role: ['flow'] })) } },
  ],
  ['/logs/filter', { logs: { text: { query: 'a b c d e f g h i j' }, flow_run_id: { any_: ids } } }],
];

const postgres = await startPostgres();

for (const database of ['sqlite', ...(postgres ? ['postgres'] : [])]) {
  describe(`slow reads on ${database}`, () => {
    test(`${AT_ONCE} expensive queries at once, over ${RUNS} runs`, async () => {
      const tenants = await startTwoTenants(
        RUNS,
        database === 'postgres' ? await postgres?.createDatabase() : undefined,
      );
      const { server, attack } = tenants;
      try {
        const bodies = attacks.map(([path, body]) => [path, JSON.stringify(body)] as const);
        const statuses = new Map<number, number>();
        const attackFor = async (seconds: number) => {
          const end = performance.now() + seconds * 1000;
          let next = 0;
          const attackers = Array.from({ length: AT_ONCE }, async () => {
            while (performance.now() < end) {
              const [path, body] = bodies[next++ % bodies.length]!;
              const status = await attack(path, body);
              statuses.set(status, (statuses.get(status) ?? 0) + 1);
            }
          });
          await Promise.all(attackers);
        };
        const idle = server.memoryMegabytes();
        // A server that has answered 1,000 requests lets its heap grow once (`young-generation.ts`). Then code is
        // compiled, processes are started, and the heap reaches its final size.
        for (let asked = 0; asked < 1000; asked++) await (await fetch(`${server.api}/health`)).arrayBuffer();
        await attackFor(count(2, 1) * SECONDS);
        const calm = tenants.watch();
        await delay(SECONDS * 500);
        const baseline = (await calm.stop()).p99Milliseconds;
        const before = server.memoryMegabytes();
        await server.longestTurn();
        const watch = tenants.watch();
        await attackFor(SECONDS);
        const { longestMilliseconds, p99Milliseconds, statuses: seen } = await watch.stop();
        const turn = await server.longestTurn();
        const growth = server.memoryMegabytes() - before;
        const of = [...statuses].map(([status, times]) => `${times} × ${status}`).join(', ');
        // The wait that the machine itself causes when other programs need its processors.
        const wait = p99Milliseconds - baseline;
        const longest = limitHere(Math.max(wait, turn), LIMIT_MILLISECONDS);
        const figure = { test: '24', limit: `${longest.toFixed(0)} ms` };
        const name = `${database}: waits of another tenant beside expensive filters (${of})`;
        const value = `p99 ${p99Milliseconds.toFixed(0)} ms, longest ${longestMilliseconds.toFixed(0)} ms; p99 ${baseline.toFixed(0)} ms without them`;
        report({ ...figure, name, value });
        report({ ...figure, name: `${database}: longest turn of the event loop`, value: `${turn.toFixed(0)} ms` });
        const limit = `${LIMIT_MEGABYTES} MB`;
        report({
          test: '24',
          name: `${database}: growth of memory beside them, after as many before`,
          value: `${growth.toFixed(0)} MB (${(before + growth - idle).toFixed(0)} MB since the start)`,
          limit,
        });
        assert.deepEqual([...seen.keys()], [200]);
        for (const status of statuses.keys()) assert.ok(status < 500 || status === 503, of);
        assert.ok((statuses.get(200) ?? 0) > 0, of);
        assert.ok(statuses.has(422), of);
        assert.ok(wait <= longest, `${p99Milliseconds.toFixed(0)} ms, without ${baseline.toFixed(0)} ms`);
        assert.ok(turn <= longest, `a turn of ${turn.toFixed(0)} ms`);
        // A reduced run is shorter than the heap of a busy server takes to settle.
        assert.ok(growth <= LIMIT_MEGABYTES * count(2, 1), `${growth.toFixed(0)} MB`);
        assert.ok(server.running);
      } finally {
        await tenants.dispose();
      }
    });
  });
}

test('the database is stopped', () => postgres?.stop());
