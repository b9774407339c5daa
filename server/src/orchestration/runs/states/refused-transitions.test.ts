import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';

for (const database of databases) {
  describe(`transitions that a rule refuses or changes on ${database}`, () => {
    let server: TestServer;
    let flow_id: string;
    before(async () => {
      server = await startServer({ database });
      flow_id = (await server.post('/flows/', { name: 'refused' })).body.id;
    });
    after(() => server.stop());

    const propose = async (kind: 'flow_runs' | 'task_runs', id: string, state: object, force = false) =>
      (await server.post(`/${kind}/${id}/set_state`, { state, force })).body;

    test('a finished task run that may not run again, because its flow run is not running, keeps its run count', async () => {
      const flowRun = (await server.post('/flow_runs/', { flow_id, state: { type: 'RUNNING' } })).body;
      const task = { flow_run_id: flowRun.id, task_key: 'task', dynamic_key: '0', state: { type: 'RUNNING' } };
      const { id } = (await server.post('/task_runs/', task)).body;
      await propose('task_runs', id, { type: 'FAILED' });
      await propose('flow_runs', flowRun.id, { type: 'COMPLETED' });
      assert.equal((await propose('task_runs', id, { type: 'RUNNING' })).status, 'ABORT');
      const { run_count, state_type } = (await server.get(`/task_runs/${id}`)).body;
      assert.deepEqual({ run_count, state_type }, { run_count: 1, state_type: 'FAILED' });
    });

    test('a finished flow run that is refused keeps the retry fields of its policy', async () => {
      const deployment = (await server.post('/deployments/', { name: 'refused', flow_id })).body;
      const body = { flow_id, deployment_id: deployment.id, state: { type: 'CANCELLED' } };
      const { id, empirical_policy } = (await server.post('/flow_runs/', body)).body;
      const answer = await propose('flow_runs', id, { type: 'SCHEDULED', name: 'Late' });
      assert.equal(answer.details.reason, 'Only scheduled flows can be marked late.');
      assert.deepEqual((await server.get(`/flow_runs/${id}`)).body.empirical_policy, empirical_policy);
    });

    test('a suspended run is cancelled at once, even where it could not be resumed', async () => {
      const state_details = { pause_reschedule: true, pause_timeout: '2999-01-01T00:00:00Z' };
      const { id } = (await server.post('/flow_runs/', { flow_id, state: { type: 'PAUSED', state_details } })).body;
      const answer = await propose('flow_runs', id, { type: 'CANCELLING' });
      assert.equal(answer.state.type, 'CANCELLED');
      assert.equal(answer.details.reason, 'Suspended flow run has no infrastructure to terminate.');
      assert.equal((await server.get(`/flow_runs/${id}`)).body.empirical_policy.resuming, false);
    });
  });
}
