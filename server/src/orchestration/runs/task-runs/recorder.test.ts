import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { stateEvent } from '../../../../test/support/events.ts';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { newId } from '../../../values/id.ts';

for (const database of databases) {
  describe(`recording task runs on ${database}`, () => {
    let server: TestServer;
    let flowRunId: string;
    before(async () => {
      server = await startServer({ database });
      const flow = await server.post('/flows/', { name: 'recorded' });
      flowRunId = (await server.post('/flow_runs/', { flow_id: flow.body.id, state: { type: 'RUNNING' } })).body.id;
    });
    after(() => server.stop());

    const send = async (...events: object[]) => {
      assert.equal((await server.post('/events', events)).status, 204);
    };
    const read = async (id: string) => (await server.get(`/task_runs/${id}`)).body;
    const statesOf = async (id: string): Promise<{ id: string; type: string }[]> =>
      (await server.get(`/task_run_states/?task_run_id=${id}`)).body;
    const typesOf = async (id: string) => (await statesOf(id)).map(({ type }) => type);

    test('an event becomes a task run with its state', async () => {
      const taskRunId = newId();
      const event = stateEvent({
        type: 'COMPLETED',
        taskRunId,
        flowRunId,
        occurred: '2026-11-20T16:09:07.282647Z',
        run: {
          name: 'add-74c',
          cache_key: 'c',
          cache_expiration: '2027-01-01T00:00:00+02:00',
          task_version: 'v1',
          empirical_policy: { max_retries: 3, retry_delay_seconds: 2.0, pause_keys: [] },
          tags: ['b', 'a'],
          labels: { team: 'x' },
          task_inputs: { x: [{ input_type: 'parameter', name: 'p' }] },
          run_count: 2,
          flow_run_run_count: 1,
          expected_start_time: '2026-11-20T16:09:06.701652Z',
          start_time: '2026-11-20T16:09:07Z',
          end_time: '2026-11-20T16:09:07.282647Z',
          total_run_time: 0.25,
        },
        state: { message: 'All good', state_details: { untrackable_result: true }, data: { type: 'result', key: 'k' } },
      });
      await send(event);
      const run = await read(taskRunId);
      assert.equal(run.name, 'add-74c');
      assert.equal(run.flow_run_id, flowRunId);
      assert.equal(run.cache_expiration, '2026-12-31T22:00:00Z');
      assert.deepEqual(run.empirical_policy, {
        max_retries: 3,
        retry_delay_seconds: 2,
        retries: 3,
        retry_delay: 2,
        retry_jitter_factor: null,
      });
      assert.deepEqual(run.tags, ['b', 'a']);
      assert.deepEqual(run.labels, { team: 'x' });
      assert.deepEqual(run.task_inputs, { x: [{ input_type: 'parameter', name: 'p' }] });
      assert.deepEqual([run.run_count, run.flow_run_run_count, run.total_run_time], [2, 1, 0.25]);
      assert.equal(run.end_time, '2026-11-20T16:09:07.282647Z');
      assert.deepEqual([run.state_id, run.state_type, run.state_name], [event.id, 'COMPLETED', 'Completed']);
      assert.equal(run.state.timestamp, '2026-11-20T16:09:07.282647Z');
      assert.equal(run.state.message, 'All good');
      assert.deepEqual(run.state.data, { type: 'result', key: 'k' });
      assert.equal(run.state.state_details.task_run_id, taskRunId);
      assert.equal(run.state.state_details.flow_run_id, flowRunId);
      assert.equal(run.state.state_details.untrackable_result, true);
    });

    test('numbers in state data keep their type', async () => {
      const taskRunId = newId();
      const text = JSON.stringify([stateEvent({ taskRunId, state: { data: { value: 'NUMBERS' } } })]);
      await server.post('/events', text.replace('"NUMBERS"', '[1.0,12345678901234567890]'));
      assert.match(
        (await server.get(`/task_runs/${taskRunId}`)).text,
        /"data":\{"value":\[1\.0,12345678901234567890\]\}/,
      );
    });

    test('states in any order, with repeats, end in the newest', async () => {
      const taskRunId = newId();
      const at = (second: number) => `2026-11-20T10:00:0${second}Z`;
      const pending = stateEvent({ type: 'PENDING', taskRunId, flowRunId, occurred: at(1) });
      const running = stateEvent({ type: 'RUNNING', taskRunId, flowRunId, occurred: at(2), run: { name: 'late' } });
      const completed = stateEvent({ type: 'COMPLETED', taskRunId, flowRunId, occurred: at(3), run: { name: 'done' } });
      await send(completed);
      await send(running, pending, running);
      await send(completed, pending);
      assert.deepEqual(await typesOf(taskRunId), ['PENDING', 'RUNNING', 'COMPLETED']);
      const run = await read(taskRunId);
      assert.deepEqual([run.name, run.state_type, run.state_id], ['done', 'COMPLETED', completed.id]);
    });

    test('the newest state also wins within one batch, and fields of older events stay', async () => {
      const taskRunId = newId();
      const at = (second: number) => `2026-11-20T11:00:0${second}Z`;
      await send(
        stateEvent({ type: 'PENDING', taskRunId, flowRunId, occurred: at(1), run: { task_version: 'v7' } }),
        stateEvent({ type: 'COMPLETED', taskRunId, flowRunId, occurred: at(3), run: { end_time: at(3) } }),
        stateEvent({ type: 'RUNNING', taskRunId, flowRunId, occurred: at(2), run: { name: 'too late' } }),
      );
      const run = await read(taskRunId);
      assert.deepEqual([run.state_type, run.name, run.task_version, run.end_time], ['COMPLETED', 'add-1', 'v7', at(3)]);
      assert.deepEqual(await typesOf(taskRunId), ['PENDING', 'RUNNING', 'COMPLETED']);
    });

    test('fields that an event omits stay, and null clears them', async () => {
      const taskRunId = newId();
      await send(
        stateEvent({ taskRunId, occurred: '2026-11-20T12:00:01Z', run: { cache_key: 'c', task_version: 'v' } }),
      );
      await send(stateEvent({ taskRunId, occurred: '2026-11-20T12:00:02Z', run: { cache_key: null, name: '' } }));
      const run = await read(taskRunId);
      assert.deepEqual([run.cache_key, run.task_version], [null, 'v']);
      assert.match(run.name, /^[a-z]+-[a-z]+$/);
    });

    test('an event belongs to the run with its natural key, whatever its id', async () => {
      const keys = { task_key: 'same', dynamic_key: 'one' };
      const { body: stored } = await server.post('/task_runs/', { ...keys, flow_run_id: flowRunId, tags: ['old'] });
      const taskRunId = newId();
      await send(stateEvent({ taskRunId, flowRunId, taskKey: 'same', dynamicKey: 'one', run: { tags: ['new'] } }));
      assert.equal((await server.get(`/task_runs/${taskRunId}`)).status, 404);
      const run = await read(stored.id);
      assert.deepEqual([run.state_type, run.tags, run.created], ['RUNNING', ['new'], stored.created]);
      assert.equal(run.state.state_details.task_run_id, stored.id);
      assert.deepEqual(await typesOf(stored.id), ['PENDING', 'RUNNING']);
    });

    test('two runs of one batch with one natural key are one run', async () => {
      const [first, second] = [newId(), newId()];
      const keys = { flowRunId, taskKey: 'twice', dynamicKey: '0' };
      await send(
        stateEvent({ ...keys, type: 'PENDING', taskRunId: first, occurred: '2026-11-20T13:00:01Z' }),
        stateEvent({ ...keys, type: 'RUNNING', taskRunId: second, occurred: '2026-11-20T13:00:02Z' }),
      );
      assert.deepEqual(await typesOf(first), ['PENDING', 'RUNNING']);
      assert.equal((await server.get(`/task_runs/${second}`)).status, 404);
    });

    test('filters find tags as the last event set them', async () => {
      const taskRunId = newId();
      const found = async (tag: string) =>
        (await server.post('/task_runs/filter', { task_runs: { tags: { all_: [tag] } } })).body.length;
      await send(stateEvent({ taskRunId, occurred: '2026-11-20T14:00:01Z', run: { tags: ['red', 'red', 'blue'] } }));
      assert.deepEqual([await found('red'), await found('blue'), await found('green')], [1, 1, 0]);
      await send(stateEvent({ taskRunId, occurred: '2026-11-20T14:00:02Z', run: { tags: ['green'] } }));
      assert.deepEqual([await found('red'), await found('blue'), await found('green')], [0, 0, 1]);
    });

    test('a scheduled state without a time is due at once, and one with a time at that time', async () => {
      const [now, later] = [newId(), newId()];
      const due = { state_details: { scheduled_time: '2030-01-01T00:00:00Z' } };
      await send(
        stateEvent({ type: 'SCHEDULED', taskRunId: now }),
        stateEvent({ type: 'SCHEDULED', taskRunId: later, state: due }),
      );
      assert.ok((await read(now)).state.state_details.scheduled_time);
      assert.equal((await read(later)).state.state_details.scheduled_time, '2030-01-01T00:00:00Z');
    });

    test('an event with a missing flow run is stored without its run; the other events of the batch are recorded', async () => {
      const [lost, kept] = [newId(), newId()];
      const event = stateEvent({ taskRunId: lost, flowRunId: newId() });
      await send(event, stateEvent({ taskRunId: kept, flowRunId }));
      assert.equal((await server.get(`/task_runs/${lost}`)).status, 404);
      assert.equal((await read(kept)).state_type, 'RUNNING');
      const stored = await server.post('/events/filter', { filter: { id: { id: [event.id] } } });
      assert.equal(stored.body.total, 1);
    });

    test('an event of an invalid task run is stored, and has no other effect', async () => {
      const runs: readonly [string, object][] = [
        ['no key', { task_key: undefined }],
        ['no dynamic key', { dynamic_key: null }],
        ['a word for a number', { run_count: 'many' }],
        ['a text for a list', { tags: 'abc' }],
        ['no time', { start_time: 'yesterday' }],
        ['a number for a policy', { empirical_policy: 7 }],
        ['unknown inputs', { task_inputs: { x: [{ input_type: 'thing' }] } }],
        ['nested labels', { labels: { a: {} } }],
      ];
      const events = [
        ...runs.map(([, run]) => stateEvent({ flowRunId, run: run as Record<string, unknown> })),
        stateEvent({ flowRunId, state: { type: 'NOPE' } }),
        stateEvent({ flowRunId, state: { state_details: null } }),
        stateEvent({ flowRunId, payload: {} }),
        stateEvent({ flowRunId, payload: { task_run: [], validated_state: 1 } }),
        stateEvent({ flowRunId, resource: { 'prefect.resource.id': 'prefect.task-run.no-id' } }),
        stateEvent({ flowRunId: 'no-id' }),
      ];
      const before = (await server.post('/task_runs/count', {})).body;
      await send(...events);
      assert.equal((await server.post('/task_runs/count', {})).body, before);
      const ids = events.map(({ id }) => id);
      assert.equal((await server.post('/events/filter', { filter: { id: { id: ids } } })).body.total, events.length);
    });

    test('only events of client-side orchestration are recorded', async () => {
      const [server1, unrelated, odd] = [newId(), newId(), newId()];
      const orchestration = (value: string, id: string) => ({
        'prefect.resource.id': `prefect.task-run.${id}`,
        'prefect.orchestration': value,
      });
      await send(
        stateEvent({ taskRunId: server1, resource: orchestration('server', server1) }),
        stateEvent({ taskRunId: unrelated, event: 'my.task-run.Running' }),
        stateEvent({ taskRunId: odd, event: 'prefect.task-run.What ever' }),
      );
      assert.equal((await server.get(`/task_runs/${server1}`)).status, 404);
      assert.equal((await server.get(`/task_runs/${unrelated}`)).status, 404);
      assert.equal((await read(odd)).state_type, 'RUNNING');
    });

    test('a state is stored without the characters that a text column cannot hold', async () => {
      const taskRunId = newId();
      await send(stateEvent({ taskRunId, state: { message: 'a\0b \ud800' }, run: { name: 'n\0' } }));
      const run = await read(taskRunId);
      assert.deepEqual([run.name, run.state.message], ['n', 'ab \ufffd']);
    });
  });
}
