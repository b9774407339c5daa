import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';

for (const database of databases) {
  describe(`work queues on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const inOrder = async (pool: string): Promise<string[]> => {
      const { body } = await server.post(`/work_pools/${pool}/queues/filter`, {});
      return body.map(({ name, priority }: { name: string; priority: number }) => `${name} ${priority}`);
    };

    test('without the pool of agents, its default queue is made, and a queue of any pool is found by its name', async () => {
      const flow_id = (await server.post('/flows/', { name: 'agents' })).body.id;
      const deployment = (await server.post('/deployments/', { name: 'agents', flow_id })).body.id;
      await server.post('/work_pools/', { name: 'other', type: 'process' });
      const { id } = (await server.post('/work_pools/other/queues', { name: 'far' })).body;
      assert.equal((await server.get('/work_queues/name/far')).body.id, id);
      const made = await server.post('/work_queues/', { name: 'default' });
      assert.equal(made.status, 201, made.text);
      assert.deepEqual([made.body.work_pool_name, made.body.priority], ['default-agent-pool', 1]);
      const again = await server.post('/work_queues/', { name: 'default' });
      assert.deepEqual([again.status, again.body.detail], [409, 'A work queue with this name already exists.']);
      assert.equal((await server.get('/work_queues/name/far')).status, 404, 'now that pool is meant');
      const { body } = await server.get(`/deployments/${deployment}/work_queue_check`);
      assert.deepEqual(
        body.map((queue: { name: string; work_pool_name: string }) => queue.name),
        ['default', 'far', 'default'],
      );
    });

    test('a run that only names a queue counts in the status of its slots; a new queue has none taken', async () => {
      const flow_id = (await server.post('/flows/', { name: 'named' })).body.id;
      const state = { type: 'RUNNING' };
      const run = await server.post('/flow_runs/', { flow_id, work_queue_name: 'named-only', state, tags: ['a'] });
      assert.equal(run.status, 201, run.text);
      const queue = { name: 'named-only', concurrency_limit: 3, filter: { tags: ['a'] } };
      const made = await server.post('/work_queues/', queue);
      assert.equal(made.body.active_slots, 0);
      const { body } = await server.post(`/work_queues/${made.body.id}/concurrency_status`, {});
      const named = run.body.work_queue_id === null ? 1 : 0;
      assert.deepEqual([body.active_slots, body.flow_runs.length], [named, named]);
    });

    test('a queue gets the priority it asks for, and the others move up to the next gap', async () => {
      await server.post('/work_pools/', { name: 'order', type: 'process' });
      const add = (name: string, priority?: number) => server.post('/work_pools/order/queues', { name, priority });
      await add('a');
      await add('b', 1);
      await add('c', 9);
      await add('d');
      assert.deepEqual(await inOrder('order'), ['b 1', 'default 2', 'a 3', 'd 4', 'c 9']);
      await server.patch('/work_pools/order/queues/d', { priority: 2 });
      assert.deepEqual(await inOrder('order'), ['b 1', 'd 2', 'default 3', 'a 4', 'c 9']);
      await server.patch('/work_pools/order/queues/b', { priority: 20 });
      await server.patch('/work_pools/order/queues/d', { priority: 3 });
      assert.deepEqual(await inOrder('order'), ['d 3', 'default 4', 'a 5', 'c 9', 'b 20']);
      const again = await add('a', 1);
      assert.equal(again.status, 409);
      assert.deepEqual((await inOrder('order')).at(0), 'd 3');
    });

    test('a queue that asks for its shared priority gets it alone', async () => {
      await server.post('/work_pools/', { name: 'shared', type: 'process' });
      const add = async (name: string) => (await server.post('/work_pools/shared/queues', { name })).body.id;
      await add('first');
      await server.patch(`/work_queues/${await add('late')}`, { priority: 1 });
      assert.equal((await server.patch('/work_pools/shared/queues/late', { priority: 1 })).status, 204);
      assert.deepEqual(await inOrder('shared'), ['late 1', 'default 2', 'first 3']);
      await server.patch('/work_pools/shared/queues/late', { priority: 1 });
      assert.deepEqual(await inOrder('shared'), ['late 1', 'default 2', 'first 3']);
    });

    test('queues that share a priority are separated when another queue asks for one or is deleted', async () => {
      await server.post('/work_pools/', { name: 'apart', type: 'process' });
      for (const name of ['one', 'two', 'three']) await server.post('/work_pools/apart/queues', { name });
      for (const name of ['default', 'one', 'two']) {
        const { id } = (await server.get(`/work_pools/apart/queues/${name}`)).body;
        await server.patch(`/work_queues/${id}`, { priority: 2 });
      }
      await server.patch('/work_pools/apart/queues/three', { priority: 2 });
      assert.deepEqual(await inOrder('apart'), ['three 2', 'default 3', 'one 4', 'two 5']);
      const { id } = (await server.get('/work_pools/apart/queues/two')).body;
      await server.patch(`/work_queues/${id}`, { priority: 3 });
      await server.delete('/work_pools/apart/queues/one');
      assert.deepEqual(await inOrder('apart'), ['three 2', 'default 3', 'two 4']);
    });

    test('a queue without a priority goes where the sequence of priorities breaks', async () => {
      await server.post('/work_pools/', { name: 'broken', type: 'process' });
      const add = (name: string) => server.post('/work_pools/broken/queues', { name });
      for (const name of ['a', 'b', 'c']) await add(name);
      const { id } = (await server.get('/work_pools/broken/queues/c')).body;
      await server.patch(`/work_queues/${id}`, { priority: 2 });
      assert.equal((await add('d')).body.priority, 3);
      assert.equal((await add('e')).body.priority, 3);
      await server.patch(`/work_queues/${id}`, { priority: 9 });
      assert.equal((await add('f')).body.priority, 4);
      assert.deepEqual(await inOrder('broken'), ['default 1', 'a 2', 'b 3', 'd 3', 'e 3', 'f 4', 'c 9']);
    });

    test('queues that share a priority are listed in creation order', async () => {
      await server.post('/work_pools/', { name: 'ties', type: 'process' });
      const names = ['h', 'g', 'f', 'e', 'd', 'c', 'b', 'a'];
      for (const name of names) {
        const { id } = (await server.post('/work_pools/ties/queues', { name })).body;
        await server.patch(`/work_queues/${id}`, { priority: 1 });
      }
      const inPlaces = ['default 1', ...names.map((name) => `${name} 1`)];
      assert.deepEqual(await inOrder('ties'), inPlaces);
      const { queues } = (await server.post('/work_pools/ties/concurrency_status', {})).body;
      assert.deepEqual(
        queues.map(({ queue_name }: { queue_name: string }) => `${queue_name} 1`),
        inPlaces,
      );
    });

    test('a queue is renamed, paused and resumed; invalid values are refused', async () => {
      await server.post('/work_pools/', { name: 'edit', type: 'process' });
      const { body: queue } = await server.post('/work_pools/edit/queues', { name: 'q', concurrency_limit: 2 });
      assert.deepEqual([queue.status, queue.active_slots, queue.work_pool_name], ['NOT_READY', 0, 'edit']);
      const patch = (change: object) => server.patch(`/work_queues/${queue.id}`, change);
      const now = async () => (await server.get(`/work_queues/${queue.id}`)).body;
      await patch({ name: 'renamed', description: 'd', is_paused: true });
      assert.deepEqual([(await now()).name, (await now()).status], ['renamed', 'PAUSED']);
      await patch({ is_paused: false, last_polled: '2020-01-01T00:00:00Z' });
      assert.equal((await now()).status, 'NOT_READY');
      await patch({ is_paused: false, last_polled: new Date().toISOString() });
      assert.equal((await now()).status, 'NOT_READY', 'the queue was not paused');
      await patch({ is_paused: true });
      await patch({ is_paused: false });
      assert.equal((await now()).status, 'READY');
      await patch({ last_polled: '2020-01-01T00:00:00Z' });
      await patch({ is_paused: false });
      assert.equal((await now()).status, 'NOT_READY');
      assert.equal((await patch({ name: null })).status, 409);
      assert.equal((await patch({ name: 'a/b' })).status, 422);
      assert.equal((await patch({ priority: 0 })).status, 422);
      assert.equal((await patch({ priority: '9'.repeat(30) })).status, 422);
      const filter = { resource: { id: [`prefect.work-queue.${queue.id}`] }, order: 'ASC' };
      const { body } = await server.post('/events/filter', { filter });
      const told = body.events.map(({ event }: { event: string }) => event.replace('prefect.work-queue.', ''));
      assert.deepEqual(told, ['created', 'updated', 'paused', 'not-ready', 'paused', 'ready']);
    });

    test('a queue is deleted, except the default one of its pool', async () => {
      const { body: pool } = await server.post('/work_pools/', { name: 'cut', type: 'process' });
      await server.post('/work_pools/cut/queues', { name: 'q' });
      assert.equal((await server.delete('/work_pools/cut/queues/q')).status, 204);
      assert.equal((await server.delete('/work_pools/cut/queues/default')).status, 409);
      assert.equal((await server.delete(`/work_queues/${pool.default_queue_id}`)).status, 409);
      assert.equal((await server.get('/work_pools/cut/queues')).body.length, 1);
    });

    test('queues that are named without a pool share one automatic pool', async () => {
      const { status, body: queue } = await server.post('/work_queues/', { name: 'legacy', filter: { tags: ['t'] } });
      assert.equal(status, 201);
      assert.equal(queue.work_pool_name, 'default-agent-pool');
      assert.deepEqual(queue.filter, { tags: ['t'], deployment_ids: null });
      assert.deepEqual((await server.get('/work_queues/name/legacy')).body, queue);
      const found = await server.post('/work_queues/filter', { work_queues: { name: { startswith_: ['LEG'] } } });
      assert.deepEqual(found.body, [queue]);
      const unasked = await server.post('/work_queues/filter', { work_queues: { name: { startswith_: [] } } });
      assert.ok(unasked.body.length >= 2, 'an empty list asks for nothing');
      assert.ok((await server.get('/work_queues/')).body.length >= 2);
    });

    test('a queue is found by a name that is as long as a request line allows', async () => {
      await server.post('/work_pools/', { name: 'long' });
      const name = 'x'.repeat(6000);
      assert.equal((await server.post('/work_pools/long/queues', { name })).status, 201);
      assert.equal((await server.get(`/work_pools/long/queues/${name}`)).body.name, name);
    });
  });
}
