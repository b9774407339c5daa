import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';

for (const database of databases) {
  describe(`clients of older versions of the API on ${database}`, () => {
    let server: TestServer;
    let flow_id: string;
    before(async () => {
      server = await startServer({ database });
      flow_id = (await server.post('/flows/', { name: 'old' })).body.id;
    });
    after(() => server.stop());

    /** A flow run with one failed and one completed task run. A client of this version reports its failure. */
    const failWith = async (version: string) => {
      const empirical_policy = { retries: 1, retry_delay: 50 };
      const run = (await server.post('/flow_runs/', { flow_id, empirical_policy, state: { type: 'RUNNING' } })).body.id;
      const tasks = ['FAILED', 'COMPLETED'].map(async (type) => {
        const task = { flow_run_id: run, task_key: 't', dynamic_key: type, state: { type: 'RUNNING' } };
        const { id } = (await server.post('/task_runs/', task)).body;
        await server.post(`/task_runs/${id}/set_state`, { state: { type, message: 'm' } });
        return id as string;
      });
      const [failed, completed] = await Promise.all(tasks);
      const headers = { 'x-prefect-api-version': version };
      const answer = await server.post(`/flow_runs/${run}/set_state`, { state: { type: 'FAILED' } }, headers);
      assert.equal(answer.body.state.name, 'AwaitingRetry');
      const read = async (id: string | undefined) => (await server.get(`/task_runs/${id}`)).body;
      const { empirical_policy: policy } = (await server.get(`/flow_runs/${run}`)).body;
      return { answer: answer.body, failed: await read(failed), completed: await read(completed), policy };
    };

    test('below 0.8.3, failed task runs await a retry together with their flow run', async () => {
      const { answer, failed, completed } = await failWith('0.8.2');
      assert.equal(failed.state.name, 'AwaitingRetry');
      assert.equal(failed.state.message, null);
      assert.equal(failed.run_count, 0);
      assert.equal(failed.state.state_details.scheduled_time, answer.state.state_details.scheduled_time);
      assert.equal(completed.state.type, 'COMPLETED');
    });

    test('from 0.8.3 on, task runs keep their state', async () => {
      assert.equal((await failWith('0.8.3')).failed.state.type, 'FAILED');
    });

    /** Pauses a run, then proposes states as a client of this version. Returns the run's record after each. */
    const afterPause = async (version: string, types: readonly string[]) => {
      const { id } = (await server.post('/flow_runs/', { flow_id, state: { type: 'RUNNING' } })).body;
      await server.post(`/flow_runs/${id}/set_state`, { state: { type: 'PAUSED' } });
      const remembered: string[] = [];
      for (const type of types) {
        await server.post(`/flow_runs/${id}/set_state`, { state: { type } }, { 'x-prefect-api-version': version });
        const { empirical_policy, run_count } = (await server.get(`/flow_runs/${id}`)).body;
        remembered.push(`${empirical_policy.resuming} ${empirical_policy.pause_keys.length} ${run_count}`);
      }
      return remembered;
    };

    test('pauses are recorded for every client, and expire from 0.8.4 on', async () => {
      const types = ['RUNNING', 'RUNNING', 'COMPLETED', 'RUNNING'];
      assert.deepEqual(await afterPause('0.8.3', types), ['true 1 2', 'true 1 3', 'true 1 3', 'true 1 4']);
      assert.deepEqual(await afterPause('0.8.4', types), ['true 1 2', 'false 1 2', 'false 1 2', 'false 0 3']);
    });

    test('a run that ended during its pause and starts over has a higher run count', async () => {
      assert.deepEqual(await afterPause('0.8.4', ['COMPLETED', 'RUNNING']), ['true 1 1', 'false 0 2']);
    });

    // Source: answers of the Prefect server 3.9.1 to each of these requests.
    test('from 0.8.4 on, a paused run that is scheduled starts over, unless the pause itself should end this way', async () => {
      const { body: deployment } = await server.post('/deployments/', { name: 'paused', flow_id });
      const scheduled = async (version: string, details: object, name?: string) => {
        const state = { type: 'PAUSED', state_details: details };
        const { id } = (
          await server.post('/flow_runs/', {
            flow_id,
            deployment_id: deployment.id,
            state,
            empirical_policy: { pause_keys: ['k'] },
          })
        ).body;
        const proposed = { state: { type: 'SCHEDULED', name } };
        await server.post(`/flow_runs/${id}/set_state`, proposed, { 'x-prefect-api-version': version });
        const { resuming, pause_keys, retry_type } = (await server.get(`/flow_runs/${id}`)).body.empirical_policy;
        return `${resuming} ${pause_keys.length} ${retry_type}`;
      };
      assert.equal(await scheduled('0.8.4', {}), 'false 0 reschedule');
      assert.equal(await scheduled('0.8.4', {}, 'Resuming'), 'false 0 reschedule');
      assert.equal(await scheduled('0.8.4', { pause_reschedule: true }), 'true 1 null');
      assert.equal(await scheduled('0.8.3', {}), 'true 1 null');
    });

    test('from 0.8.4 on, the run stores how it is retried', async () => {
      assert.equal((await failWith('0.8.3')).policy.retry_type, null);
      assert.equal((await failWith('0.8.4')).policy.retry_type, 'in_process');
    });
  });
}
