import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
// biome-ignore lint/correctness/noUndeclaredDependencies: a tool of the whole repository, declared at its root
import fc from 'fast-check';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';

interface CountedState {
  readonly state_type: string;
  readonly state_name: string;
  readonly count_runs: number;
  readonly sum_estimated_run_time: number;
  readonly sum_estimated_lateness: number;
}

for (const database of databases) {
  describe(`the history of runs on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const newFlow = async (name: string) => (await server.post('/flows/', { name })).body.id as string;
    const schedule = async (flow_id: string, scheduled_time: string) =>
      (await server.post('/flow_runs/', { flow_id, state: { type: 'SCHEDULED', state_details: { scheduled_time } } }))
        .body;
    const only = (id: string) => ({ flows: { id: { any_: [id] } } });
    /** Equal counts, and nearly equal sums: time passes between two requests, and floats add up in any order. */
    const assertSame = (left: { states: CountedState[] }[], right: { states: CountedState[] }[]) => {
      const kept = ({ states, ...interval }: { states: CountedState[] }) => ({
        ...interval,
        states: states.map(({ state_type, state_name, count_runs }) => [state_type, state_name, count_runs]),
      });
      assert.deepEqual(left.map(kept), right.map(kept));
      const others = right.flatMap(({ states }) => states);
      for (const [index, state] of left.flatMap(({ states }) => states).entries()) {
        for (const sum of ['sum_estimated_run_time', 'sum_estimated_lateness'] as const) {
          assert.ok(Math.abs(state[sum] - others[index]![sum]) < 60 * state.count_runs, JSON.stringify([left, right]));
        }
      }
    };
    const span = (start: string, end: string, seconds: unknown) => ({
      history_start: start,
      history_end: end,
      history_interval_seconds: seconds,
    });

    test('a run counts in the interval of its expected start, with the end excluded', async () => {
      const flow = await newFlow('edges');
      for (const time of [
        '2030-01-01T00:00:00Z',
        '2030-01-01T00:59:59.999999Z',
        '2030-01-01T01:00:00Z',
        '2030-01-01T02:59:59.999999Z',
        '2030-01-01T03:00:00Z',
        '2029-12-31T23:59:59.999999Z',
      ]) {
        await schedule(flow, time);
      }
      const { body, status } = await server.post('/flow_runs/history', {
        ...span('2030-01-01T00:00:00Z', '2030-01-01T02:30:00Z', 3600),
        ...only(flow),
      });
      assert.equal(status, 200);
      const seen = body.map((interval: { interval_start: string; states: CountedState[] }) => [
        interval.interval_start,
        interval.states.map((state) => [state.state_type, state.state_name, state.count_runs]),
      ]);
      assert.deepEqual(seen, [
        ['2030-01-01T00:00:00Z', [['SCHEDULED', 'Scheduled', 2]]],
        ['2030-01-01T01:00:00Z', [['SCHEDULED', 'Scheduled', 1]]],
        ['2030-01-01T02:00:00Z', [['SCHEDULED', 'Scheduled', 1]]],
      ]);
      assert.equal(body[2].interval_end, '2030-01-01T03:00:00Z');
    });

    test('intervals of a fraction of a second keep their length', async () => {
      const { body } = await server.post(
        '/flow_runs/history',
        span('2030-01-01T00:00:00Z', '2030-01-01T00:00:04Z', 1.5),
      );
      assert.deepEqual(
        body.map((interval: { interval_end: string }) => interval.interval_end),
        ['2030-01-01T00:00:01.500000Z', '2030-01-01T00:00:03Z', '2030-01-01T00:00:04.500000Z'],
      );
    });

    test('run times and lateness are summed for each state', async () => {
      const flow = await newFlow('sums');
      const late = await schedule(flow, '2020-01-01T00:00:00Z');
      const done = await schedule(flow, '2020-01-01T00:10:00Z');
      for (const type of ['RUNNING', 'COMPLETED']) {
        await server.post(`/flow_runs/${done.id}/set_state`, { state: { type }, force: true });
      }
      const finished = (await server.get(`/flow_runs/${done.id}`)).body;
      const { body } = await server.post('/flow_runs/history', {
        ...span('2020-01-01T00:00:00Z', '2020-01-02T00:00:00Z', 86_400),
        ...only(flow),
      });
      const [completed, scheduled] = body[0].states as CountedState[];
      assert.equal(completed?.state_type, 'COMPLETED');
      assert.ok(Math.abs((completed?.sum_estimated_run_time ?? 0) - finished.total_run_time) < 1e-6);
      assert.ok(Math.abs((completed?.sum_estimated_lateness ?? 0) - finished.estimated_start_time_delta) < 1e-3);
      assert.equal(scheduled?.sum_estimated_run_time, 0);
      const lateness = (await server.get(`/flow_runs/${late.id}`)).body.estimated_start_time_delta;
      assert.ok(Math.abs((scheduled?.sum_estimated_lateness ?? 0) - lateness) < 60);
      const mean = (await server.post('/flow_runs/lateness', only(flow))).body;
      assert.ok(Math.abs(mean - (lateness + finished.estimated_start_time_delta) / 2) < 60);
    });

    test('runs on time have zero lateness, and an empty set has none', async () => {
      const flow = await newFlow('punctual');
      assert.equal((await server.post('/flow_runs/lateness', only(flow))).body, null);
      await schedule(flow, '2040-01-01T00:00:00Z');
      assert.equal((await server.post('/flow_runs/lateness', only(flow))).body, 0);
    });

    test('task runs have a history too', async () => {
      const flow = await newFlow('tasks');
      const run = await schedule(flow, '2031-01-01T00:00:00Z');
      await server.post('/task_runs/', {
        flow_run_id: run.id,
        task_key: 'k',
        dynamic_key: '0',
        state: { type: 'SCHEDULED', name: 'Late', state_details: { scheduled_time: '2031-01-01T12:00:00Z' } },
      });
      const { body } = await server.post('/task_runs/history', {
        ...span('2031-01-01T00:00:00Z', '2031-01-02T00:00:00Z', 43_200),
        flow_runs: { id: { any_: [run.id] } },
      });
      assert.deepEqual(
        body.map((interval: { states: CountedState[] }) => interval.states.map((state) => state.state_name)),
        [[], ['Late']],
      );
    });

    test('a history of all runs has the same counts as the history of their flow', async () => {
      const flow = await newFlow('random');
      const times = ['00:00:00Z', '00:00:00.000001Z', '00:59:59.999999Z', '01:00:00Z', '01:30:00Z', '02:59:59Z'];
      const names: Record<string, (string | undefined)[]> = {
        COMPLETED: [undefined, undefined, 'Cached', 'completed'],
        FAILED: [undefined, 'TimedOut'],
        RUNNING: [undefined, 'Retrying'],
        CANCELLED: [undefined],
        SCHEDULED: ['Late', undefined],
      };
      const run = fc.record({
        time: fc.constantFrom(...times),
        states: fc.array(
          fc
            .constantFrom(...Object.keys(names))
            .chain((type) => fc.record({ type: fc.constant(type), name: fc.constantFrom(...names[type]!) })),
          { maxLength: 3 },
        ),
        isDeleted: fc.boolean(),
      });
      const stepSeconds = fc.constantFrom(600, 1800.5, 3600, 7200);
      await fc.assert(
        fc.asyncProperty(fc.array(run, { maxLength: 8 }), stepSeconds, async (runs, seconds) => {
          for (const { time, states, isDeleted } of runs) {
            const { id } = await schedule(flow, `2003-05-05T${time}`);
            for (const { type, name } of states) {
              await server.post(`/flow_runs/${id}/set_state`, { state: { type, name }, force: true });
            }
            if (isDeleted) await server.delete(`/flow_runs/${id}`);
          }
          const asked = span('2003-05-05T00:00:00Z', '2003-05-05T03:00:00Z', seconds);
          for (const state of [undefined, { type: { any_: ['COMPLETED', 'RUNNING'] } }, { name: { any_: ['Late'] } }]) {
            const flow_runs = state ? { state } : {};
            const all = await server.post('/flow_runs/history', { ...asked, flow_runs });
            const byFlow = await server.post('/flow_runs/history', { ...asked, flow_runs, ...only(flow) });
            assertSame(all.body, byFlow.body);
          }
        }),
        { numRuns: 12 },
      );
    });

    test('there are at most 500 intervals, and none when the end is not after the start', async () => {
      const many = await server.post('/flow_runs/history', span('2030-01-01T00:00:00Z', '2030-01-11T00:00:00Z', 1));
      assert.equal(many.body.length, 500);
      const none = await server.post('/flow_runs/history', span('2030-01-01T00:00:00Z', '2030-01-01T00:00:00Z', 60));
      assert.deepEqual(none.body, []);
    });

    test('the last hour of the calendar has a history', async () => {
      const { id } = await schedule(await newFlow('last'), '9999-12-31T23:50:00Z');
      await server.post(`/flow_runs/${id}/set_state`, { state: { type: 'COMPLETED' }, force: true });
      const asked = span('9999-12-31T22:45:00Z', '9999-12-31T23:55:00Z', 2100);
      const { body } = await server.post('/flow_runs/history', asked);
      assert.deepEqual(
        body.map(({ states }: { states: CountedState[] }) => states.map(({ count_runs }) => count_runs)),
        [[], [1]],
      );
    });

    test('an interval below a second, or beyond the calendar, is refused', async () => {
      for (const seconds of [0, 0.5, -3]) {
        const answer = await server.post(
          '/flow_runs/history',
          span('2030-01-01T00:00:00Z', '2030-01-01T01:00:00Z', seconds),
        );
        assert.equal(answer.status, 422);
        assert.deepEqual(answer.body, { detail: 'History interval must not be less than 1 second.' });
      }
      for (const seconds of [1e12, 1e300]) {
        const answer = await server.post(
          '/task_runs/history',
          span('2030-01-01T00:00:00Z', '2030-01-01T01:00:00Z', seconds),
        );
        assert.equal(answer.status, 422);
      }
    });
  });
}
