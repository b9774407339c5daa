import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';

const unknownId = '00000000-0000-4000-8000-000000000000';

for (const database of databases) {
  describe(`task runs on ${database}`, () => {
    let server: TestServer;
    let flowRunId: string;
    before(async () => {
      server = await startServer({ database });
      const { body: flow } = await server.post('/flows/', { name: 'tasks', labels: { team: 'a', size: 1 } });
      flowRunId = (await server.post('/flow_runs/', { flow_id: flow.id })).body.id;
    });
    after(() => server.stop());

    let counter = 0;
    const create = async (fields: object = {}) => {
      counter += 1;
      const body = { flow_run_id: flowRunId, task_key: 'task', dynamic_key: String(counter), ...fields };
      const answer = await server.post('/task_runs/', body);
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    };
    const read = async (id: string) => (await server.get(`/task_runs/${id}`)).body;
    const propose = (id: string, state: object, force = false) =>
      server.post(`/task_runs/${id}/set_state`, { state, force });

    test('a new task run is pending, named, and has the labels of its flow run', async () => {
      const run = await create({ labels: { team: 'b' }, tags: ['x', 'x'] });
      assert.match(run.name, /^[a-z]+-[a-z]+$/);
      assert.equal(run.state.type, 'PENDING');
      assert.equal(run.state.state_details.task_run_id, run.id);
      assert.equal(run.state.state_details.flow_run_id, flowRunId);
      assert.equal(run.expected_start_time, run.state.timestamp);
      assert.equal(run.labels.team, 'b');
      assert.equal(run.labels.size, 1);
      assert.equal(run.labels['prefect.flow-run.id'], flowRunId);
      assert.deepEqual(run.tags, ['x', 'x']);
      const { estimated_start_time_delta: _then, ...created } = run;
      const { estimated_start_time_delta: _now, ...stored } = await read(run.id);
      assert.deepEqual(stored, created);
    });

    test('the same task key and dynamic key of a flow run are the same task run', async () => {
      const first = await create({ task_key: 'same', dynamic_key: '0', name: 'first' });
      const again = await server.post('/task_runs/', {
        flow_run_id: flowRunId,
        task_key: 'same',
        dynamic_key: '0',
        name: 'second',
        state: { type: 'RUNNING' },
      });
      assert.equal(again.status, 200);
      assert.equal(again.body.id, first.id);
      assert.equal(again.body.name, 'first');
      assert.equal(again.body.state_type, 'PENDING');
    });

    test('background task runs have no flow run and are also identified by their keys', async () => {
      const first = await create({ flow_run_id: null, task_key: 'background', dynamic_key: 'a' });
      assert.deepEqual(first.labels, {});
      const again = await server.post('/task_runs/', { task_key: 'background', dynamic_key: 'a' });
      assert.equal(again.status, 200);
      assert.equal(again.body.id, first.id);
    });

    test('an id may be chosen, once', async () => {
      const id = '00000000-0000-4000-8000-00000000000A';
      const run = await create({ id });
      assert.equal(run.id, id.toLowerCase());
      const taken = await server.post('/task_runs/', {
        id,
        flow_run_id: flowRunId,
        task_key: 'other',
        dynamic_key: '0',
      });
      assert.equal(taken.status, 409);
    });

    test('a task run of an unknown flow run is refused', async () => {
      const answer = await server.post('/task_runs/', { flow_run_id: unknownId, task_key: 'k', dynamic_key: '0' });
      assert.equal(answer.status, 409);
      assert.match(answer.body.detail, /^Data integrity conflict/);
    });

    test('old names of retry settings fill the new ones, and unknown parts of inputs are dropped', async () => {
      const run = await create({
        empirical_policy: { max_retries: 3, retry_delay_seconds: 2 },
        task_inputs: {
          x: [
            { id: flowRunId, more: 1 },
            { input_type: 'constant', type: 'int' },
          ],
        },
      });
      assert.equal(run.empirical_policy.retries, 3);
      assert.equal(run.empirical_policy.retry_delay, 2);
      assert.deepEqual(run.task_inputs, {
        x: [
          { input_type: 'task_run', id: flowRunId },
          { input_type: 'constant', type: 'int' },
        ],
      });
    });

    test('a task run is renamed, and one without a name gets a random one', async () => {
      const { id } = await create({ name: 'before' });
      assert.equal((await server.patch(`/task_runs/${id}`, { name: 'after' })).status, 204);
      assert.equal((await read(id)).name, 'after');
      await server.patch(`/task_runs/${id}`, {});
      assert.equal((await read(id)).name, 'after');
      await server.patch(`/task_runs/${id}`, { name: '' });
      assert.match((await read(id)).name, /^[a-z]+-[a-z]+$/);
    });

    test('states are proposed, kept in their order, and found by id', async () => {
      const run = await create();
      const refused = await propose(run.id, { type: 'RUNNING' });
      assert.equal(refused.status, 200);
      assert.equal(refused.body.status, 'ABORT');
      assert.equal((await propose(run.id, { type: 'RUNNING' }, true)).status, 201);
      const done = await propose(run.id, { type: 'COMPLETED', data: { result: 1.0 } }, true);
      assert.equal(done.body.status, 'ACCEPT');
      const { body: states } = await server.get(`/task_run_states/?task_run_id=${run.id}`);
      assert.deepEqual(
        states.map((state: { type: string }) => state.type),
        ['PENDING', 'RUNNING', 'COMPLETED'],
      );
      const { body: last } = await server.get(`/task_run_states/${done.body.state.id}`);
      assert.deepEqual(last, states[2]);
      const finished = await read(run.id);
      assert.equal(finished.run_count, 1);
      assert.equal(finished.end_time, last.timestamp);
    });

    test('a failed task run waits for its retry, also where its policy has whole floats', async () => {
      const { body: flow } = await server.post('/flows/', { name: 'retried' });
      const flow_run = (await server.post('/flow_runs/', { flow_id: flow.id, state: { type: 'RUNNING' } })).body;
      const waits = async (key: string, policy: string) => {
        const keys = `"flow_run_id":"${flow_run.id}","task_key":"retried","dynamic_key":"${key}"`;
        const { body: run } = await server.post('/task_runs/', `{${keys},"empirical_policy":${policy}}`);
        await propose(run.id, { type: 'RUNNING' });
        const { status, body } = await propose(run.id, { type: 'FAILED' });
        assert.deepEqual([status, body.state.name], [201, 'AwaitingRetry']);
        return (Date.parse(body.state.state_details.scheduled_time) - Date.parse(body.state.timestamp)) / 1000;
      };
      const within = (seconds: number, least: number, most: number) =>
        assert.ok(seconds > least - 2 && seconds < most + 2, `${seconds} s`);
      within(await waits('0', '{"retries":1,"retry_delay":[100.0],"retry_jitter_factor":0}'), 100, 100);
      within(await waits('1', '{"retries":1,"retry_delay":100,"retry_jitter_factor":1}'), 50, 200);
    });

    test('task runs of equal durations go by their expected start, the latest first', async () => {
      const flow_id = (await server.post('/flows/', { name: 'ties' })).body.id;
      const flow_run_id = (await server.post('/flow_runs/', { flow_id })).body.id;
      for (const hour of [3, 1, 4, 0, 2]) {
        const state_details = { scheduled_time: `2026-12-01T0${hour}:00:00Z` };
        await create({ flow_run_id, name: String(hour), state: { type: 'SCHEDULED', state_details } });
      }
      const names = async (sort: string, more: object = {}) => {
        const asked = { sort, flow_runs: { id: { any_: [flow_run_id] } }, ...more };
        return (await server.post('/task_runs/filter', asked)).body.map(({ name }: { name: string }) => name);
      };
      for (const sort of ['DURATION_ASC', 'DURATION_DESC']) {
        assert.deepEqual(await names(sort), ['4', '3', '2', '1', '0']);
        const pages = [];
        for (const offset of [0, 2, 4]) pages.push(...(await names(sort, { limit: 2, offset })));
        assert.deepEqual(pages, ['4', '3', '2', '1', '0']);
      }
    });

    test('a missing run has an empty history, and a history needs a run', async () => {
      assert.deepEqual((await server.get(`/task_run_states/?task_run_id=${unknownId}`)).body, []);
      assert.deepEqual((await server.get(`/flow_run_states/?flow_run_id=${unknownId}`)).body, []);
      for (const path of ['/task_run_states/', '/flow_run_states/']) {
        assert.equal((await server.get(path)).status, 422);
      }
    });

    test('deleting a task run deletes its logs', async () => {
      const [gone, kept] = [await create(), await create()];
      const log = { name: 'prefect.task_runs', level: 20, timestamp: '2026-11-20T00:00:00Z' };
      const logs = [gone, kept].map(({ id }) => ({ ...log, message: id, task_run_id: id }));
      assert.equal((await server.post('/logs/', logs)).status, 201);
      await server.delete(`/task_runs/${gone.id}`);
      const filter = { logs: { task_run_id: { any_: [gone.id, kept.id] } } };
      const { body: found } = await server.post('/logs/filter', filter);
      assert.deepEqual(
        found.map(({ message }: { message: string }) => message),
        [kept.id],
      );
    });

    test('deleting a task run keeps the flow run that it started, without a parent', async () => {
      const { body: flow } = await server.post('/flows/', { name: 'children' });
      const parent = await create();
      const { body: child } = await server.post('/flow_runs/', { flow_id: flow.id, parent_task_run_id: parent.id });
      assert.equal((await server.delete(`/task_runs/${parent.id}`)).status, 204);
      assert.equal((await server.get(`/task_runs/${parent.id}`)).status, 404);
      assert.equal((await server.get(`/flow_runs/${child.id}`)).body.parent_task_run_id, null);
      assert.deepEqual((await server.get(`/task_run_states/?task_run_id=${parent.id}`)).body, []);
    });

    test('filters, pages and counts see the same runs', async () => {
      const { body: flow } = await server.post('/flows/', { name: 'pages' });
      const { body: run } = await server.post('/flow_runs/', { flow_id: flow.id, tags: ['paged'] });
      for (const name of ['c', 'a', 'b']) await create({ flow_run_id: run.id, name, tags: [name, 'all'] });
      const flow_runs = { tags: { all_: ['paged'] } };
      const names = async (body: object) =>
        (await server.post('/task_runs/filter', { flow_runs, ...body })).body.map(
          (task: { name: string }) => task.name,
        );
      assert.deepEqual(await names({ sort: 'NAME_ASC' }), ['a', 'b', 'c']);
      assert.deepEqual(await names({}), ['b', 'a', 'c']);
      assert.deepEqual(await names({ task_runs: { tags: { all_: ['all', 'c'] } } }), ['c']);
      assert.equal((await server.post('/task_runs/count', { flow_runs })).body, 3);
      const page = await server.post('/task_runs/paginate', { flow_runs, sort: 'NAME_DESC', limit: 2, page: 2 });
      assert.equal(page.body.count, 3);
      assert.equal(page.body.pages, 2);
      const [item] = page.body.results;
      assert.equal(item.name, 'a');
      assert.equal(item.state.type, 'PENDING');
      assert.equal('dynamic_key' in item, false);
    });

    test('GET on the collection lists it, newest first', async () => {
      const newest = await create({ name: 'newest' });
      const listed = await server.get('/task_runs/?limit=1');
      assert.equal(listed.status, 200);
      assert.equal(listed.body[0].id, newest.id);
    });
  });
}
