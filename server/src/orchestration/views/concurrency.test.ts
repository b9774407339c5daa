import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';

for (const database of databases) {
  describe(`the views of concurrency on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const create = async (name: string, limit: number, more: object = {}) => {
      const { status, body, text } = await server.post('/v2/concurrency_limits/', { name, limit, ...more });
      assert.equal(status, 201, text);
      return body.id as string;
    };
    const view = async (name: string) => {
      const { status, body, text } = await server.get('/views/concurrency_limits');
      assert.equal(status, 200, text);
      return body.limits.find((limit: { name: string }) => limit.name === name);
    };

    test('a lease shows who holds its slots, and ending it frees them', async () => {
      const id = await create('database', 3);
      const { body: flow } = await server.post('/flows/', { name: 'loads' });
      const { body: run } = await server.post('/flow_runs/', { flow_id: flow.id, state: { type: 'RUNNING' } });
      const { body: lease } = await server.post('/v2/concurrency_limits/increment-with-lease', {
        slots: 2,
        names: ['database'],
        lease_duration: 300,
        holder: { type: 'flow_run', id: run.id },
      });
      const limit = await view('database');
      assert.deepEqual([limit.kind, limit.active_slots, limit.limit, limit.holder_count], ['global', 2, 3, 1]);
      const [holder] = limit.holders;
      assert.deepEqual(
        [holder.lease_id, holder.slots, holder.type, holder.id, holder.name, holder.state_type],
        [lease.lease_id, 2, 'flow_run', run.id, run.name, 'RUNNING'],
      );
      assert.ok(holder.expires_at > holder.since);
      const one = await server.get(`/views/concurrency_limits/${id}`);
      assert.equal(one.body.holders[0].lease_id, lease.lease_id);
      await server.post('/v2/concurrency_limits/decrement-with-lease', { lease_id: lease.lease_id });
      const freed = await view('database');
      assert.deepEqual([freed.active_slots, freed.holder_count, freed.holders], [0, 0, []]);
    });

    test('slots without a lease count, without a holder', async () => {
      await create('api', 5);
      await server.post('/v2/concurrency_limits/increment', { slots: 2, names: ['api'] });
      const limit = await view('api');
      assert.deepEqual([limit.active_slots, limit.unleased_slots, limit.holders], [2, 2, []]);
    });

    test('a limit on a tag names the task runs that hold it, without an expiry', async () => {
      await server.post('/concurrency_limits/', { tag: 'db', concurrency_limit: 1 });
      const { body: task } = await server.post('/task_runs/', { name: 'load-1', task_key: 'load', dynamic_key: '0' });
      await server.post('/concurrency_limits/increment', { names: ['db'], task_run_id: task.id });
      const limit = await view('tag:db');
      assert.equal(limit.kind, 'tag');
      assert.deepEqual(
        limit.holders.map((holder: { name: string; expires_at: null }) => [holder.name, holder.expires_at]),
        [['load-1', null]],
      );
    });

    test('a limit of a deployment names it, its run and the runs that wait', async () => {
      const { body: flow } = await server.post('/flows/', { name: 'nightly-flow' });
      const { body: deployment } = await server.post('/deployments/', {
        flow_id: flow.id,
        name: 'nightly',
        concurrency_limit: 1,
      });
      const runs: string[] = [];
      for (let index = 0; index < 3; index++) {
        const { body: run } = await server.post(`/deployments/${deployment.id}/create_flow_run`, {});
        runs.push(run.id);
        await server.post(`/flow_runs/${run.id}/set_state`, { state: { type: 'PENDING' } });
      }
      const limit = await view(`deployment:${deployment.id}`);
      assert.equal(limit.kind, 'deployment');
      assert.deepEqual(limit.deployment, { id: deployment.id, name: 'nightly', flow_name: 'nightly-flow' });
      assert.deepEqual(
        limit.holders.map(({ id }: { id: string }) => id),
        [runs[0]],
      );
      assert.equal(limit.waiter_count, 2);
      assert.deepEqual(limit.waiters.map(({ id }: { id: string }) => id).toSorted(), runs.slice(1).toSorted());
    });
  });
}
