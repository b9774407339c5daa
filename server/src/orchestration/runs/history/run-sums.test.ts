import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
// biome-ignore lint/correctness/noUndeclaredDependencies: a tool of the whole repository, declared at its root
import fc from 'fast-check';
import { sql } from 'kysely';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { newId } from '../../../values/id.ts';
import { addMicroseconds, addSeconds, type Timestamp } from '../../../values/time.ts';
import type { RelatedFilters } from '../../filters/related-conditions.ts';
import { readFlowRunHistory } from './run-history.ts';
import { readFlowRunLateness } from './run-lateness.ts';
import { countRunsByStart } from './start-counts.ts';

const DAY = '2024-02-29T00:00:00.000000Z' as Timestamp;
const NOW = addSeconds(DAY, 5 * 3600 + 0.25);

/** A random run; times in seconds after DAY. */
interface RandomRun {
  readonly state: readonly [type: string | null, name: string | null];
  readonly expected: number | null;
  readonly startsAfter: number | null;
  readonly runTime: number;
}

const states = [
  ['COMPLETED', 'Completed'],
  ['COMPLETED', 'Completed'],
  ['COMPLETED', 'Cached'],
  ['FAILED', 'Failed'],
  ['CRASHED', 'Crashed'],
  ['CANCELLED', 'Cancelled'],
  ['RUNNING', 'Running'],
  ['SCHEDULED', 'Late'],
  ['PAUSED', 'Paused'],
  [null, null],
] as const;
const seconds = (max: number) => fc.integer({ min: 0, max: max * 1_000_000 }).map((micros) => micros / 1_000_000);
const randomRun: fc.Arbitrary<RandomRun> = fc.record({
  state: fc.constantFrom(...states),
  expected: fc.option(
    fc.oneof(seconds(6 * 3600), fc.constantFrom(0, 299.999999, 300, 3599.999999, 3600, 7200, 10_799.999999)),
    { freq: 12 },
  ),
  startsAfter: fc.option(fc.integer({ min: -3, max: 900 }).map((second) => second + 0.000001)),
  runTime: seconds(90),
});
const at = (second: number) => addMicroseconds(DAY, Math.round(second * 1_000_000));
const rowOf = ({ state: [type, name], expected, startsAfter, runTime }: RandomRun) => ({
  state_type: type,
  state_name: name,
  state_timestamp: type === null ? null : at((expected ?? 0) + 1),
  expected_start_time: expected === null ? null : at(expected),
  start_time: expected === null || startsAfter === null ? null : at(Math.max(0, expected + startsAfter)),
  total_run_time: runTime,
});

for (const database of databases) {
  describe(`sums of flow runs on ${database}`, () => {
    let server: TestServer;
    let ids: string[];
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const context = () => server.context(NOW);

    /** The only flow with runs, so that all runs belong to it. */
    async function newFlow(): Promise<string> {
      ids = [];
      for (const { id } of (await server.post('/flows/filter', {})).body) await server.delete(`/flows/${id}`);
      return (await server.post('/flows/', { name: `flow ${newId()}` })).body.id;
    }
    async function add(flow_id: string, run: RandomRun): Promise<void> {
      const { id } = (await server.post('/flow_runs/', { flow_id })).body;
      ids.push(id);
      await change(id, run);
    }
    const change = (id: string, run: RandomRun) =>
      context().transaction((tx) =>
        tx.execute(
          tx.dialect.builder
            .updateTable('flow_run')
            .set(rowOf(run))
            .where('workspace', '=', tx.workspace)
            .where('id', '=', id),
        ),
      );

    /** Requests all runs, answered from sums, and the runs of one flow, read one by one. */
    async function assertSame(
      flowId: string,
      own: RelatedFilters,
      span: { from: number; step: number; count: number },
    ) {
      const asked = {
        start: at(span.from),
        end: at(span.from + span.step * span.count),
        intervalSeconds: span.step,
      };
      const single = { ...own, flows: { id: { any_: [flowId] } } };
      const micros = (value: number) => Math.round(value * 1_000_000);
      const [kept, counted] = await Promise.all(
        [own, single].map(async (filters) =>
          (await readFlowRunHistory(context(), filters, asked)).map(({ states: found, ...interval }) => ({
            ...interval,
            states: found.map(({ sum_estimated_run_time, sum_estimated_lateness, ...state }) => ({
              ...state,
              run: micros(sum_estimated_run_time),
              lateness: micros(sum_estimated_lateness),
            })),
          })),
        ),
      );
      assert.deepEqual(kept, counted);
      const [mean, byRuns] = await Promise.all([own, single].map((given) => readFlowRunLateness(context(), given)));
      // A mean can lie between two microseconds, and floats add up in any order.
      assert.ok(mean === byRuns || Math.abs(mean! - byRuns!) < 1e-7, `${mean} is not ${byRuns}`);
    }
    /** The same for counts by the start of runs. */
    async function assertSameByStart(
      flowId: string,
      own: RelatedFilters,
      span: { from: number; step: number; count: number },
    ) {
      const asked = { start: at(span.from), end: at(span.from + span.step * span.count), intervalSeconds: span.step };
      const single = { ...own, flows: { id: { any_: [flowId] } } };
      const [kept, counted] = await Promise.all(
        [own, single].map((given) => countRunsByStart(context(), given, asked)),
      );
      assert.deepEqual(kept, counted);
    }
    const spans = [
      { from: 0, step: 3600, count: 6 },
      { from: 123.456789, step: 3600, count: 4 },
      { from: -1800, step: 7000.5, count: 3 },
      { from: 300, step: 300, count: 30 },
      { from: 3599.999999, step: 301, count: 20 },
    ];
    const filters: RelatedFilters[] = [
      {},
      { flow_runs: { state: { type: { any_: ['COMPLETED', 'RUNNING'] } } } },
      { flow_runs: { state: { type: { not_any_: ['FAILED'] }, name: { any_: ['Cached', 'Crashed', 'Late'] } } } },
      { flow_runs: { expected_start_time: { after_: at(299.999999), before_: at(10_799.999999) } } },
      { flow_runs: { expected_start_time: { after_: at(7200), before_: at(7200) }, state: { name: { like_: 'c' } } } },
      { flow_runs: { expected_start_time: { after_: at(9000), before_: at(8000) } } },
      {
        flow_runs: {
          operator: 'or_',
          expected_start_time: { before_: at(3600) },
          state: { type: { any_: ['FAILED'] } },
        },
      },
    ];
    const byStart: RelatedFilters[] = [
      {},
      { flow_runs: { state: { type: { any_: ['COMPLETED', 'RUNNING'] } } } },
      { flow_runs: { start_time: { after_: at(299.999999), before_: at(10_799.999999) } } },
      {
        flow_runs: {
          start_time: { after_: at(3599.999999), before_: at(7200) },
          state: { operator: 'or_', type: { any_: ['FAILED', 'CRASHED'] }, name: { any_: ['Late'] } },
        },
      },
      { flow_runs: { start_time: { after_: at(9000), before_: at(8000) } } },
    ];
    async function assertAllSame(flowId: string) {
      for (const span of spans) {
        for (const filter of filters) await assertSame(flowId, filter, span);
        for (const filter of byStart) await assertSameByStart(flowId, filter, span);
      }
    }

    const sumsLeft = async () => {
      const [row] = await context().db.query(
        sql<{
          count: number;
        }>`select count(*) as count from flow_run_sum where "workspace" = ${context().db.workspace}`,
      );
      return row?.count;
    };

    test('sums match the totals of the runs after any changes and deletions', async () => {
      const step = fc.record({
        run: fc.nat(),
        kind: fc.constantFrom('change', 'change', 'delete'),
        to: randomRun,
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(randomRun, { minLength: 5, maxLength: 25 }),
          fc.array(step, { maxLength: 15 }),
          async (runs, steps) => {
            const flowId = await newFlow();
            for (const run of runs) await add(flowId, run);
            for (const { run, kind, to } of steps) {
              const id = ids[run % ids.length]!;
              if (kind === 'change') await change(id, to);
              else await server.delete(`/flow_runs/${id}`);
            }
            await assertAllSame(flowId);
            await server.delete(`/flows/${flowId}`);
            assert.equal(await sumsLeft(), 0);
          },
        ),
        { numRuns: 10 },
      );
    });

    test('runs that end and are deleted concurrently are all summed', async () => {
      const flowId = await newFlow();
      for (let index = 0; index < 30; index++) {
        await add(flowId, { state: ['RUNNING', 'Running'], expected: 3600 + index, startsAfter: 1, runTime: 0 });
      }
      const end = (id: string) =>
        server.post(`/flow_runs/${id}/set_state`, { state: { type: 'COMPLETED' }, force: true });
      await Promise.all(ids.map(end));
      await assertAllSame(flowId);
      const history = await readFlowRunHistory(
        context(),
        {},
        { start: at(3600), end: at(7200), intervalSeconds: 3600 },
      );
      assert.deepEqual(
        history.flatMap((interval) => interval.states.map((state) => state.count_runs)),
        [30],
      );
      await Promise.all(ids.slice(0, 15).map((id) => server.delete(`/flow_runs/${id}`)));
      await assertAllSame(flowId);
      await server.delete(`/flows/${flowId}`);
      const hour = { start: at(3600), end: at(7200), intervalSeconds: 3600 };
      const gone = await readFlowRunHistory(context(), {}, hour);
      assert.deepEqual(
        gone.map(({ states }) => states),
        [[]],
      );
      const expected = { flow_runs: { expected_start_time: { after_: hour.start, before_: hour.end } } };
      assert.equal(await readFlowRunLateness(context(), expected), null);
    });
  });
}
