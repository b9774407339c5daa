import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { newId } from '../../../values/id.ts';

interface Named {
  readonly name: string;
}

interface Value {
  readonly value: string;
  readonly count: number;
}

for (const database of databases) {
  describe(`narrowed lists of runs on ${database}`, () => {
    let server: TestServer;
    const post = async (path: string, body: object, expected = [200, 201]) => {
      const { status, body: answer, text } = await server.post(path, body);
      assert.ok(expected.includes(status), `${path} ${status}: ${text}`);
      return answer;
    };
    const setState = (kind: 'flow_runs' | 'task_runs', id: string, state: object) =>
      post(`/${kind}/${id}/set_state`, { state, force: true });

    before(async () => {
      server = await startServer({ database });
      const [etl, report] = [await post('/flows/', { name: 'etl' }), await post('/flows/', { name: 'report' })];
      await post('/work_pools/', { name: 'gpu-k8s', type: 'process', base_job_template: {} });
      const deploy = (flow_id: string, pool: object) =>
        post('/deployments/', { flow_id, name: 'nightly', ...pool }) as Promise<{ id: string }>;
      const nightly = await deploy(etl.id, { work_pool_name: 'gpu-k8s' });
      await deploy(report.id, {});
      const run = async (flow_id: string, name: string, more: object = {}) =>
        (await post('/flow_runs/', { flow_id, name, ...more })) as { id: string };
      const end = async ({ id }: { id: string }, state: object, tries = 1) => {
        for (let attempt = 0; attempt < tries; attempt++) {
          await setState('flow_runs', id, { type: 'PENDING' });
          await setState('flow_runs', id, { type: 'RUNNING' });
        }
        await setState('flow_runs', id, state);
      };
      const good = await run(etl.id, 'good', {
        tags: ['prod', 'daily'],
        parameters: { region: 'eu', size: 3, fast: true, words: 'a "quoted" word' },
      });
      await end(good, { type: 'COMPLETED' });
      const raised = (text: string) => `Flow run encountered an exception: ${text}`;
      const keyed = await run(etl.id, 'keyed', { tags: ['prod'], parameters: { region: 'us', size: 30, fast: false } });
      await end(keyed, { type: 'FAILED', message: raised("KeyError: 'row 7' is missing") }, 3);
      await end(await run(report.id, 'timed'), {
        type: 'FAILED',
        name: 'TimedOut',
        message: raised('TimeoutError: 5 s'),
      });
      await end(await run(report.id, 'crashed'), { type: 'CRASHED', message: 'Exit code 137.' });
      const task = await post('/task_runs/', {
        flow_run_id: good.id,
        name: 'load-0',
        task_key: 'load-1f3a9c2e',
        dynamic_key: newId(),
        tags: ['slow'],
        state: { type: 'COMPLETED' },
      });
      await post('/task_runs/', {
        flow_run_id: keyed.id,
        name: 'transform-0',
        task_key: 'transform-aa11bb22',
        dynamic_key: newId(),
        state: { type: 'FAILED', message: 'broken' },
      });
      await run(etl.id, 'child', { parent_task_run_id: task.id });
      await post(`/deployments/${nightly.id}/create_flow_run`, { name: 'waiting' });
      await run(etl.id, 'late', { state: { type: 'SCHEDULED', name: 'Late' } });
    });
    after(() => server.stop());

    const where = (field: string, values: string[], not = false) => ({ field, values, not });
    const namesOf = async (conditions: object[], more: object = {}) => {
      const { runs } = await post('/views/runs', { where: conditions, ...more });
      return (runs as Named[]).map(({ name }) => name).toSorted();
    };
    const others = (...names: string[]) =>
      ['child', 'crashed', 'good', 'keyed', 'late', 'timed', 'waiting'].filter((name) => !names.includes(name));

    const selected: Readonly<Record<string, readonly [field: string, values: string[], names: string[]]>> = {
      'a flow': ['flow', ['report'], ['crashed', 'timed']],
      'two flows': ['flow', ['report', 'etl', 'none'], others()],
      'a flow that does not exist': ['flow', ['none'], []],
      'a deployment': ['deployment', ['nightly'], ['waiting']],
      'a deployment of a flow': ['deployment', ['etl/nightly'], ['waiting']],
      'a deployment of another flow': ['deployment', ['report/nightly'], []],
      'a work pool': ['work_pool', ['gpu-k8s'], ['waiting']],
      'a work queue of a pool': ['work_queue', ['gpu-k8s/default'], ['waiting']],
      'a work queue': ['work_queue', ['default'], ['waiting']],
      'a tag': ['tag', ['prod'], ['good', 'keyed']],
      'one of two tags': ['tag', ['daily', 'none'], ['good']],
      'a type of states, in any case': ['state', ['Failed'], ['keyed', 'timed']],
      'the name of a state': ['state', ['TimedOut'], ['timed']],
      'late runs': ['state', ['late'], ['late']],
      'a type and a name': ['state', ['crashed', 'TimedOut'], ['crashed', 'timed']],
      'more than one try': ['tries', ['>1'], ['keyed']],
      'a number of tries': ['tries', ['3'], ['keyed']],
      'a short duration': ['duration', ['<3600'], others()],
      'a text parameter': ['parameter', ['region=eu'], ['good']],
      'a number parameter': ['parameter', ['size=3'], ['good']],
      'a truth value': ['parameter', ['fast=true'], ['good']],
      'the other truth value': ['parameter', ['fast=false'], ['keyed']],
      'a text in parameters': ['parameter', ['"QUOTED" word'], ['good']],
      'a cause': ['cause', ['KeyError: … is missing'], ['keyed']],
      'a part of a cause': ['cause', ['exit code'], ['crashed']],
      'a part of a name': ['name', ['OO'], ['good']],
      subflows: ['subflow', ['yes'], ['child']],
      'failed attempts': ['failed', ['yes'], ['crashed', 'keyed', 'timed']],
    };
    for (const [title, [field, values, names]] of Object.entries(selected)) {
      test(`${title}: the runs that have it, those that do not, and their count`, async () => {
        assert.deepEqual(await namesOf([where(field, values)]), names);
        assert.deepEqual(await namesOf([where(field, values, true)]), others(...names));
        const history = { start: '2000-01-01T00:00:00Z', end: '2100-01-01T00:00:00Z', intervals: 1 };
        const { count } = await post('/views/runs', { where: [where(field, values)], history });
        assert.equal(count, names.length);
      });
    }

    test('all conditions hold together, and with the filters', async () => {
      assert.deepEqual(await namesOf([where('flow', ['etl']), where('tag', ['prod']), where('tag', ['daily'], true)]), [
        'keyed',
      ]);
      assert.deepEqual(await namesOf([where('tag', ['prod']), where('tag', ['daily'])]), ['good']);
      const flow_runs = { tags: { all_: ['prod'] } };
      assert.deepEqual(await namesOf([where('state', ['failed'])], { flow_runs }), ['keyed']);
      const either = { flow_runs: { operator: 'or_', tags: { all_: ['daily'] }, name: { any_: ['crashed'] } } };
      assert.deepEqual(await namesOf([where('state', ['crashed', 'completed'])], either), ['crashed', 'good']);
      for (const sort of ['NAME_ASC', 'RUN_TIME_DESC', 'STATE_ASC', 'START_TIME_ASC']) {
        assert.deepEqual(await namesOf([where('tries', ['>=1'], true)], { sort }), ['child', 'late', 'waiting'], sort);
      }
    });

    test('a wrong value is refused with the place of its condition', async () => {
      const refusedAt = async (conditions: unknown) => {
        const body = await post('/views/runs', { where: conditions }, [422]);
        return (body.exception_detail as { loc: unknown[] }[]).map(({ loc }) => loc.join('.'));
      };
      assert.deepEqual(await refusedAt([where('tries', ['many'])]), ['body.where.0.values']);
      assert.deepEqual(await refusedAt([where('tag', ['x']), where('subflow', ['maybe'])]), ['body.where.1.values']);
      assert.deepEqual(await refusedAt([where('colour', ['red'])]), ['body.where.0.field']);
      assert.deepEqual(await refusedAt([where('tag', [])]), ['body.where.0.values']);
      assert.deepEqual(await refusedAt([where('tag', ['x'.repeat(301)])]), ['body.where.0.values.0']);
    });

    const valuesOf = async (list: 'runs' | 'task_runs', field: string, more: object = {}) => {
      const { values, counted_since } = await post(`/views/${list}/values`, { field, ...more });
      assert.equal(counted_since, null);
      return Object.fromEntries((values as Value[]).map(({ value, count }) => [value, count]));
    };

    test('values are counted under the conditions on other fields', async () => {
      assert.deepEqual(await valuesOf('runs', 'flow'), { etl: 5, report: 2 });
      assert.deepEqual(await valuesOf('runs', 'flow', { where: [where('flow', ['etl']), where('tag', ['prod'])] }), {
        etl: 2,
        report: 0,
      });
      assert.deepEqual(await valuesOf('runs', 'tag', { text: 'PRO' }), { prod: 2 });
      assert.deepEqual(await valuesOf('runs', 'state'), {
        failed: 2,
        pending: 1,
        scheduled: 2,
        completed: 1,
        crashed: 1,
        TimedOut: 1,
        late: 1,
      });
      assert.deepEqual(await valuesOf('runs', 'deployment'), { 'etl/nightly': 1, 'report/nightly': 0 });
      assert.deepEqual(await valuesOf('runs', 'work_pool'), { 'gpu-k8s': 1 });
      assert.deepEqual(await valuesOf('runs', 'work_queue'), { 'gpu-k8s/default': 1 });
      assert.deepEqual(await valuesOf('runs', 'parameter', { text: 'fast' }), { 'fast=false': 1, 'fast=true': 1 });
      assert.deepEqual(await valuesOf('runs', 'cause', { text: 'key' }), { 'KeyError: … is missing': 1 });
      assert.deepEqual(await valuesOf('runs', 'tries'), { 0: 3, 1: 3, 3: 1 });
      assert.deepEqual(await valuesOf('runs', 'subflow'), { no: 6, yes: 1 });
      assert.deepEqual(await valuesOf('runs', 'failed'), { no: 4, yes: 3 });
      assert.deepEqual(await valuesOf('runs', 'name', { text: 'late' }), { late: 1 });
      assert.deepEqual(Object.keys(await valuesOf('runs', 'flow', { limit: 1 })), ['etl']);
    });

    test('every value that a field suggests selects the runs that it was counted in', async () => {
      for (const field of [
        'flow',
        'deployment',
        'work_pool',
        'work_queue',
        'tag',
        'state',
        'tries',
        'duration',
        'parameter',
        'cause',
        'failed',
        'name',
        'subflow',
      ]) {
        for (const [value, count] of Object.entries(await valuesOf('runs', field))) {
          assert.equal((await namesOf([where(field, [value])])).length, count, `${field}:${value}`);
        }
      }
    });

    test('task runs are narrowed by the same fields, and by their task', async () => {
      const tasksOf = async (...conditions: object[]) => {
        const { task_runs } = await post('/views/task_runs', { where: conditions });
        return (task_runs as Named[]).map(({ name }) => name);
      };
      assert.deepEqual(await tasksOf(where('flow', ['etl'])), ['transform-0', 'load-0']);
      assert.deepEqual(await tasksOf(where('flow', ['report'])), []);
      assert.deepEqual(await tasksOf(where('task', ['load'])), ['load-0']);
      assert.deepEqual(await tasksOf(where('task', ['load-1f3a9c2e'], true)), ['transform-0']);
      assert.deepEqual(await tasksOf(where('tag', ['slow'])), ['load-0']);
      assert.deepEqual(await tasksOf(where('state', ['failed'])), ['transform-0']);
      assert.deepEqual(await tasksOf(where('name', ['LOAD']), where('tries', ['0'])), ['load-0']);
      assert.deepEqual(await valuesOf('task_runs', 'task'), { load: 1, transform: 1 });
      assert.deepEqual(await valuesOf('task_runs', 'flow'), { etl: 2, report: 0 });
      assert.deepEqual(await valuesOf('task_runs', 'state'), { pending: 1, failed: 1 });
      assert.deepEqual(await valuesOf('task_runs', 'tag'), { slow: 1 });
    });

    test('a page of task runs names what they belong to, and its pages hold each once', async () => {
      const history = { start: '2000-01-01T00:00:00Z', end: '2100-01-01T00:00:00Z', intervals: 1 };
      const first = await post('/views/task_runs', { limit: 1, history });
      assert.equal(first.count, 2);
      const [{ name, flow_name, flow_run_name, state_message }] = first.task_runs;
      assert.deepEqual([name, flow_name, flow_run_name, state_message], ['transform-0', 'etl', 'keyed', 'broken']);
      const second = await post('/views/task_runs', { limit: 1, after: first.next });
      assert.deepEqual([second.task_runs.map((run: Named) => run.name), second.next], [['load-0'], null]);
    });
  });
}
