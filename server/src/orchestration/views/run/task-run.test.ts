import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { newId } from '../../../values/id.ts';

const traceback = `Task run failed with exception: ValueError('no rows')
Traceback (most recent call last):
  File "/venv/lib/python3.12/site-packages/prefect/task_engine.py", line 1, in run
    yield self
  File "/app/load.py", line 7, in load
    raise ValueError('no rows')
ValueError: no rows`;

for (const database of databases) {
  describe(`the view of a task run on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const newRun = async (name: string) => {
      const flow = (await server.post('/flows/', { name })).body.id as string;
      return (await server.post('/flow_runs/', { flow_id: flow, name: `${name}-run`, state: { type: 'RUNNING' } }))
        .body as { id: string };
    };
    const newTask = async (flow_run_id: string | null, name: string, task_inputs: object = {}) => {
      const { status, body, text } = await server.post('/task_runs/', {
        flow_run_id,
        name,
        task_key: name,
        dynamic_key: newId(),
        task_inputs,
        state: { type: 'PENDING' },
      });
      assert.equal(status, 201, text);
      return body as { id: string };
    };
    const setState = (id: string, state: object) => server.post(`/task_runs/${id}/set_state`, { state, force: true });
    const view = async (id: string) => {
      const { status, body, text } = await server.get(`/views/task_runs/${id}`);
      assert.equal(status, 200, text);
      return body;
    };

    test('names the source of each input and the consumers of the result', async () => {
      const run = await newRun('linked');
      const first = await newTask(run.id, 'extract-0');
      await setState(first.id, { type: 'COMPLETED' });
      const deleted = newId();
      const second = await newTask(run.id, 'load-0', {
        rows: [
          { input_type: 'task_run', id: first.id },
          { input_type: 'task_run', id: deleted },
        ],
        day: [{ input_type: 'parameter', name: 'day' }],
        size: [{ input_type: 'constant', type: 'int' }],
        nothing: [],
      });
      const { inputs, flow_run, failure, used_by } = await view(second.id);
      assert.deepEqual(flow_run, { id: run.id, name: 'linked-run', flow_name: 'linked' });
      assert.equal(failure, null);
      assert.deepEqual(used_by, []);
      const byName = new Map(inputs.map((input: { name: string }) => [input.name, input]));
      assert.deepEqual(byName.get('rows'), {
        name: 'rows',
        runs: [
          { kind: 'task_run', id: first.id, name: 'extract-0', state_type: 'COMPLETED', state_name: 'Completed' },
          { kind: 'task_run', id: deleted, name: null, state_type: null, state_name: null },
        ],
        run_count: 2,
        parameters: [],
        types: [],
      });
      assert.deepEqual(byName.get('day'), { name: 'day', runs: [], run_count: 0, parameters: ['day'], types: [] });
      assert.deepEqual(byName.get('size'), { name: 'size', runs: [], run_count: 0, parameters: [], types: ['int'] });
      assert.deepEqual(byName.get('nothing'), { name: 'nothing', runs: [], run_count: 0, parameters: [], types: [] });
      assert.deepEqual(
        (await view(first.id)).used_by.map(({ id, name }: { id: string; name: string }) => [id, name]),
        [[second.id, 'load-0']],
      );
    });

    test('names the first 100 runs of a long input and counts all', async () => {
      const run = await newRun('wide');
      const first = await newTask(run.id, 'extract-0');
      const rows = [{ input_type: 'task_run', id: first.id }];
      for (let index = 0; index < 120; index++) rows.push({ input_type: 'task_run', id: newId() });
      const { inputs } = await view((await newTask(run.id, 'reduce-0', { rows })).id);
      assert.equal(inputs[0].runs.length, 100);
      assert.equal(inputs[0].runs[0].name, 'extract-0');
      assert.equal(inputs[0].run_count, 121);
    });

    test('a failed task run shows the reason, its attempts and the line of user code', async () => {
      const run = await newRun('failing');
      const task = await newTask(run.id, 'load-0');
      for (const type of ['RUNNING', 'SCHEDULED', 'RUNNING']) await setState(task.id, { type });
      await setState(task.id, { type: 'FAILED', message: 'Task run encountered an exception ValueError: no rows' });
      const line = { name: 'prefect.task_runs', level: 40, message: traceback, timestamp: server.context().now };
      await server.post('/logs/', [{ ...line, flow_run_id: run.id, task_run_id: task.id }]);
      const { failure, states, task_run } = await view(task.id);
      assert.deepEqual(failure.exception, { type: 'ValueError', message: 'no rows' });
      assert.equal(failure.frames[failure.user_frame].file, '/app/load.py');
      assert.deepEqual(
        states.map(({ type }: { type: string }) => type),
        ['PENDING', 'RUNNING', 'SCHEDULED', 'RUNNING', 'FAILED'],
      );
      assert.equal(task_run.run_count, 2);
    });

    test('a task run of a subflow names the subflow run, and a background task run has no flow run', async () => {
      const run = await newRun('outer');
      const standIn = await newTask(run.id, 'inner-0');
      const flow_id = (await server.post('/flows/', { name: 'inner' })).body.id;
      const child = (await server.post('/flow_runs/', { flow_id, name: 'child', parent_task_run_id: standIn.id }))
        .body as { id: string };
      const { child: shown } = await view(standIn.id);
      assert.equal(shown.id, child.id);
      assert.equal(shown.name, 'inner / child');
      const background = await view((await newTask(null, 'send-0')).id);
      assert.equal(background.flow_run, null);
      assert.equal(background.child, null);
    });
  });
}
