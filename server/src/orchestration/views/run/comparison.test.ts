import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { newId } from '../../../values/id.ts';
import { addSeconds } from '../../../values/time.ts';
import { pairedTasks } from './comparison.ts';

const task = (key: string, run_time: number) => ({
  key,
  count: 1,
  failed: 0,
  run_time,
  id: newId(),
  is_subflow: false,
});

test('tasks are paired by key, then by name, and the greatest difference comes first', () => {
  const a = [task('extract-00000001', 3), task('load-00000002', 10), task('old', 1), task('same-00000003', 5)];
  const b = [task('new-00000009', 4), task('extract-00000005', 9), task('load-00000002', 2), task('same-00000003', 5)];
  assert.deepEqual(
    pairedTasks(a, b).map(({ name, a, b, is_changed }) => [name, a?.run_time ?? null, b?.run_time ?? null, is_changed]),
    [
      ['load', 10, 2, false],
      ['extract', 3, 9, true],
      ['new', null, 4, false],
      ['old', 1, null, false],
      ['same', 5, 5, false],
    ],
  );
});

interface Made {
  readonly id: string;
}

for (const database of databases) {
  describe(`two runs side by side on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const made = async (path: string, body: object): Promise<Made> => {
      const answer = await server.post(path, body);
      assert.ok(answer.status < 300, answer.text);
      return answer.body;
    };
    const newRun = async (flow: string, more: object = {}): Promise<Made> => {
      const { id: flow_id } = await made('/flows/', { name: flow });
      return made('/flow_runs/', { flow_id, state: { type: 'RUNNING' }, ...more });
    };
    const runTask = async (run: Made, task_key: string, type = 'COMPLETED') => {
      const { id } = await made('/task_runs/', { flow_run_id: run.id, task_key, dynamic_key: newId() });
      for (const state of ['RUNNING', type]) {
        await made(`/task_runs/${id}/set_state`, { state: { type: state }, force: true });
      }
      return id;
    };
    const runTime = async (id: string): Promise<number> => (await server.get(`/task_runs/${id}`)).body.total_run_time;
    const comparison = async (a: Made, b: Made) => {
      const { status, body, text } = await server.get(`/views/flow_runs/${a.id}/comparison/${b.id}`);
      assert.equal(status, 200, text);
      return body;
    };

    test('shows what differs in what they were given, and the times of their tasks', async () => {
      const a = await newRun('nightly', { parameters: { columns: ['id', 'currency'] }, tags: ['eu'] });
      const b = await newRun('nightly', { parameters: { columns: ['id'] }, job_variables: { cpu: 2 } });
      const extracted = [await runTask(a, 'extract-00000001'), await runTask(a, 'extract-00000001')];
      const failed = await runTask(b, 'extract-00000002', 'FAILED');
      const loaded = await runTask(b, 'load-00000003');
      const { parameters, job_variables, tasks, are_all_tasks, ...runs } = await comparison(a, b);
      assert.deepEqual(parameters, [{ name: 'columns', before: '"currency"', now: null }]);
      assert.deepEqual(job_variables, [{ name: 'cpu', before: null, now: '2' }]);
      const byName = new Map<string, (typeof tasks)[number]>(tasks.map((one: { name: string }) => [one.name, one]));
      const [extract, load] = [byName.get('extract'), byName.get('load')];
      const [one = 0, two = 0] = await Promise.all(extracted.map(runTime));
      assert.deepEqual([extract.a.count, extract.a.run_time], [2, Math.round((one + two) * 1e6) / 1e6]);
      assert.deepEqual([extract.b.id, extract.b.failed, extract.is_changed], [failed, 1, true]);
      assert.deepEqual([load.a, load.b.id, load.b.run_time], [null, loaded, await runTime(loaded)]);
      assert.equal(are_all_tasks, true);
      assert.deepEqual([runs.a.id, runs.a.flow.name, runs.a.tags], [a.id, 'nightly', ['eu']]);
      assert.deepEqual([runs.b.id, runs.b.states.length], [b.id, 1]);
    });

    test('stands for a subflow with the run of that', async () => {
      const [a, b] = [await newRun('outer'), await newRun('outer')];
      const { id } = await made('/task_runs/', { flow_run_id: a.id, task_key: 'clean', dynamic_key: '0' });
      const child = await newRun('clean', { parent_task_run_id: id });
      const { tasks } = await comparison(a, b);
      assert.deepEqual([tasks[0].a.id, tasks[0].a.is_subflow, tasks[0].b], [child.id, true, null]);
    });

    test('a run that does not exist is not compared', async () => {
      const run = await newRun('alone');
      for (const [a, b] of [
        [run.id, newId()],
        [newId(), run.id],
      ]) {
        const { status, body } = await server.get(`/views/flow_runs/${a}/comparison/${b}`);
        assert.deepEqual([status, body.detail], [404, 'Flow run not found']);
      }
    });

    test('a log is read with its beginning and its end', async () => {
      const run = await newRun('talking');
      const line = (index: number) => ({
        name: 'prefect',
        level: 20,
        message: index === 1 ? `${'x'.repeat(5000)} end` : `line ${index}`,
        timestamp: addSeconds(server.context().now, index),
        flow_run_id: run.id,
      });
      const excerpt = async () => (await server.get(`/views/flow_runs/${run.id}/log_excerpt`)).body;
      const write = (from: number, count: number) =>
        made(
          '/logs/',
          Array.from({ length: count }, (_, index) => line(from + index)),
        );
      await write(0, 1000);
      const { logs, gap } = await excerpt();
      assert.deepEqual([logs.length, gap], [1000, null]);
      assert.equal(logs[1].message.length, 4000);
      assert.ok(logs[1].message.endsWith('x end'));
      await write(1000, 1);
      const long = await excerpt();
      assert.deepEqual([long.logs.length, long.gap], [1000, 500]);
      assert.deepEqual(
        [499, 500, 999].map((index) => long.logs[index].message),
        ['line 499', 'line 501', 'line 1000'],
      );
      assert.equal((await server.get(`/views/flow_runs/${newId()}/log_excerpt`)).status, 404);
    });

    test('a timeline says why attempts failed', async () => {
      const run = await newRun('unsteady');
      const { id } = await made('/task_runs/', { flow_run_id: run.id, task_key: 'load', dynamic_key: '0' });
      const set = (state: object) => made(`/task_runs/${id}/set_state`, { state, force: true });
      await set({ type: 'RUNNING' });
      const log = (message: string) =>
        made('/logs/', [
          {
            name: 'prefect.task_runs',
            level: 20,
            message,
            timestamp: server.context().now,
            flow_run_id: run.id,
            task_run_id: id,
          },
        ]);
      await log("Task run failed with exception: KeyError('day - Retry') - Retry 1/1 will start 3 second(s) from now");
      await set({ type: 'SCHEDULED', name: 'AwaitingRetry' });
      await log('something else');
      await set({ type: 'RUNNING' });
      await set({ type: 'FAILED', message: 'Task run encountered an exception ValueError: no rows\nat all' });
      const { errors, id: ids } = (await server.get(`/views/flow_runs/${run.id}/timeline`)).body;
      assert.deepEqual(errors, [
        { task: 0, try: 1, message: "KeyError: 'day - Retry'" },
        { task: 0, try: 2, message: 'ValueError: no rows' },
      ]);
      assert.deepEqual(ids, [id]);
    });

    test('the view of a run names the run before it', async () => {
      const [first, second] = [await newRun('twice'), await newRun('twice')];
      const previous = async ({ id }: Made) => (await server.get(`/views/flow_runs/${id}`)).body.previous;
      assert.equal((await previous(second)).id, first.id);
      assert.equal(await previous(first), null);
    });
  });
}
