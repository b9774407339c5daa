import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { type Answer, databases, startServer, type TestServer } from '../../../test/support/server.ts';

for (const database of databases) {
  describe(`deployments on ${database}`, () => {
    let server: TestServer;
    let flow: { id: string; name: string };
    before(async () => {
      server = await startServer({ database });
      flow = (await server.post('/flows/', { name: 'etl', labels: { team: 'data' } })).body;
    });
    after(() => server.stop());

    const create = (body: object): Promise<Answer> => server.post('/deployments/', { flow_id: flow.id, ...body });
    const read = async (id: string) => (await server.get(`/deployments/${id}`)).body;

    const makePool = (name: string) => server.post('/work_pools/', { name, type: 'process' });
    const makeLimit = async (name: string): Promise<string> =>
      (await server.post('/v2/concurrency_limits/', { name, limit: 5 })).body.id;

    async function limitNames(): Promise<string[]> {
      const { body } = await server.post('/v2/concurrency_limits/filter', {});
      return body.map(({ name }: { name: string }) => name);
    }

    async function eventsOf(id: string) {
      const resource = { id: [`prefect.deployment.${id}`] };
      const answer = await server.post('/events/filter', { filter: { resource, order: 'ASC' } });
      return answer.body.events as {
        event: string;
        payload: Record<string, unknown>;
        related: Record<string, string>[];
      }[];
    }

    test('a new deployment has defaults, and labels of its flow', async () => {
      const answer = await create({ name: 'plain', labels: { env: 'dev' } });
      assert.equal(answer.status, 201);
      const { id, created, updated, ...rest } = answer.body;
      assert.ok(id && created && updated);
      assert.deepEqual(rest, {
        name: 'plain',
        version: null,
        description: null,
        flow_id: flow.id,
        paused: false,
        schedules: [],
        concurrency_limit: null,
        global_concurrency_limit: null,
        concurrency_options: null,
        job_variables: {},
        parameters: {},
        tags: [],
        labels: { team: 'data', 'prefect.flow.id': flow.id, env: 'dev' },
        work_queue_name: null,
        work_queue_id: null,
        last_polled: null,
        parameter_openapi_schema: {},
        path: null,
        pull_steps: [],
        entrypoint: null,
        storage_document_id: null,
        infrastructure_document_id: null,
        created_by: null,
        updated_by: null,
        work_pool_name: null,
        status: 'NOT_READY',
        enforce_parameter_schema: true,
      });
      assert.deepEqual(await read(id), answer.body);
      assert.deepEqual((await server.get('/deployments/name/etl/plain')).body, answer.body);
    });

    test('a repeated create changes the given fields; parameters, labels and schedules are always replaced', async () => {
      const schedule = { schedule: { cron: '0 0 * * *' } };
      const given = {
        name: 'again',
        paused: true,
        tags: ['a'],
        description: 'text',
        version: '1',
        pull_steps: [{ step: { x: 1.0 } }],
        job_variables: { env: {} },
        concurrency_limit: 2,
        concurrency_options: { collision_strategy: 'ENQUEUE' },
      };
      const first = await create({ ...given, parameters: { x: 1 }, labels: { l: 1 }, schedules: [schedule] });
      const second = await create({ name: 'again', version: null });
      assert.equal(second.status, 200);
      const { version: _, updated: __, ...kept } = first.body;
      const expected = { ...kept, parameters: {}, schedules: [], labels: { team: 'data', 'prefect.flow.id': flow.id } };
      const { version, updated, ...rest } = second.body;
      assert.deepEqual(rest, expected);
      assert.equal(version, null);
      assert.ok(updated > first.body.updated);
    });

    test('a name that does not fit a URL, and an unknown flow, limit, pool or block, are refused with a reason', async () => {
      const missing = randomUUID();
      assert.equal((await create({ name: 'a/b' })).status, 422);
      assert.equal((await create({ name: 'x', flow_id: missing })).status, 409);
      const pool = await create({ name: 'x', flow_id: missing, work_pool_name: 'nowhere' });
      assert.deepEqual([pool.status, pool.body], [404, { detail: 'Work pool "nowhere" not found.' }]);
      const limit = await create({ name: 'x', global_concurrency_limit_id: missing });
      assert.deepEqual([limit.status, limit.body], [404, { detail: 'Concurrency limit not found' }]);
      const block = await create({ name: 'x', storage_document_id: missing });
      assert.equal(block.status, 409);
      assert.match(
        block.body.detail,
        new RegExp(`^Error creating deployment. Could not find storage block with id: ${missing}`),
      );
    });

    test('an update changes the given fields, and sets null where null is allowed', async () => {
      const { body: deployment } = await create({ name: 'patched', description: 'old', tags: ['a'], version: '1' });
      const url = `/deployments/${deployment.id}`;
      assert.equal((await server.patch(url, { tags: ['b', 'b'], description: null, job_variables: null })).status, 204);
      const changed = await read(deployment.id);
      assert.deepEqual([changed.tags, changed.description, changed.version], [['b', 'b'], null, '1']);
      assert.deepEqual(changed.job_variables, {});
      assert.equal((await server.patch(url, { parameters: null })).status, 409);
      assert.equal((await server.patch(url, { name: 'new' })).status, 422);
      assert.equal((await server.patch(url, { parameter_openapi_schema: {} })).status, 204);
      assert.deepEqual((await read(deployment.id)).parameter_openapi_schema, { type: 'object', properties: {} });
    });

    test('parameters must fit the schema when it is enforced or the deployment changes', async () => {
      const parameter_openapi_schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['b'] };
      const strict = { name: 'strict', parameter_openapi_schema, enforce_parameter_schema: true };
      const refused = await create({ ...strict, parameters: { a: 'x' } });
      assert.equal(refused.status, 422);
      assert.deepEqual(
        refused.body.exception_detail.map(({ loc, msg }: { loc: string[]; msg: string }) => [loc, msg]),
        [[['body'], "Value error, Validation failed for field 'a'. Failure reason: 'x' is not of type 'integer'"]],
      );
      const { body } = await create({ ...strict, parameters: { a: 1 } });
      const url = `/deployments/${body.id}`;
      const changed = await server.patch(url, { parameters: { a: 'x' } });
      assert.equal(changed.status, 409);
      assert.match(changed.body.detail, /^Error updating deployment: Validation failed for field 'a'/);
      const broken = await server.patch(url, { parameter_openapi_schema: { type: 'nonsense' } });
      assert.equal(broken.status, 422);
      assert.match(
        broken.body.detail,
        /^The provided schema is not a valid json schema. Schema error: 'nonsense' is not/,
      );
      const filled = await server.patch(url, { parameters: { a: { __prefect_kind: 'json', value: '{' } } });
      assert.equal(filled.status, 400);
      assert.match(filled.body.detail, /^Error hydrating deployment parameters: Invalid JSON: /);
      await server.patch(url, { parameters: { a: { __prefect_kind: 'json', value: '7' } } });
      assert.deepEqual((await read(body.id)).parameters, { a: 7 });
    });

    test('numbers in parameters keep their type', async () => {
      const created = await server.post(
        '/deployments/',
        `{"flow_id":"${flow.id}","name":"kinds","parameters":{"f":1.0,"big":12345678901234567890}}`,
      );
      assert.match(created.text, /"parameters":\{"f":1\.0,"big":12345678901234567890\}/);
    });

    test('a named queue is created, with the highest priority in the default pool', async () => {
      await makePool('own');
      const inPool = await create({ name: 'queued', work_pool_name: 'own', work_queue_name: 'fast' });
      assert.deepEqual([inPool.body.work_pool_name, inPool.body.work_queue_name], ['own', 'fast']);
      const again = await create({ name: 'queued', work_pool_name: 'own' });
      assert.equal(again.body.work_queue_name, 'default');
      for (const queue of ['first', 'second']) {
        const { body } = await create({ name: 'queued', work_queue_name: queue });
        assert.deepEqual([body.work_pool_name, body.work_queue_name], ['default-agent-pool', queue]);
      }
      const { body: queues } = await server.get(`/deployments/${inPool.body.id}/work_queue_check`);
      const priority = (name: string) => queues.find((queue: { name: string }) => queue.name === name).priority;
      assert.deepEqual(['fast', 'second', 'first'].map(priority), [2, 1, 2]);
      const refused = await create({ name: 'queued', work_pool_name: 'own', work_queue_name: 'a/b' });
      assert.equal(refused.status, 422);
    });

    test('a queue with a filter matches the deployments that pass it', async () => {
      const { body: tagged } = await create({ name: 'tagged', tags: ['a', 'b'] });
      const { body: other } = await create({ name: 'untagged' });
      const filters = {
        all: {},
        'no tags': { tags: [] },
        a: { tags: ['a'] },
        'a and c': { tags: ['a', 'c'] },
        one: { deployment_ids: [tagged.id] },
        none: { deployment_ids: [] },
        both: { tags: ['b'], deployment_ids: [other.id] },
      };
      for (const [name, filter] of Object.entries(filters)) {
        assert.equal((await server.post('/work_queues/', { name: `checked ${name}`, filter })).status, 201);
      }
      const checked = async (id: string) => {
        const { body } = await server.get(`/deployments/${id}/work_queue_check`);
        const names = (body as { name: string }[]).map(({ name }) => name);
        return names.filter((name) => name.startsWith('checked ')).map((name) => name.slice('checked '.length));
      };
      assert.deepEqual(await checked(tagged.id), ['all', 'no tags', 'a', 'one', 'none']);
      assert.deepEqual(await checked(other.id), ['all', 'no tags', 'none']);
    });

    test('a deployment that leaves its pool keeps the name of its queue', async () => {
      await makePool('left');
      const { body } = await create({ name: 'leaver', work_pool_name: 'left', work_queue_name: 'q' });
      assert.equal((await server.patch(`/deployments/${body.id}`, { work_pool_name: null })).status, 204);
      const after = await read(body.id);
      assert.deepEqual([after.work_pool_name, after.work_queue_id, after.work_queue_name], [null, null, 'q']);
      const unknown = await server.patch(`/deployments/${body.id}`, { work_pool_name: 'nowhere' });
      assert.deepEqual([unknown.status, unknown.body], [404, { detail: 'Work pool "nowhere" not found.' }]);
    });

    test("a deployment's own limit is named after it, changes with it and is deleted with it", async () => {
      const { body } = await create({ name: 'limited', concurrency_limit: 2 });
      const name = `deployment:${body.id}`;
      assert.equal(body.concurrency_limit, null);
      assert.deepEqual([body.global_concurrency_limit.name, body.global_concurrency_limit.limit], [name, 2]);
      await server.patch(`/deployments/${body.id}`, { concurrency_limit: 7 });
      const changed = (await read(body.id)).global_concurrency_limit;
      assert.deepEqual([changed.id, changed.limit], [body.global_concurrency_limit.id, 7]);
      await server.patch(`/deployments/${body.id}`, { concurrency_limit: null });
      assert.equal((await read(body.id)).global_concurrency_limit, null);
      assert.ok(!(await limitNames()).includes(name));
      await create({ name: 'limited', concurrency_limit: 1 });
      await server.delete(`/deployments/${body.id}`);
      assert.ok(!(await limitNames()).includes(name));
    });

    test('deleting a flow deletes the limits of its deployments', async () => {
      const { body: other } = await server.post('/flows/', { name: 'short-lived' });
      const { body } = await create({ flow_id: other.id, name: 'limited', concurrency_limit: 2 });
      assert.ok((await limitNames()).includes(`deployment:${body.id}`));
      await server.delete(`/flows/${other.id}`);
      assert.ok(!(await limitNames()).includes(`deployment:${body.id}`));
    });

    test('a shared limit is only referenced, never changed or deleted', async () => {
      const id = await makeLimit('shared');
      const { body } = await create({ name: 'sharing', global_concurrency_limit_id: id });
      assert.equal(body.global_concurrency_limit.id, id);
      const own = await create({ name: 'sharing', concurrency_limit: 3 });
      assert.equal(own.body.global_concurrency_limit.name, `deployment:${body.id}`);
      await server.patch(`/deployments/${body.id}`, { global_concurrency_limit_id: id });
      assert.deepEqual(
        (await limitNames()).filter((name) => name === 'shared' || name.endsWith(body.id)),
        ['shared'],
      );
      assert.equal((await server.patch(`/deployments/${body.id}`, { concurrency_limit: null })).status, 204);
      assert.equal((await read(body.id)).global_concurrency_limit, null);
      await create({ name: 'sharing', global_concurrency_limit_id: id });
      await server.delete(`/deployments/${body.id}`);
      assert.ok((await limitNames()).includes('shared'));
      const both = await create({ name: 'sharing', concurrency_limit: 1, global_concurrency_limit_id: id });
      assert.equal(both.status, 422);
    });

    test("a deployment's own limit may be referenced like a shared one", async () => {
      const { body } = await create({ name: 'self', concurrency_limit: 3 });
      const { id } = body.global_concurrency_limit;
      const again = await create({ name: 'self', global_concurrency_limit_id: id });
      assert.equal(again.body.global_concurrency_limit.id, id);
    });

    test('pausing and resuming answer null', async () => {
      const { body } = await create({ name: 'pausing' });
      const paused = await server.post(`/deployments/${body.id}/pause_deployment`);
      assert.deepEqual([paused.status, paused.text], [200, 'null']);
      assert.equal((await read(body.id)).paused, true);
      const resumed = await server.post(`/deployments/${body.id}/resume_deployment`);
      assert.deepEqual([resumed.status, resumed.text], [200, 'null']);
      assert.equal((await read(body.id)).paused, false);
    });

    test('deployments are filtered, counted, paged and listed', async () => {
      const { body: other } = await server.post('/flows/', { name: 'paged-flow' });
      for (const name of ['page-a', 'page-b', 'page-c']) {
        await create({ flow_id: other.id, name, tags: [name], schedules: [{ schedule: { interval: 60 } }] });
      }
      const flows = { id: { any_: [other.id] } };
      const page = await server.post('/deployments/paginate', { flows, limit: 2, page: 2, sort: 'NAME_DESC' });
      assert.deepEqual([page.body.count, page.body.pages, page.body.page, page.body.limit], [3, 2, 2, 2]);
      const [last] = page.body.results;
      assert.equal(last.name, 'page-a');
      assert.equal(last.schedules.length, 1);
      assert.deepEqual(last, await read(last.id));
      const tagged = { deployments: { tags: { any_: ['page-b'] } } };
      assert.equal((await server.post('/deployments/count', tagged)).body, 1);
      assert.equal((await server.post('/deployments/filter', tagged)).body[0].name, 'page-b');
      const named = { deployments: { flow_or_deployment_name: { like_: 'PAGED-' } } };
      assert.equal((await server.post('/deployments/filter', named)).body.length, 3);
      assert.equal((await server.get('/deployments/?limit=1')).body.length, 1);
      assert.equal((await server.post('/deployments/filter', { sort: 'CONCURRENCY_LIMIT_ASC' })).status, 422);
    });

    test('bulk deletion returns the deleted ids', async () => {
      const { body } = await create({ name: 'bulk' });
      const filter = { deployments: { id: { any_: [body.id] } } };
      assert.deepEqual((await server.post('/deployments/bulk_delete', filter)).body, { deleted: [body.id] });
      assert.deepEqual((await server.post('/deployments/bulk_delete', filter)).body, { deleted: [] });
    });

    test('events name the changed fields only', async () => {
      await makePool('told');
      const { body } = await create({ name: 'told', work_pool_name: 'told', concurrency_limit: 1 });
      const url = `/deployments/${body.id}`;
      await server.patch(url, { tags: ['t'], job_variables: { a: 1 }, paused: false });
      await server.patch(url, { tags: ['t'], job_variables: { a: 1 }, schedules: [{ schedule: { interval: 60 } }] });
      await server.delete(url);
      const events = await eventsOf(body.id);
      assert.deepEqual(
        events.map(({ event }) => event),
        ['prefect.deployment.created', 'prefect.deployment.updated', 'prefect.deployment.deleted'],
      );
      assert.deepEqual(events[1]?.payload, {
        updated_fields: ['infra_overrides', 'tags'],
        updates: { infra_overrides: { from: {}, to: { a: 1 } }, tags: { from: [], to: ['t'] } },
      });
      assert.deepEqual(
        events[0]?.related.map((resource) => [resource['prefect.resource.role'], resource['prefect.resource.name']]),
        [
          ['flow', 'etl'],
          ['work-queue', 'default'],
          ['work-pool', 'told'],
          ['concurrency-limit', undefined],
        ],
      );
    });
  });
}
