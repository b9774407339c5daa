import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { newId } from '../../values/id.ts';
import { addSeconds } from '../../values/time.ts';

for (const database of databases) {
  describe(`the reasons of waiting runs in a list, on ${database}`, () => {
    let server: TestServer;
    let flow_id: string;
    before(async () => {
      server = await startServer({ database });
      flow_id = (await post('/flows/', { name: 'waits' })).id;
    });
    after(() => server.stop());

    const post = async (path: string, body: object) => {
      const { status, body: answer, text } = await server.post(path, body);
      assert.ok(status < 300, `${path} ${status}: ${text}`);
      return answer;
    };
    const ago = (seconds: number) => addSeconds(server.context().now, -seconds);
    const due = () => ({ type: 'SCHEDULED', state_details: { scheduled_time: ago(60) } });
    const reasonOf = async (name: string) => {
      const { runs } = await post('/views/runs', { where: [{ field: 'name', values: [name] }] });
      assert.equal(runs.length, 1);
      return runs[0].reason;
    };
    let made = 0;
    const deploy = async (more: object): Promise<string> =>
      (await post('/deployments/', { flow_id, name: `nightly-${++made}`, ...more })).id;
    const runOf = (deployment: string, name: string) =>
      post(`/deployments/${deployment}/create_flow_run`, { name, state: due() });
    const setState = (kind: 'flow_runs' | 'task_runs', id: string, state: object) =>
      post(`/${kind}/${id}/set_state`, { state, force: true });

    test('a pool without a worker, and a paused one, are named', async () => {
      await post('/work_pools/', { name: 'gpu-k8s', type: 'process', base_job_template: {} });
      const deployment = await deploy({ work_pool_name: 'gpu-k8s' });
      await runOf(deployment, 'of-pool');
      assert.equal(await reasonOf('of-pool'), 'no worker in gpu-k8s');
      await server.patch('/work_pools/gpu-k8s', { is_paused: true });
      assert.equal(await reasonOf('of-pool'), 'work pool gpu-k8s is paused');
    });

    test('a full limit of a deployment says how many slots are free', async () => {
      const deployment = await deploy({ concurrency_limit: 1 });
      const first = await runOf(deployment, 'holder');
      await post(`/flow_runs/${first.id}/set_state`, { state: { type: 'PENDING' } });
      await runOf(deployment, 'second');
      assert.match(await reasonOf('second'), /^waits for a slot of nightly-\d+ \(0 of 1 free\)$/);
      assert.equal(await reasonOf('holder'), 'a worker prepares it');
    });

    test('pauses, retries and processes have their words, and other runs have none', async () => {
      const run = async (name: string, state: object) => (await post('/flow_runs/', { flow_id, name, state })).id;
      const input = await run('asks', { type: 'PENDING' });
      await setState('flow_runs', input, { type: 'RUNNING' });
      const run_input_keyset = { keyset: 'x' };
      await setState('flow_runs', input, { type: 'PAUSED', state_details: { run_input_keyset } });
      const paused = await run('pauses', { type: 'PENDING' });
      await setState('flow_runs', paused, { type: 'RUNNING' });
      await setState('flow_runs', paused, { type: 'PAUSED' });
      await run('retries', {
        type: 'SCHEDULED',
        name: 'AwaitingRetry',
        state_details: { scheduled_time: addSeconds(server.context().now, 600) },
      });
      await run('later', {
        type: 'SCHEDULED',
        state_details: { scheduled_time: addSeconds(server.context().now, 600) },
      });
      await run('alone', due());
      const done = await run('done', { type: 'PENDING' });
      await setState('flow_runs', done, { type: 'COMPLETED' });
      const found = await Promise.all(['asks', 'pauses', 'retries', 'later', 'alone', 'done'].map(reasonOf));
      assert.deepEqual(found, [
        'waits for input',
        'waits to be resumed',
        'waits to retry',
        null,
        'no deployment',
        null,
      ]);
      await runOf(await deploy({}), 'unserved');
      assert.match(await reasonOf('unserved'), /^no process serves nightly-\d+$/);
    });

    test('a running run whose tasks wait for the slots of a tag names the tag', async () => {
      await post('/concurrency_limits/', { tag: 'database', concurrency_limit: 1 });
      const { id } = await post('/flow_runs/', { flow_id, name: 'busy', state: { type: 'PENDING' } });
      await setState('flow_runs', id, { type: 'RUNNING' });
      assert.equal(await reasonOf('busy'), null);
      const task = async (key: string) =>
        post('/task_runs/', {
          flow_run_id: id,
          task_key: key,
          dynamic_key: newId(),
          tags: ['database'],
          state: { type: 'PENDING' },
        });
      const first = await task('one');
      await post(`/task_runs/${first.id}/set_state`, { state: { type: 'RUNNING' } });
      await task('two');
      assert.equal(await reasonOf('busy'), 'waits for a slot of tag database (0 of 1 free)');
    });
  });
}
