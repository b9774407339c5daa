import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { ZombieDetection } from '../../services/upkeep/zombie-detection.ts';
import { newId } from '../../values/id.ts';
import { addSeconds, systemClock } from '../../values/time.ts';
import type { standingOf } from './attempts.ts';

type Standings = typeof standingOf;
/** What ends with an attempt: each has a test here. */
type OfAnAttempt = {
  [Part in keyof Standings]: Standings[Part] extends 'attempt' ? Part : never;
}[keyof Standings];

for (const database of databases) {
  describe(`a second attempt on ${database}`, () => {
    let server: TestServer;
    let flow_id: string;
    before(async () => {
      server = await startServer({ database });
      flow_id = (await server.post('/flows/', { name: 'tried twice' })).body.id;
    });
    after(() => server.stop());

    const post = async (path: string, body: object) => {
      const answer = await server.post(path, body);
      assert.ok(answer.status < 300, answer.text);
      return answer.body;
    };
    const deployed = (more: object = {}) => post('/deployments/', { name: newId(), flow_id, ...more });
    /** A run of a deployment in its first attempt. */
    const begin = async (more: object = {}): Promise<string> => {
      const deployment = await deployed(more);
      const run = await post(`/deployments/${deployment.id}/create_flow_run`, {});
      await go(run.id, 'PENDING', 'RUNNING');
      return run.id;
    };
    const go = async (id: string, ...states: (string | object)[]) => {
      let last: { status: string; state: { type: string } } | undefined;
      for (const state of states) {
        last = await post(`/flow_runs/${id}/set_state`, { state: typeof state === 'string' ? { type: state } : state });
        assert.equal(last?.status, 'ACCEPT', JSON.stringify(last));
      }
      return last;
    };
    const read = async (id: string) => (await server.get(`/flow_runs/${id}`)).body;
    const again = { type: 'SCHEDULED', name: 'AwaitingRetry' };
    const failure = async (id: string) => (await server.get(`/views/flow_runs/${id}`)).body.failure;

    const tests: Record<OfAnAttempt, () => Promise<void>> = {
      async empirical_policy() {
        const id = await begin();
        const pause = { type: 'PAUSED', state_details: { pause_key: 'approval' } };
        await go(id, pause, 'RUNNING', 'FAILED', again);
        assert.deepEqual((await read(id)).empirical_policy.pause_keys, []);
        await go(id, 'PENDING', 'RUNNING', pause);
      },

      async end_time() {
        const id = await begin();
        await go(id, 'FAILED');
        assert.notEqual((await read(id)).end_time, null);
        await go(id, again);
        assert.equal((await read(id)).end_time, null);
      },

      async task_run() {
        const id = await begin();
        const failed = async (name: string, more: object = {}) => {
          const keys = { task_key: name, dynamic_key: '0' };
          const task = await post('/task_runs/', { name, flow_run_id: id, ...keys });
          await post(`/task_runs/${task.id}/set_state`, { state: { type: 'RUNNING' } });
          await post(`/task_runs/${task.id}/set_state`, { state: { type: 'FAILED', message: name }, ...more });
        };
        const subflow = async (name: string) => {
          const parent = await post('/task_runs/', { name, flow_run_id: id, task_key: name, dynamic_key: '0' });
          const child = { flow_id, name, parent_task_run_id: parent.id, state: { type: 'FAILED', message: name } };
          await post('/flow_runs/', child);
        };
        await failed('first');
        await subflow('first subflow');
        await go(id, 'FAILED');
        assert.equal((await failure(id)).task.name, 'first');
        // Before it runs, nothing of the attempt has failed.
        await go(id, again, { type: 'CRASHED', message: 'no machine' });
        const crashed = await failure(id);
        assert.deepEqual([crashed.task, crashed.message], [null, 'no machine']);
        await go(id, again, 'PENDING', 'RUNNING', { type: 'FAILED', message: 'on its own' });
        const alone = await failure(id);
        assert.deepEqual([alone.task, alone.message], [null, 'on its own']);
        await go(id, again, 'PENDING', 'RUNNING');
        await subflow('last subflow');
        await go(id, 'FAILED');
        const inSubflow = await failure(id);
        assert.deepEqual([inSubflow.task, inSubflow.subflows[0].name], [null, 'last subflow']);
        await go(id, again, 'PENDING', 'RUNNING');
        await failed('last');
        await go(id, 'FAILED');
        assert.equal((await failure(id)).task.name, 'last');
      },

      async flow_run_input() {
        const id = await begin();
        const pause = { type: 'PAUSED', state_details: { pause_key: 'one', run_input_keyset: { response: 'answer' } } };
        const input = { key: 'answer', value: '1' };
        await go(id, pause);
        await post(`/flow_runs/${id}/input`, input);
        await go(id, 'RUNNING', 'FAILED', again, 'PENDING', 'RUNNING', pause);
        assert.equal((await server.get(`/flow_runs/${id}/input/answer`)).status, 404);
        await post(`/flow_runs/${id}/input`, input);
      },

      async flow_run_heartbeat() {
        const id = await begin();
        const beat = {
          event: 'prefect.flow-run.heartbeat',
          resource: { 'prefect.resource.id': `prefect.flow-run.${id}` },
        };
        const { now } = server.context();
        const first = { ...beat, id: newId(), occurred: now };
        await post('/events', [first]);
        // The second attempt sends none, and one of the first comes again.
        await go(id, 'FAILED', again, 'PENDING', 'RUNNING');
        await post('/events', [first]);
        const service = new ZombieDetection();
        const later = (seconds: number) => service.runOnce(server.context(addSeconds(systemClock.now(), seconds)));
        for (let seconds = 0; seconds <= 900; seconds += 15) await later(seconds);
        assert.equal((await read(id)).state_type, 'RUNNING');
        await post('/events', [{ ...beat, id: newId(), occurred: addSeconds(now, 1) }]);
        for (let seconds = 915; seconds <= 1800; seconds += 15) await later(seconds);
        assert.equal((await read(id)).state_type, 'CRASHED');
      },

      async concurrency_lease() {
        const deployment = await deployed({ concurrency_limit: 1 });
        const { id } = await post(`/deployments/${deployment.id}/create_flow_run`, {});
        const slots = async () => {
          const { global_concurrency_limit: limit } = (await server.get(`/deployments/${deployment.id}`)).body;
          return (await server.get(`/v2/concurrency_limits/${limit.id}`)).body.active_slots;
        };
        const lease = async () => (await read(id)).state.state_details.deployment_concurrency_lease_id;
        await go(id, 'PENDING', 'RUNNING');
        const held = await lease();
        assert.equal(await slots(), 1);
        await go(id, 'FAILED', again);
        assert.equal(await slots(), 0);
        await go(id, 'PENDING');
        assert.notEqual(await lease(), held);
        assert.equal(await slots(), 1);
        await go(id, 'RUNNING', 'COMPLETED');
        assert.equal(await slots(), 0);
        // It keeps its slot for a retry in the same process, and does not wait for that when it is rescheduled.
        const retried = await post(`/deployments/${deployment.id}/create_flow_run`, {
          empirical_policy: { retries: 1, retry_delay: 0 },
        });
        await go(retried.id, 'PENDING', 'RUNNING');
        const failed = await post(`/flow_runs/${retried.id}/set_state`, { state: { type: 'FAILED' } });
        assert.equal(failed.state.name, 'AwaitingRetry');
        assert.equal(await slots(), 1);
        await go(retried.id, 'SCHEDULED', 'PENDING', 'RUNNING');
        assert.equal(await slots(), 1);
        await go(retried.id, 'COMPLETED');
        assert.equal(await slots(), 0);
      },
    };
    for (const [part, run] of Object.entries(tests)) test(`does not inherit ${part}`, run);
  });
}
