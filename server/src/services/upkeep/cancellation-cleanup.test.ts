import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { addSeconds, systemClock } from '../../values/time.ts';
import { cancellationCleanup } from './cancellation-cleanup.ts';

for (const database of databases) {
  describe(`cancelled runs on ${database}`, () => {
    let server: TestServer;
    let flow_id: string;
    before(async () => {
      server = await startServer({ database });
      flow_id = (await server.post('/flows/', { name: 'cancelled' })).body.id;
    });
    after(() => server.stop());

    const running = { type: 'RUNNING' };
    const set = (id: string, type: string) => server.post(`/flow_runs/${id}/set_state`, { state: { type } });
    const run = async (more: object = {}) =>
      (await server.post('/flow_runs/', { flow_id, state: running, ...more })).body.id as string;
    const task = async (flow_run_id: string, dynamic_key: string, type = 'RUNNING') =>
      (await server.post('/task_runs/', { flow_run_id, task_key: 't', dynamic_key, state: { type } })).body
        .id as string;
    /** Two replicas pass at the same time, `seconds` from now. */
    const look = (seconds: number) =>
      Promise.all(
        [1, 2].map(() => cancellationCleanup.runOnce(server.context(addSeconds(systemClock.now(), seconds)))),
      );
    const stateOf = async (kind: 'flow' | 'task', id: string) => {
      const { state } = (await server.get(`/${kind}_runs/${id}`)).body;
      return [state.type, state.message];
    };
    const byParent = ['CANCELLED', 'The parent flow run was cancelled.'];

    test('runs that a cancelled run started are cancelled after it, at any depth', async () => {
      const parent = await run();
      const [done, open, mirror] = [
        await task(parent, 'done', 'COMPLETED'),
        await task(parent, 'open'),
        await task(parent, 'mirror'),
      ];
      const child = await run({ parent_task_run_id: mirror });
      const grandchild = await run({ parent_task_run_id: await task(child, 'mirror') });
      const finished = await run({ parent_task_run_id: await task(parent, 'finished'), state: { type: 'COMPLETED' } });
      await look(1);
      assert.equal((await stateOf('flow', child))[0], 'RUNNING');
      await set(parent, 'CANCELLED');
      await look(1);
      await look(2);
      for (const id of [child, grandchild]) assert.deepEqual(await stateOf('flow', id), byParent);
      for (const id of [open, mirror]) assert.deepEqual(await stateOf('task', id), byParent);
      assert.equal((await stateOf('task', done))[0], 'COMPLETED');
      assert.equal((await stateOf('flow', finished))[0], 'COMPLETED');
      const states = (await server.get(`/flow_run_states/?flow_run_id=${child}`)).body;
      assert.equal(states.length, 2);
    });

    test('a child with its own process is asked to stop', async () => {
      const parent = await run();
      const { id: deployment } = (await server.post('/deployments/', { name: 'child', flow_id })).body;
      const child = (
        await server.post(`/deployments/${deployment}/create_flow_run`, {
          parent_task_run_id: await task(parent, 'deployed'),
          state: { type: 'PENDING' },
        })
      ).body.id;
      await set(child, 'RUNNING');
      await set(parent, 'CANCELLED');
      await look(1);
      await look(100);
      assert.deepEqual(await stateOf('flow', child), ['CANCELLING', 'The parent flow run was cancelled.']);
      const states = (await server.get(`/flow_run_states/?flow_run_id=${child}`)).body;
      assert.equal(states.filter(({ type }: { type: string }) => type === 'CANCELLING').length, 1);
    });

    test('a task run that is reported after the cancellation is cancelled too, for a day', async () => {
      const parent = await run();
      await set(parent, 'CANCELLED');
      await look(1);
      const reported = await task(parent, 'late');
      await look(10);
      assert.equal((await stateOf('task', reported))[0], 'RUNNING');
      await look(22);
      assert.deepEqual(await stateOf('task', reported), byParent);
      await look(90_000);
      const afterADay = await task(parent, 'a day later');
      await look(180_000);
      assert.equal((await stateOf('task', afterADay))[0], 'RUNNING');
    });

    test('a run that restarted after its cancellation is ignored', async () => {
      const parent = await run();
      await set(parent, 'CANCELLED');
      await server.post(`/flow_runs/${parent}/set_state`, { state: running, force: true });
      const open = await task(parent, 'again');
      await look(1);
      assert.equal((await stateOf('task', open))[0], 'RUNNING');
    });

    test('a cancellation without an answer ends after five minutes', async () => {
      const hanging = await run();
      await set(hanging, 'CANCELLING');
      await look(200);
      assert.equal((await stateOf('flow', hanging))[0], 'CANCELLING');
      await look(301);
      assert.deepEqual(await stateOf('flow', hanging), [
        'CANCELLED',
        'Flow run cancellation timed out; marked this flow run as Cancelled.',
      ]);
    });
  });
}
