import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';

for (const database of databases) {
  describe(`polls of work pools on ${database}`, () => {
    let server: TestServer;
    let flow_id: string;
    before(async () => {
      server = await startServer({ database });
      flow_id = (await server.post('/flows/', { name: 'polled' })).body.id;
    });
    after(() => server.stop());

    /** A pool with the queue `default`, then `late`, and a deployment in each. */
    async function makePool(name: string, limits: { pool?: number; late?: number } = {}) {
      await server.post('/work_pools/', { name, type: 'process', concurrency_limit: limits.pool });
      const late = { name: 'late', concurrency_limit: limits.late };
      const { body: queue } = await server.post(`/work_pools/${name}/queues`, late);
      const deploy = async (deployment: string, work_queue_name?: string) =>
        (await server.post('/deployments/', { name: deployment, flow_id, work_pool_name: name, work_queue_name })).body;
      return { queue, first: await deploy(`${name}-first`), late: await deploy(`${name}-late`, 'late') };
    }

    /** Due on that day of January 2026. */
    async function schedule(deployment: { id: string }, name: string, day: number, retry_type: string | null = null) {
      const scheduled_time = `2026-01-0${day}T00:00:00Z`;
      const state = { type: 'SCHEDULED', state_details: { scheduled_time } };
      const body = { name, state, empirical_policy: { retry_type } };
      return (await server.post(`/deployments/${deployment.id}/create_flow_run`, body)).body;
    }

    const poll = async (pool: string, body: object = {}): Promise<string[]> => {
      const answer = await server.post(`/work_pools/${pool}/get_scheduled_flow_runs`, body);
      assert.equal(answer.status, 200, answer.text);
      return answer.body.map(({ flow_run }: { flow_run: { name: string } }) => flow_run.name);
    };

    test('runs are returned by the priority of their queue, then by time, within the requested number', async () => {
      const { first, late } = await makePool('order');
      await schedule(late, 'late-2', 2);
      await schedule(late, 'late-1', 1);
      await schedule(first, 'first-3', 3);
      await schedule(first, 'own-process', 1, 'in_process');
      assert.deepEqual(await poll('order'), ['first-3', 'late-1', 'late-2']);
      assert.deepEqual(await poll('order', { limit: 2 }), ['first-3', 'late-1']);
      assert.deepEqual(await poll('order', { limit: 0 }), []);
      assert.deepEqual(await poll('order', { work_queue_names: ['late'] }), ['late-1', 'late-2']);
      assert.deepEqual(await poll('order', { work_queue_names: [] }), ['first-3', 'late-1', 'late-2']);
      assert.deepEqual(await poll('order', { scheduled_before: '2026-01-02T00:00:00Z' }), ['late-1', 'late-2']);
      assert.deepEqual(await poll('order', { scheduled_after: '2026-01-02T00:00:00Z' }), ['first-3', 'late-2']);
      await server.patch('/work_pools/order/queues/late', { priority: 1 });
      assert.deepEqual(await poll('order'), ['late-1', 'late-2', 'first-3']);
      const missing = await server.post('/work_pools/order/get_scheduled_flow_runs', { work_queue_names: ['none'] });
      assert.deepEqual([missing.status, missing.body.detail], [404, "Work pool queue 'order/none' not found."]);
    });

    test('a polled run includes its state, but not the name of its pool', async () => {
      const { first } = await makePool('shape');
      const run = await schedule(first, 'shape', 1);
      const { body } = await server.post('/work_pools/shape/get_scheduled_flow_runs', {});
      const { flow_run, work_queue_id } = body[0];
      assert.equal(work_queue_id, run.work_queue_id);
      assert.deepEqual([flow_run.id, flow_run.state_type], [run.id, 'SCHEDULED']);
      assert.deepEqual(flow_run.state, (await server.get(`/flow_runs/${run.id}`)).body.state);
      assert.equal('work_pool_name' in flow_run, false);
    });

    test('a poll returns no more runs than queue and pool have room for', async () => {
      const { first, late, queue } = await makePool('room', { pool: 4, late: 2 });
      for (const day of [1, 2, 3]) {
        await schedule(late, `late-${day}`, day);
        await schedule(first, `first-${day}`, day);
      }
      const running = await schedule(late, 'running', 1);
      await server.post(`/flow_runs/${running.id}/set_state`, { state: { type: 'RUNNING' }, force: true });
      assert.deepEqual(await poll('room', { work_queue_names: ['late'] }), ['late-1']);
      assert.deepEqual(await poll('room'), ['first-1', 'first-2', 'first-3']);
      assert.equal((await server.get('/work_pools/room')).body.active_slots, 1);
      await server.patch('/work_pools/room', { concurrency_limit: 1 });
      assert.deepEqual(await poll('room'), []);
      await server.patch('/work_pools/room', { concurrency_limit: null });
      await server.patch(`/work_queues/${queue.id}`, { is_paused: true });
      assert.deepEqual(await poll('room'), ['first-1', 'first-2', 'first-3']);
      await server.patch('/work_pools/room', { is_paused: true });
      assert.deepEqual(await poll('room'), []);

      await server.post(`/flow_runs/${running.id}/set_state`, { state: { type: 'CANCELLING' }, force: true });
      const ofQueue = (await server.post(`/work_queues/${queue.id}/concurrency_status`, {})).body;
      assert.deepEqual([ofQueue.active_slots, ofQueue.flow_runs[0].name, ofQueue.pages], [1, 'running', 1]);
      const ofPool = (await server.post('/work_pools/room/concurrency_status', { limit: 1, page: 2 })).body;
      assert.deepEqual([ofPool.active_slots, ofPool.queues[0].queue_name, ofPool.pages], [0, 'late', 2]);
      const slots = async (answer: Promise<{ body: { active_slots: number } }>) => (await answer).body.active_slots;
      const listed = await server.post('/work_queues/filter', { work_queues: { id: { any_: [queue.id] } } });
      assert.deepEqual(
        [
          await slots(server.get(`/work_queues/${queue.id}`)),
          listed.body[0].active_slots,
          await slots(server.get('/work_pools/room/queues/late')),
        ],
        [1, 1, 0],
        'agents count a run until its cancellation ends, workers do not',
      );
    });

    test('a poll makes its queues and their deployments ready, and records one event', async () => {
      const { first, late, queue } = await makePool('ready');
      const begun = server.server.clock.now().slice(0, 19);
      await poll('ready', { work_queue_names: ['late'] });
      await poll('ready', { work_queue_names: ['late'] });
      const polled = (await server.get(`/work_queues/${queue.id}`)).body;
      assert.equal(polled.status, 'READY');
      assert.ok(polled.last_polled >= begun, polled.last_polled);
      assert.equal((await server.get('/work_pools/ready/queues/default')).body.last_polled, null);
      assert.equal((await server.get(`/deployments/${late.id}`)).body.status, 'READY');
      assert.equal((await server.get(`/deployments/${first.id}`)).body.status, 'NOT_READY');
      const count = async (id: string, name: string) =>
        (await server.post('/events/filter', { filter: { resource: { id: [id] }, event: { name: [name] } } })).body
          .total;
      assert.equal(await count(`prefect.work-queue.${queue.id}`, 'prefect.work-queue.ready'), 1);
      assert.equal(await count(`prefect.deployment.${late.id}`, 'prefect.deployment.ready'), 1);

      const body = { name: 'second', flow_id, work_pool_name: 'ready', work_queue_name: 'late' };
      const { body: second } = await server.post('/deployments/', body);
      await poll('ready', { work_queue_names: ['late'] });
      assert.equal((await server.get(`/deployments/${second.id}`)).body.status, 'READY');
    });

    test('a queue with a filter serves runs of matching deployments, and they hold its slots', async () => {
      const run = async (name: string, given: object) => {
        const { status, text } = await server.post('/flow_runs/', { flow_id, name, ...given });
        assert.equal(status, 201, text);
      };
      const { body: deployment } = await server.post('/deployments/', { name: 'filtered', flow_id });
      const deployed = { deployment_id: deployment.id, tags: ['chosen', 'more'] };
      const due = { type: 'SCHEDULED', state_details: { scheduled_time: '2020-01-01T00:00:00Z' } };
      const made = async (name: string, filter: object) => {
        const { status, body } = await server.post('/work_queues/', { name, filter, concurrency_limit: 2 });
        assert.equal(status, 201);
        return body.id as string;
      };
      const tagged = await made('of a tag', { tags: ['chosen'] });
      const named = await made('of a deployment', { tags: [], deployment_ids: [deployment.id] });
      const nobody = await made('of no deployment', { deployment_ids: [] });
      for (const name of ['due-1', 'due-2', 'due-3']) await run(name, { ...deployed, state: due });
      await run('without deployment', { tags: ['chosen'], state: due });
      const getRuns = async (id: string) =>
        (await server.post(`/work_queues/${id}/get_runs`, {})).body.map(({ name }: { name: string }) => name);
      const slots = async (id: string) => (await server.get(`/work_queues/${id}`)).body.active_slots;
      assert.deepEqual([(await getRuns(tagged)).length, (await getRuns(named)).length], [2, 2]);
      assert.deepEqual(await getRuns(nobody), []);
      await run('under way', { ...deployed, state: { type: 'RUNNING' } });
      await run('ending', { ...deployed, state: { type: 'CANCELLING' } });
      await run('elsewhere', { tags: ['chosen'], state: { type: 'RUNNING' } });
      assert.deepEqual([await slots(tagged), await slots(named), await slots(nobody)], [1, 1, 0]);
      const listed = await server.post('/work_queues/filter', { work_queues: { id: { any_: [tagged] } } });
      assert.equal(listed.body[0].active_slots, 1);
      assert.equal((await getRuns(tagged)).length, 1);
      await run('under way too', { ...deployed, state: { type: 'PENDING' } });
      assert.deepEqual([await getRuns(tagged), await getRuns(named)], [[], []]);
    });

    test('an agent gets the runs of its queue; a plain reader is not counted as an agent', async () => {
      const { late, queue } = await makePool('agents', { late: 2 });
      await schedule(late, 'agent-2', 2);
      await schedule(late, 'agent-1', 1);
      const getRuns = async (body: object, headers: Record<string, string> = {}): Promise<string[]> =>
        (await server.post(`/work_queues/${queue.id}/get_runs`, body, headers)).body.map(
          ({ name }: { name: string }) => name,
        );
      assert.deepEqual(await getRuns({}, { 'x-prefect-ui': 'true' }), ['agent-1', 'agent-2']);
      assert.equal((await server.get(`/work_queues/${queue.id}/status`)).body.healthy, false);
      assert.deepEqual(await getRuns({ limit: 1 }), ['agent-1']);
      const health = (await server.get(`/work_queues/${queue.id}/status`)).body;
      assert.deepEqual([health.healthy, health.late_runs_count], [true, 0]);
      await server.patch(`/work_queues/${queue.id}`, { concurrency_limit: 0 });
      assert.deepEqual(await getRuns({}), []);
      await server.patch(`/work_queues/${queue.id}`, { concurrency_limit: null, is_paused: true });
      assert.deepEqual(await getRuns({}), []);
      assert.equal((await server.get(`/work_queues/${queue.id}`)).body.status, 'PAUSED');
    });

    test('a run with a queue but no pool goes to the agents of that queue', async () => {
      const { body: queue } = await server.post('/work_queues/', { name: 'by-name', concurrency_limit: 2 });
      const submit = async (name: string, type: string) =>
        server.post('/flow_runs/', { flow_id, name, work_queue_name: 'by-name', state: { type } });
      await submit('named-1', 'SCHEDULED');
      await submit('named-2', 'SCHEDULED');
      await submit('named-active', 'PENDING');
      const { body } = await server.post(`/work_queues/${queue.id}/get_runs`, {});
      assert.deepEqual(
        body.map(({ name }: { name: string }) => name),
        ['named-1'],
      );
    });
  });
}
