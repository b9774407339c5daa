import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import type { RetentionKind } from '../../settings/services.ts';
import { addSeconds, systemClock } from '../../values/time.ts';
import { WorkspaceRetention } from './retention.ts';

const DAY = 86_400;

for (const database of databases) {
  describe(`retention on ${database}`, () => {
    let server: TestServer;
    let flow_id: string;
    before(async () => {
      server = await startServer({
        database,
        config: { retention: new Set<RetentionKind>(['events', 'logs', 'orphans', 'flow_runs']) },
      });
      flow_id = (await server.post('/flows/', { name: 'long-lived' })).body.id;
    });
    after(() => server.stop());

    /** Days until rows are deleted one by one on PostgreSQL, which waits until all of their period are old. */
    const later = (period: number) => (database === 'sqlite' ? 0 : period + 1);

    /** Two replicas, so many days from now, until nothing is left to do. */
    async function pass(days: number): Promise<void> {
      const now = addSeconds(systemClock.now(), days * DAY);
      const replicas = [new WorkspaceRetention(), new WorkspaceRetention()];
      for (let left = true; left; ) {
        left = (await Promise.all(replicas.map((replica) => replica.runOnce(server.context(now))))).includes(true);
      }
    }

    async function create(...types: string[]): Promise<string> {
      const id = (await server.post('/flow_runs/', { flow_id })).body.id as string;
      for (const type of types) await server.post(`/flow_runs/${id}/set_state`, { state: { type }, force: true });
      return id;
    }
    const write = (flow_run_id: string, count = 1) =>
      server.post(
        '/logs/',
        Array.from({ length: count }, (_, index) => ({
          name: 'prefect.flow_runs',
          level: 20,
          message: `line ${index}`,
          timestamp: systemClock.now(),
          flow_run_id,
        })),
      );
    const logsOf = async (id: string): Promise<number> =>
      (await server.post('/logs/filter', { logs: { flow_run_id: { any_: [id] } } })).body.length;
    const exists = async (id: string): Promise<boolean> => (await server.get(`/flow_runs/${id}`)).status === 200;
    const eventsOf = async (id: string): Promise<number> =>
      (
        await server.post('/events/filter', {
          filter: {
            resource: { id: [`prefect.flow-run.${id}`] },
            occurred: { since: '2000-01-01T00:00:00Z', until: addSeconds(systemClock.now(), DAY) },
          },
        })
      ).body.total;

    const relatedResources = async (): Promise<number> => {
      const { store, defaultWorkspace } = server.server;
      const [row] = await store
        .reads(defaultWorkspace)
        .query(
          sql<{ rows: number }>`select count(*) as rows from event_resource where "workspace" = ${defaultWorkspace}`,
        );
      return Number(row?.rows);
    };

    test('events are kept for seven days, together with the events they follow', async () => {
      const id = await create('RUNNING', 'COMPLETED');
      const recorded = await eventsOf(id);
      assert.ok(recorded > 0);
      await pass(6.9 + later(1));
      assert.equal(await eventsOf(id), recorded);
      assert.ok((await relatedResources()) >= recorded, 'each names its flow');
      await pass(7.1 + later(1));
      assert.equal(await eventsOf(id), 0);
      assert.equal(await relatedResources(), 0, 'their index rows are deleted with them');
      assert.equal((await server.get(`/flow_runs/${id}`)).body.state.type, 'COMPLETED');
    });

    test('a run that ended too long ago is deleted with its states, task runs and logs', async () => {
      const id = await create('RUNNING', 'COMPLETED');
      const task = { flow_run_id: id, task_key: 'load', dynamic_key: '0', state: { type: 'COMPLETED' } };
      const taskRun = (await server.post('/task_runs/', task)).body.id;
      await write(id, 700);
      await pass(89);
      assert.ok(await exists(id));
      await pass(91);
      assert.equal(await exists(id), false);
      assert.equal((await server.get(`/task_runs/${taskRun}`)).status, 404);
      assert.deepEqual((await server.get(`/flow_run_states/?flow_run_id=${id}`)).body, []);
      assert.equal(await logsOf(id), 0);
    });

    test('a run that has not ended stays, at any age', async () => {
      const running = await create('RUNNING');
      const scheduled = await create('SCHEDULED');
      const restarted = await create('RUNNING', 'FAILED', 'RUNNING');
      await pass(1000);
      assert.deepEqual(await Promise.all([running, scheduled, restarted].map(exists)), [true, true, true]);
      assert.equal((await server.get(`/flow_runs/${running}`)).body.state.type, 'RUNNING');
    });

    test('a run whose parent is deleted stays without a parent', async () => {
      const parent = await create('RUNNING');
      const task = { flow_run_id: parent, task_key: 'sub', dynamic_key: '0', state: { type: 'RUNNING' } };
      const parent_task_run_id = (await server.post('/task_runs/', task)).body.id;
      const child = (await server.post('/flow_runs/', { flow_id, parent_task_run_id })).body.id;
      await server.post(`/flow_runs/${child}/set_state`, { state: { type: 'RUNNING' }, force: true });
      await server.post(`/flow_runs/${parent}/set_state`, { state: { type: 'COMPLETED' }, force: true });
      await pass(91);
      assert.equal(await exists(parent), false);
      assert.equal((await server.get(`/flow_runs/${child}`)).body.parent_task_run_id, null);
    });

    test('logs of an active run are kept as long as a run', async () => {
      const id = await create('RUNNING');
      await write(id, 5);
      await pass(89 + later(7));
      assert.equal(await logsOf(id), 5);
      await pass(91 + later(7));
      assert.equal(await logsOf(id), 0);
    });

    test('logs and artifacts of a deleted run are removed after a day, those of other runs stay', async () => {
      const gone = await create('RUNNING');
      const kept = await create('RUNNING');
      await server.delete(`/flow_runs/${gone}`);
      const artifacts: string[] = [];
      for (const [flow_run_id, data] of [
        [kept, 'first'],
        [gone, 'second'],
      ]) {
        await write(flow_run_id!, 400);
        artifacts.push((await server.post('/artifacts/', { key: 'report', data, flow_run_id })).body.id);
      }
      await pass(0.9);
      assert.ok((await logsOf(gone)) > 0);
      await pass(1.1);
      assert.deepEqual([await logsOf(gone), await logsOf(kept)], [0, 200]);
      const statuses = await Promise.all(artifacts.map(async (id) => (await server.get(`/artifacts/${id}`)).status));
      assert.deepEqual(statuses, [200, 404]);
      assert.equal((await server.get('/artifacts/report/latest')).body.data, 'first');
    });

    test('kinds of data that the setting does not name are kept', async () => {
      const careful = await startServer({
        database,
        config: { retention: new Set<RetentionKind>(['events', 'logs']) },
      });
      const flow = (await careful.post('/flows/', { name: 'kept' })).body.id;
      const { id } = (await careful.post('/flow_runs/', { flow_id: flow })).body;
      await careful.post(`/flow_runs/${id}/set_state`, { state: { type: 'COMPLETED' }, force: true });
      await careful.post('/artifacts/', { key: 'kept', data: 1, flow_run_id: flow });
      const service = new WorkspaceRetention();
      while (await service.runOnce(careful.context(addSeconds(systemClock.now(), 1000 * DAY)))) {}
      assert.equal((await careful.get(`/flow_runs/${id}`)).status, 200);
      assert.equal((await careful.get('/artifacts/kept/latest')).body.data, 1);
      await careful.stop();
    });
  });
}
