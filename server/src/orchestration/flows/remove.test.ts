import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { WorkspaceRetention } from '../../services/old-rows/retention.ts';
import { markFlowRemoved } from './queries.ts';

const RUNS = 150;
const TASK_RUNS = 120;

for (const database of databases) {
  describe(`the deletion of a flow with many runs on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    async function madeFlow(name: string): Promise<{ flow: string; run: string }> {
      const { id: flow } = (await server.post('/flows/', { name })).body;
      const made = Array.from({ length: RUNS }, () => server.post('/flow_runs/', { flow_id: flow }));
      const run = (await Promise.all(made))[0]?.body.id as string;
      await Promise.all(
        Array.from({ length: TASK_RUNS }, (_, index) =>
          server.post('/task_runs/', { flow_run_id: run, task_key: 'many', dynamic_key: String(index) }),
        ),
      );
      return { flow, run };
    }
    const countRuns = async (flow: string): Promise<number> =>
      (await server.post('/flow_runs/count', { flows: { id: { any_: [flow] } } })).body;

    test('deletes all its rows and frees its name', async () => {
      const { flow, run } = await madeFlow('crowded');
      const { body: deployment } = await server.post('/deployments/', { name: 'of-it', flow_id: flow });
      const { body: child } = await server.post('/flows/', { name: 'child' });
      const { body: tasks } = await server.post('/task_runs/filter', { flow_runs: { id: { any_: [run] } }, limit: 1 });
      const { body: subflow } = await server.post('/flow_runs/', {
        flow_id: child.id,
        parent_task_run_id: tasks[0].id,
      });
      const log = { name: 'l', level: 20, message: 'kept', timestamp: server.context().now, flow_run_id: run };
      assert.equal((await server.post('/logs/', [log])).status, 201);
      const countLogs = async () =>
        (await server.post('/logs/filter', { logs: { flow_run_id: { any_: [run] } } })).body.length;
      assert.equal(await countLogs(), 1);
      assert.equal((await server.delete(`/flows/${flow}`)).status, 204);
      // Source: the Prefect server 3.9.1, which deletes logs with a deleted run, but not with the flow of a run.
      assert.equal(await countLogs(), 1);
      assert.equal((await server.get(`/flows/${flow}`)).status, 404);
      assert.equal((await server.get(`/flow_runs/${run}`)).status, 404);
      assert.equal((await server.get(`/deployments/${deployment.id}`)).status, 404);
      assert.equal((await server.get(`/task_runs/${tasks[0].id}`)).status, 404);
      assert.equal(await countRuns(flow), 0);
      assert.equal((await server.get(`/flow_runs/${subflow.id}`)).body.parent_task_run_id, null);
      assert.equal((await server.delete(`/flows/${flow}`)).status, 404);
      const again = await server.post('/flows/', { name: 'crowded' });
      assert.equal(again.status, 201);
      assert.notEqual(again.body.id, flow);
    });

    test('lets other writes run between its batches, and hides the flow at once', async () => {
      const { flow } = await madeFlow('slow');
      let isDone = false;
      const deletion = server.delete(`/flows/${flow}`).then((answer) => {
        isDone = true;
        return answer;
      });
      let passed = 0;
      do await new Promise(setImmediate);
      while ((await server.get(`/flows/${flow}`)).status !== 404);
      assert.equal((await server.post('/flows/filter', { flows: { id: { any_: [flow] } } })).body.length, 0);
      assert.equal((await server.post('/flows/count', { flows: { id: { any_: [flow] } } })).body, 0);
      while (!isDone) {
        await server.post('/variables/', { name: `passed_${passed}`, value: 1 });
        passed++;
      }
      assert.equal((await deletion).status, 204);
      assert.ok(passed > 2, `${passed} writes passed`);
    });

    test('is finished by the service when the server stopped midway', async () => {
      const { flow, run } = await madeFlow('interrupted');
      const { now } = server.context();
      await server.context().transaction((tx) => markFlowRemoved(tx, flow, now));
      assert.equal((await server.get(`/flows/${flow}`)).status, 404);
      const service = new WorkspaceRetention();
      while (await service.runOnce(server.context()));
      assert.equal((await server.get(`/flow_runs/${run}`)).status, 404);
      assert.equal(await countRuns(flow), 0);
    });

    test('deletes the task runs of a single run in batches too', async () => {
      const { run } = await madeFlow('single');
      assert.equal((await server.delete(`/flow_runs/${run}`)).status, 204);
      assert.equal((await server.post('/task_runs/count', { flow_runs: { id: { any_: [run] } } })).body, 0);
      assert.equal((await server.delete(`/flow_runs/${run}`)).status, 404);
    });
  });
}
