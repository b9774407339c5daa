import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { reactive, triggerWorld } from '../../../../test/support/triggers.ts';
import { newId } from '../../../values/id.ts';

for (const database of databases) {
  describe(`the views of automations on ${database}`, () => {
    let server: TestServer;
    const { begin, pass } = triggerWorld({ server: () => server });
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const rowOf = async (id: string) => {
      const { status, body, text } = await server.get('/views/automations');
      assert.equal(status, 200, text);
      return body.automations.find((row: { automation: { id: string } }) => row.automation.id === id);
    };

    test('an automation shows when and how often it fired', async () => {
      const { name, send, automate } = begin();
      const automation = await automate(reactive({ expect: [name('go')] }));
      assert.deepEqual(
        [(await rowOf(automation.id)).last_triggered, (await rowOf(automation.id)).triggered_count],
        [null, 0],
      );
      await send('go', 0);
      await send('go', 1);
      await pass();
      const row = await rowOf(automation.id);
      assert.equal(row.triggered_count, 2);
      assert.ok(row.last_triggered);
      const one = await server.get(`/views/automations/${automation.id}`);
      assert.deepEqual(one.body.row, row);
    });

    test('a failed action gives the reason', async () => {
      const { name, automate } = begin();
      const automation = await automate(reactive({ expect: [name('go')] }));
      await server.post('/events', [
        {
          id: newId(),
          occurred: server.context().now,
          event: 'prefect.automation.action.failed',
          resource: { 'prefect.resource.id': `prefect.automation.${automation.id}` },
          payload: { reason: 'Deployment not found' },
        },
      ]);
      const row = await rowOf(automation.id);
      assert.deepEqual([row.failed_count, row.last_failure], [1, 'Deployment not found']);
    });

    test('objects that a trigger or an action mentions have their names', async () => {
      const { name, automate } = begin();
      const { body: flow } = await server.post('/flows/', { name: 'report' });
      const { body: deployment } = await server.post('/deployments/', { flow_id: flow.id, name: 'nightly' });
      const automation = await automate(
        reactive({ expect: [name('go')], match_related: { 'prefect.resource.id': `prefect.flow.${flow.id}` } }),
        { actions: [{ type: 'run-deployment', deployment_id: deployment.id }] },
      );
      const { body } = await server.get(`/views/automations/${automation.id}`);
      assert.deepEqual(body.names, {
        [`prefect.flow.${flow.id}`]: 'report',
        [`prefect.deployment.${deployment.id}`]: 'nightly',
      });
    });
  });
}
