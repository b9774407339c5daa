import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../test/support/server.ts';
import { addSeconds, systemClock } from '../values/time.ts';
import { foreman } from './foreman.ts';

for (const database of databases) {
  describe(`the foreman on ${database}`, () => {
    let server: TestServer;
    let flow_id: string;
    before(async () => {
      server = await startServer({ database });
      flow_id = (await server.post('/flows/', { name: 'watched' })).body.id;
    });
    after(() => server.stop());

    /** Two replicas pass at the same time, so many seconds from now. */
    const look = async (seconds: number) => {
      const now = addSeconds(systemClock.now(), seconds);
      await Promise.all([foreman.runOnce(server.context(now)), foreman.runOnce(server.context(now))]);
    };
    const told = async (resource: string) => {
      const until = addSeconds(systemClock.now(), 3600);
      const filter = { resource: { id: [resource] }, order: 'ASC', occurred: { until } };
      return (await server.post('/events/filter', { filter })).body.events;
    };
    const names = async (resource: string): Promise<string[]> =>
      (await told(resource)).map(({ event }: { event: string }) => event.split('.').at(-1));

    test('a pool whose workers stopped their heartbeats is not ready, with one event for all replicas', async () => {
      const { body: pool } = await server.post('/work_pools/', { name: 'silent', type: 'process' });
      await server.post('/work_pools/silent/workers/heartbeat', { name: 'w', heartbeat_interval_seconds: 10 });
      await server.post('/work_pools/', { name: 'busy', type: 'process' });
      await server.post('/work_pools/busy/workers/heartbeat', { name: 'w', heartbeat_interval_seconds: 1000 });
      await look(29);
      assert.deepEqual(await names(`prefect.work-pool.${pool.id}`), ['created', 'not-ready', 'ready']);
      await look(31);
      const events = await told(`prefect.work-pool.${pool.id}`);
      assert.deepEqual(
        events.map(({ event }: { event: string }) => event.split('.').at(-1)),
        ['created', 'not-ready', 'ready', 'not-ready'],
      );
      assert.equal(events[3].follows, events[2].id);
      assert.equal((await server.get('/work_pools/busy')).body.status, 'READY');
      await server.post('/work_pools/silent/workers/heartbeat', { name: 'w', heartbeat_interval_seconds: 10 });
      assert.equal((await names(`prefect.work-pool.${pool.id}`)).length, 5);
    });

    test('queues and deployments without polls are not ready', async () => {
      const { body: pool } = await server.post('/work_pools/', { name: 'asked', type: 'process' });
      const deploy = async (name: string, work_pool_name?: string) =>
        (await server.post('/deployments/', { name, flow_id, work_pool_name })).body.id;
      const [worked, served] = [await deploy('worked', 'asked'), await deploy('served')];
      await server.post('/work_pools/asked/get_scheduled_flow_runs', {});
      await server.post('/deployments/get_scheduled_flow_runs', { deployment_ids: [served] });
      const statuses = async () => [
        (await server.get('/work_pools/asked/queues/default')).body.status,
        (await server.get(`/deployments/${worked}`)).body.status,
        (await server.get(`/deployments/${served}`)).body.status,
      ];
      await look(59);
      assert.deepEqual(await statuses(), ['READY', 'READY', 'READY']);
      await look(61);
      assert.deepEqual(await statuses(), ['NOT_READY', 'NOT_READY', 'NOT_READY']);
      const queue = `prefect.work-queue.${pool.default_queue_id}`;
      assert.deepEqual(await names(queue), ['created', 'ready', 'not-ready']);
      for (const id of [worked, served]) {
        assert.deepEqual(await names(`prefect.deployment.${id}`), ['created', 'ready', 'not-ready']);
      }
    });

    test('paused pools and queues stay paused', async () => {
      const { body: pool } = await server.post('/work_pools/', { name: 'paused', type: 'process', is_paused: true });
      await server.post('/work_pools/paused/workers/heartbeat', { name: 'w', heartbeat_interval_seconds: 1 });
      await server.patch(`/work_queues/${pool.default_queue_id}`, { is_paused: true });
      await look(3000);
      assert.equal((await server.get('/work_pools/paused')).body.status, 'PAUSED');
      assert.equal((await server.get('/work_pools/paused/queues/default')).body.status, 'PAUSED');
    });
  });
}
