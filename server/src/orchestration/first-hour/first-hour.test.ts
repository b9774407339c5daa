import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { until } from '../../../test/support/until.ts';
import { addSeconds } from '../../values/time.ts';
import { dependentsOf } from './sample/dependents.ts';
import { findSample, type SampleMark } from './sample/mark.ts';

const LISTS = ['/flows', '/deployments', '/flow_runs', '/task_runs', '/work_pools', '/automations', '/logs'];

for (const database of databases) {
  describe(`the first hour on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const made = async (path: string, body: object) => {
      const { status, text, body: answer } = await server.post(path, body);
      assert.ok(status < 300, `${path}: ${text}`);
      return answer;
    };
    const hour = async () => (await server.get('/first_hour')).body;
    const onHome = async () => (await server.get('/views/home')).body.first_hour;
    const ids = async (path: string) =>
      (await made(`${path}/filter`, {})).map(({ id }: { id: string }) => id).sort() as string[];
    const everything = async () =>
      Object.fromEntries(await Promise.all(LISTS.map(async (path) => [path, await ids(path)])));

    test('each step arrives with the first object of its kind, and a due run says why it waits', async () => {
      const begun = await hour();
      assert.equal(begun.open, true);
      assert.deepEqual(
        [begun.client, begun.flow, begun.flow_run, begun.work_pool, begun.deployment, begun.waiting],
        Array(6).fill(null),
      );
      await server.get('/admin/version', { 'user-agent': 'prefect/3.9.1 (API 0.8.4)' });
      await until('the client is noted', async () => (await hour()).client?.version === '3.9.1');

      const flow = await made('/flows/', { name: 'hello' });
      const run = await made('/flow_runs/', { flow_id: flow.id, state: { type: 'PENDING' } });
      await made(`/flow_runs/${run.id}/set_state`, { state: { type: 'RUNNING' }, force: true });
      const withRun = await hour();
      assert.equal(withRun.flow.name, 'hello');
      assert.deepEqual([withRun.flow_run.id, withRun.flow_run.state_type], [run.id, 'RUNNING']);
      assert.equal(withRun.deployment_run, null);

      await made('/work_pools/', { name: 'laptop', type: 'process' });
      const deployment = await made('/deployments/', { flow_id: flow.id, name: 'daily', work_pool_name: 'laptop' });
      const deployed = await made(`/deployments/${deployment.id}/create_flow_run`, {});
      const waiting = await hour();
      assert.deepEqual(waiting.work_pool.workers_online, 0);
      assert.deepEqual([waiting.deployment.name, waiting.deployment.work_pool_name], ['daily', 'laptop']);
      assert.equal(waiting.waiting.id, deployed.id);
      assert.ok(waiting.waiting.reasons.some(({ code }: { code: string }) => code === 'no_worker'));

      await server.patch('/work_pools/laptop', { is_paused: true });
      assert.equal((await hour()).work_pool.is_paused, true);
      await server.patch('/work_pools/laptop', { is_paused: false });
      await made('/work_pools/laptop/workers/heartbeat', { name: 'worker-1' });
      assert.equal((await hour()).work_pool.workers_online, 1);

      assert.equal(await onHome(), true);
      await made(`/flow_runs/${deployed.id}/set_state`, { state: { type: 'RUNNING' }, force: true });
      const done = await hour();
      assert.equal(done.deployment_run.id, deployed.id);
      assert.deepEqual([done.open, await onHome()], [false, false]);
    });

    test('it can be dismissed for the workspace, and called again', async () => {
      await made('/flows/', { name: 'not-yet-run' });
      const other = await startServer({ database });
      try {
        assert.equal((await other.get('/views/home')).body.first_hour, true);
        assert.equal((await other.patch('/first_hour', { dismissed: true })).status, 204);
        assert.equal((await other.get('/views/home')).body.first_hour, false);
        assert.deepEqual((await other.get('/first_hour')).body.dismissed, true);
        await other.patch('/first_hour', { dismissed: false });
        assert.equal((await other.get('/views/home')).body.first_hour, true);
        const { status, text } = await other.patch('/first_hour', { dismissed: 'maybe' });
        assert.equal(status, 422);
        assert.match(text, /dismissed/);
      } finally {
        await other.stop();
      }
    });

    test('a workspace whose first flow is a week old is past its first hour', async () => {
      const other = await startServer({ database });
      try {
        await other.post('/flows/', { name: 'old' });
        const context = other.context();
        const { isFirstHour } = await import('./state.ts');
        assert.equal(await isFirstHour(context), true);
        assert.equal(await isFirstHour(other.context(addSeconds(context.now, 8 * 86_400))), false);
      } finally {
        await other.stop();
      }
    });

    test('the sample has every state, logs, a failed subflow and an automation that is off', async () => {
      const before = await hour();
      const loaded = await server.post('/first_hour/sample');
      assert.equal(loaded.status, 201, loaded.text);
      const { sample, ...steps } = loaded.body;
      assert.deepEqual([sample.flows, sample.deployments], [3, 2]);
      const { sample: _none, ...stepsBefore } = before;
      assert.deepEqual(steps, stepsBefore, 'the sample counts for no step');

      const found = await made('/views/logs', { q: 'Fetched 1,204 orders' });
      assert.ok(found.lines.length > 0, 'the search over all runs finds its logs');
      const runs = await made('/flow_runs/filter', {});
      const states = new Set(runs.map(({ state_type }: { state_type: string }) => state_type));
      assert.deepEqual([...states].sort(), [
        'CANCELLED',
        'CANCELLING',
        'COMPLETED',
        'CRASHED',
        'FAILED',
        'PAUSED',
        'PENDING',
        'RUNNING',
        'SCHEDULED',
      ]);
      const parent = runs.find(({ name }: { name: string }) => name === 'no-rate');
      const why = (await server.get(`/views/flow_runs/${parent.id}`)).text;
      assert.match(why, /no rate for XAU/);
      const child = runs.find(({ name }: { name: string }) => name === 'no-rate-currency');
      assert.ok(child.parent_task_run_id);
      const logs = await made('/logs/filter', { logs: { flow_run_id: { any_: [child.id] } } });
      assert.ok(logs.some(({ message }: { message: string }) => message.includes('Traceback')));
      const [automation] = (await made('/automations/filter', {})) as { enabled: boolean }[];
      assert.equal(automation?.enabled, false);

      const resource = { id: runs.map(({ id }: { id: string }) => `prefect.flow-run.${id}`) };
      const told = await made('/events/filter', { filter: { any_resource: resource } });
      const ofSample = told.events.filter(({ occurred }: { occurred: string }) => occurred >= sample.loaded);
      assert.deepEqual(ofSample, [], 'no automation acts on runs of the sample');

      const again = await server.post('/first_hour/sample');
      assert.equal(again.status, 409);
      assert.match(again.text, /has a sample/);
    });

    test('removing it leaves what others added, also what has the same name', async () => {
      assert.equal((await server.delete('/first_hour/sample')).status, 204);
      await made('/flows/', { name: 'sample-orders' });
      await made('/work_pools/', { name: 'sample-pool', type: 'process' });
      const own = await everything();
      await made('/first_hour/sample', {});
      const flows = await made('/flows/filter', {});
      assert.ok(flows.some(({ name }: { name: string }) => name === 'sample-orders-2'));

      const mark = (await findSample(server.context().db)) as SampleMark;
      await server.patch(`/flows/${mark.flows[0]}`, { tags: ['changed'] });
      await server.patch(`/deployments/${mark.deployments[0]}`, { paused: false, description: 'mine now' });
      await server.patch(`/automations/${mark.automation}`, { enabled: true });
      await server.delete(`/flow_runs/${mark.flow_runs[0]}`);
      await server.delete(`/deployments/${mark.deployments[1]}`);
      const added = await made('/flows/', { name: 'added-later' });

      assert.equal((await server.delete('/first_hour/sample')).status, 204);
      assert.deepEqual(await everything(), { ...own, '/flows': [...(own['/flows'] ?? []), added.id].sort() });
      const { status, text } = await server.delete('/first_hour/sample');
      assert.equal(status, 404);
      assert.match(text, /no sample/);
    });

    test('it stays while something else depends on it, and the answer names that', async () => {
      await made('/first_hour/sample', {});
      const mark = (await findSample(server.context().db)) as SampleMark;
      const refused = async (named: RegExp) => {
        const { status, text } = await server.delete('/first_hour/sample');
        assert.equal(status, 409, text);
        assert.match(text, named);
        const present = await ids('/flow_runs');
        assert.ok(mark.flow_runs.every((id) => present.includes(id)));
      };
      const [deployment = ''] = mark.deployments;
      const run = await made(`/deployments/${deployment}/create_flow_run`, { name: 'my-own' });
      await refused(/the run of its flows or its pool \\"my-own\\"/);
      assert.ok((await ids('/flow_runs')).includes(run.id));
      await server.delete(`/flow_runs/${run.id}`);

      const mine = await made('/deployments/', { flow_id: mark.flows[0], name: 'my-deployment' });
      await refused(/my-deployment/);
      await server.delete(`/deployments/${mine.id}`);

      const pools = await made('/work_pools/filter', {});
      const pool = pools.find(({ id }: { id: string }) => id === mark.work_pool).name;
      await made(`/work_pools/${pool}/queues`, { name: 'my-queue' });
      await refused(/my-queue/);
      await server.delete(`/work_pools/${pool}/queues/my-queue`);

      const automation = await made('/automations/', {
        name: 'my-automation',
        trigger: { type: 'event', posture: 'Reactive', expect: ['prefect.flow-run.Failed'], threshold: 1, within: 0 },
        actions: [{ type: 'run-deployment', source: 'selected', deployment_id: deployment }],
      });
      await refused(/my-automation/);
      await server.delete(`/automations/${automation.id}`);

      await made(`/work_pools/${pool}/workers/heartbeat`, { name: 'my-worker' });
      await refused(/my-worker/);
      const later = addSeconds(server.context().now, 3600);
      assert.deepEqual(await dependentsOf(server.context().db, mark, later), []);
    });
  });
}
