import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type PlatformCaller, person } from '../../../test/support/platform.ts';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { holdFrom } from '../../orchestration/retention/import-hold.ts';
import { WorkspaceRetention } from '../../services/old-rows/retention.ts';
import { newId } from '../../values/id.ts';
import { addSeconds, systemClock } from '../../values/time.ts';

const HOUR = 3600;
const DAY = 86_400;

for (const database of databases) {
  describe(`the retention of a workspace on ${database}`, () => {
    let server: TestServer;
    let admin: PlatformCaller;
    let path: string;
    const start = systemClock.now();
    before(async () => {
      server = await startServer({ database });
      admin = await person(server, 'ada@example.com', 'admin');
      const { items } = (await admin.get('/organizations/default/workspaces')).body;
      path = `/organizations/default/workspaces/${items[0].id}/retention`;
    });
    after(() => server.stop());

    const put = async (body: object) => {
      const answer = await admin.put(path, body);
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    const service = new WorkspaceRetention();
    const pass = async (days: number) => {
      while (await service.runOnce(server.context(addSeconds(start, days * DAY)))) {}
    };
    const send = (name: string) =>
      server.post('/events', [{ id: newId(), occurred: start, event: name, resource: { 'prefect.resource.id': 'a' } }]);
    const eventsNamed = async (name: string) =>
      (
        await server.post('/events/filter', {
          filter: {
            event: { name: [name] },
            occurred: { since: addSeconds(start, -DAY), until: addSeconds(start, DAY) },
          },
        })
      ).body.total;
    const log = async (message: string, flow_run_id: string | null, count = 1) => {
      const line = { name: 'a', level: 20, message, timestamp: start, flow_run_id };
      for (let sent = 0; sent < count; sent += 200)
        assert.equal(
          (
            await server.post(
              '/logs/',
              Array.from({ length: Math.min(200, count - sent) }, () => line),
            )
          ).status,
          201,
        );
    };
    const logs = async () =>
      new Set(((await server.post('/logs/filter', {})).body as { message: string }[]).map(({ message }) => message));

    test('is that of the server at first, and cannot be longer', async () => {
      const first = (await admin.get(path)).body;
      const server = { eventSeconds: 7 * DAY, logSeconds: 90 * DAY, flowRunSeconds: 90 * DAY };
      assert.deepEqual(first, { eventSeconds: null, logSeconds: null, flowRunSeconds: null, deployments: [], server });
      for (const [body, field] of [
        [{ eventSeconds: 8 * DAY }, 'eventSeconds'],
        [{ eventSeconds: 59 }, 'eventSeconds'],
        [{ logSeconds: 91 * DAY }, 'logSeconds'],
        [{ flowRunSeconds: 91 * DAY }, 'flowRunSeconds'],
        [{ deployments: [{ deploymentId: newId(), logSeconds: HOUR }] }, 'deployments.0.deploymentId'],
        [
          { logSeconds: DAY, deployments: [{ deploymentId: newId(), logSeconds: 2 * DAY }] },
          'deployments.0.logSeconds',
        ],
      ] as const) {
        const { status, body: refused } = await admin.put(path, body);
        assert.equal(status, 422);
        assert.equal(refused.error.details[0].field, field);
      }
      assert.deepEqual((await admin.get(path)).body, first);
    });

    test('is changed by administrators of the workspace, which the audit shows', async () => {
      const member = await person(server, 'max@example.com', 'member');
      assert.notEqual((await member.put(path, { eventSeconds: DAY })).status, 200);
      const answered = await put({ eventSeconds: DAY });
      assert.equal(answered.eventSeconds, DAY);
      const [entry] = (await admin.get('/organizations/default/audit?action=workspace.retention')).body.items;
      assert.equal(entry.details.eventSeconds, DAY);
      const { eventSeconds } = await put({});
      assert.equal(eventSeconds, null);
    });

    test('deletes events and logs when they are older, those of other workspaces later', async () => {
      await send('short');
      await log('short', null, 450);
      await put({ eventSeconds: DAY, logSeconds: 2 * DAY });
      await pass(0.9);
      assert.equal(await eventsNamed('short'), 1);
      await pass(1.1);
      assert.deepEqual([await eventsNamed('short'), (await logs()).has('short')], [0, true]);
      await pass(2.1);
      assert.equal((await logs()).has('short'), false);
      await put({});
      await send('long');
      await log('long', null);
      await pass(6);
      assert.deepEqual([await eventsNamed('long'), (await logs()).has('long')], [1, true]);
    });

    test('deletes the logs of the runs of one deployment, and those that come later too', async () => {
      const flow_id = (await server.post('/flows/', { name: 'noisy' })).body.id;
      const [deploymentId, other] = await Promise.all(
        ['noisy', 'quiet'].map(async (name) => (await server.post('/deployments/', { name, flow_id })).body.id),
      );
      const run = async (id: string) => (await server.post(`/deployments/${id}/create_flow_run`, {})).body.id;
      const [noisy, quiet] = [await run(deploymentId), await run(other)];
      await log('noisy', noisy, 450);
      await log('quiet', quiet);
      await put({ deployments: [{ deploymentId, logSeconds: DAY }] });
      await pass(0.9);
      assert.equal((await logs()).has('noisy'), true);
      await pass(1.1);
      assert.deepEqual([(await logs()).has('noisy'), (await logs()).has('quiet')], [false, true]);
      const later = {
        name: 'a',
        level: 20,
        message: 'later',
        timestamp: addSeconds(start, 1.5 * DAY),
        flow_run_id: noisy,
      };
      await server.post('/logs/', [later]);
      await pass(2.4);
      assert.equal((await logs()).has('later'), true);
      await pass(2.6);
      assert.deepEqual([(await logs()).has('later'), (await logs()).has('quiet')], [false, true]);
      assert.equal((await server.get(`/flow_runs/${noisy}`)).status, 200);
    });

    test('deletes ended runs when they are older', async () => {
      const flow_id = (await server.post('/flows/', { name: 'ended' })).body.id;
      const { id } = (await server.post('/flow_runs/', { flow_id, state: { type: 'COMPLETED' } })).body;
      await server.post(`/flow_runs/${id}/set_state`, { state: { type: 'COMPLETED' }, force: true });
      await put({ flowRunSeconds: DAY });
      await pass(0.9);
      assert.equal((await server.get(`/flow_runs/${id}`)).status, 200);
      await pass(1.1);
      assert.equal((await server.get(`/flow_runs/${id}`)).status, 404);
    });

    test('an import keeps its rows for that time', async () => {
      await send('imported');
      await put({ eventSeconds: DAY });
      const { workspace } = server.context();
      await server.server.store.transaction(workspace, (tx) => holdFrom(tx, 'events', addSeconds(start, DAY)));
      await pass(1.9);
      assert.equal(await eventsNamed('imported'), 1);
      await pass(2.1);
      assert.equal(await eventsNamed('imported'), 0);
    });
  });
}
