import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import type { StoredEvent } from '../../changes/hub.ts';
import { newId } from '../../values/id.ts';

for (const database of databases) {
  describe(`artifacts on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const create = async (body: object) => (await server.post('/artifacts/', body)).body;
    const latest = (key: string) => server.get(`/artifacts/${key}/latest`);
    const count = async (body: object): Promise<number> => (await server.post('/artifacts/count', body)).body;
    const countLatest = async (body: object): Promise<number> =>
      (await server.post('/artifacts/latest/count', body)).body;

    async function eventsDuring(work: () => Promise<unknown>): Promise<StoredEvent[]> {
      const events: StoredEvent[] = [];
      const { hub, defaultWorkspace } = server.server;
      const stop = hub.hear('events', defaultWorkspace, (event) => events.push(event));
      await work();
      stop();
      return events;
    }

    test('an artifact is returned as it was sent; without a key it is in no collection', async () => {
      const created = await server.post(
        '/artifacts/',
        '{"type":"progress","data":{"n":1.0,"big":12345678901234567890}}',
      );
      assert.equal(created.status, 201);
      assert.match(created.text, /"data":\{"n":1\.0,"big":12345678901234567890\}/);
      assert.equal((await server.get(`/artifacts/${created.body.id}`)).text, created.text);
      assert.equal(await countLatest({ artifacts: { latest_id: { any_: [created.body.id] } } }), 0);
    });

    test('a key is refused unless it is lower-case letters, digits and dashes', async () => {
      const answer = await server.post('/artifacts/', { key: 'Bad Key' });
      assert.equal(answer.status, 422);
      assert.match(answer.body.exception_detail[0].msg, /Artifact key must only contain/);
    });

    test('long metadata values are cut when they are stored', async () => {
      const metadata_ = { long: 'é'.repeat(501), exact: 'x'.repeat(500), 2: 'b', 1: 'a' };
      const artifact = await create({ metadata_ });
      assert.deepEqual(artifact.metadata_, { ...metadata_, long: `${'é'.repeat(500)}...` });
      await server.patch(`/artifacts/${artifact.id}`, { metadata_: { other: 'y'.repeat(600) } });
      const changed = (await server.get(`/artifacts/${artifact.id}`)).body;
      assert.deepEqual(changed.metadata_, { other: `${'y'.repeat(500)}...` });
    });

    test('the newest artifact of a key is the latest, under the id of its collection', async () => {
      const first = await create({ key: 'report', data: 1, description: 'one' });
      const collection = (await latest('report')).body;
      const second = await create({ key: 'report', data: 2, type: 'markdown', task_run_id: newId() });
      const { id, created, ...newest } = (await latest('report')).body;
      assert.equal(id, collection.id);
      assert.notEqual(id, first.id);
      assert.equal(created, first.created);
      const { id: latest_id, created: _, ...content } = second;
      assert.deepEqual(newest, content);
      const listed = await server.post('/artifacts/latest/filter', { artifacts: { key: { any_: ['report'] } } });
      assert.deepEqual(listed.body, [{ id, created, latest_id, ...content }]);
    });

    test('a change of the latest artifact shows in the collection, a change of an older one does not', async () => {
      const older = await create({ key: 'changed', data: 'older' });
      const newer = await create({ key: 'changed', data: 'newer', description: 'text' });
      assert.equal((await server.patch(`/artifacts/${older.id}`, { data: 'x' })).status, 204);
      assert.equal((await latest('changed')).body.data, 'newer');
      assert.equal((await server.patch(`/artifacts/${newer.id}`, { data: null, description: null })).status, 204);
      const { data, description } = (await latest('changed')).body;
      assert.deepEqual([data, description], [null, null]);
      assert.equal((await server.get(`/artifacts/${older.id}`)).body.data, 'x');
    });

    test('deleting the latest promotes the one before it, and deleting the last deletes the collection', async () => {
      const [first, second, third] = [
        await create({ key: 'chain', data: 1 }),
        await create({ key: 'chain', data: 2 }),
        await create({ key: 'chain', data: 3 }),
      ];
      await server.patch(`/artifacts/${first.id}`, { data: 'changed last' });
      assert.equal((await server.delete(`/artifacts/${third.id}`)).status, 204);
      const promoted = (await latest('chain')).body;
      assert.deepEqual({ ...promoted, id: second.id }, second);
      await server.delete(`/artifacts/${first.id}`);
      assert.equal((await latest('chain')).body.data, 2);
      await server.delete(`/artifacts/${second.id}`);
      assert.equal((await latest('chain')).status, 404);
      assert.equal(await countLatest({ artifacts: { key: { any_: ['chain'] } } }), 0);
    });

    test('artifacts are filtered by their own fields', async () => {
      await create({ key: 'own-a', type: 'table' });
      await create({ key: 'own-a', type: 'link' });
      await create({ key: 'own-b' });
      const own = { like_: 'OWN-' };
      assert.equal(await count({ artifacts: { key: own } }), 3);
      assert.equal(await countLatest({ artifacts: { key: own } }), 2);
      assert.equal(await count({ artifacts: { key: own, type: { any_: ['table'] } } }), 1);
      assert.equal(await count({ artifacts: { key: own, type: { not_any_: ['table'] } } }), 1);
      assert.equal(await count({ artifacts: { key: { ...own, exists_: false } } }), 0);
      assert.ok((await count({ artifacts: { key: { exists_: false } } })) > 0);
      const sorted = await server.post('/artifacts/filter', { artifacts: { key: own }, sort: 'KEY_DESC', limit: 1 });
      assert.equal(sorted.body[0].key, 'own-b');
      assert.equal((await server.get('/artifacts/?sort=CREATED_DESC&limit=1')).body[0].key, 'own-b');
    });

    test('artifacts are filtered by the runs they belong to, which must exist', async () => {
      const { body: flow } = await server.post('/flows/', { name: 'makes-artifacts' });
      const { body: flowRun } = await server.post('/flow_runs/', { flow_id: flow.id });
      const task = { flow_run_id: flowRun.id, task_key: 't', dynamic_key: '0' };
      const { body: taskRun } = await server.post('/task_runs/', task);
      const artifacts = { key: { any_: ['of-runs'] } };
      await create({ key: 'of-runs' });
      await create({ key: 'of-runs', flow_run_id: newId() });
      await create({ key: 'of-runs', flow_run_id: flowRun.id });
      await create({ key: 'of-runs', flow_run_id: flowRun.id, task_run_id: taskRun.id });
      assert.equal(await count({ artifacts, flow_runs: { id: { any_: [flowRun.id] } } }), 2);
      assert.equal(await count({ artifacts, flows: { name: { any_: ['makes-artifacts'] } } }), 2);
      assert.equal(await count({ artifacts, task_runs: { id: { any_: [taskRun.id] } } }), 1);
      assert.equal(await count({ artifacts, flow_runs: {} }), 2);
      assert.equal(await count({ artifacts, deployments: {} }), 0);
      assert.equal(await countLatest({ artifacts, task_runs: {} }), 1);
      const both = { flows: { name: { any_: ['makes-artifacts'] } }, task_runs: { name: { any_: ['other'] } } };
      assert.equal(await count({ artifacts, ...both }), 0);
    });

    test('changes of a collection are events, changes of an artifact are not', async () => {
      const flow_run_id = newId();
      const task_run_id = newId();
      const made: { id: string }[] = [];
      const events = await eventsDuring(async () => {
        made.push(await create({ key: 'told', data: { n: 1 }, type: 'table', description: 'd' }));
        made.push(await create({ key: 'told', flow_run_id, task_run_id }));
        await server.patch(`/artifacts/${made[1]!.id}`, { data: 2 });
        await server.delete(`/artifacts/${made[1]!.id}`);
        await server.delete(`/artifacts/${made[0]!.id}`);
      });
      const resource = (id: string, role: string, kind: string) => ({
        'prefect.resource.id': `prefect.${kind}.${id}`,
        'prefect.resource.role': role,
      });
      const first = {
        related: [resource(made[0]!.id, 'latest', 'artifact')],
        payload: { key: 'told', type: 'table', data: { n: 1 }, description: 'd' },
      };
      const second = {
        related: [
          resource(made[1]!.id, 'latest', 'artifact'),
          resource(flow_run_id, 'flow-run', 'flow-run'),
          resource(task_run_id, 'task-run', 'task-run'),
        ],
        payload: { key: 'told', type: null, data: null, description: null },
      };
      assert.deepEqual(
        events.map(({ event, related, payload }) => ({
          event,
          related: JSON.parse(related),
          payload: JSON.parse(payload),
        })),
        [
          { event: 'prefect.artifact-collection.created', ...first },
          { event: 'prefect.artifact-collection.updated', ...second },
          { event: 'prefect.artifact-collection.updated', ...first },
          { event: 'prefect.artifact-collection.deleted', ...first },
        ],
      );
      assert.equal(JSON.parse(events[0]!.resource)['prefect.resource.name'], 'told');
    });

    test('an artifact too large for an event is stored without one', async () => {
      const events = await eventsDuring(() => create({ key: 'large', data: 'x'.repeat(1_500_000) }));
      assert.deepEqual(events, []);
      assert.equal((await latest('large')).body.data.length, 1_500_000);
    });
  });
}
