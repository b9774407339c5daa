import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';

for (const database of databases) {
  describe(`work pools on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const eventsOf = async (kind: string, id: string): Promise<string[]> => {
      const filter = { resource: { id: [`prefect.${kind}.${id}`] }, order: 'ASC' };
      const { body } = await server.post('/events/filter', { filter });
      return body.events.map(({ event }: { event: string }) => event.replace(`prefect.${kind}.`, ''));
    };

    test('an empty name is refused in its own words, before the characters of a name are looked at', async () => {
      for (const [name, type] of [
        ['', 'value_error'],
        [' ', 'value_error'],
        ['a/b', 'string_pattern_mismatch'],
      ] as const) {
        const { status, body } = await server.post('/work_pools/', { name, type: 'process' });
        assert.deepEqual([status, body.exception_detail.map((one: { type: string }) => one.type)], [422, [type]], name);
      }
    });

    test('a new pool has a default queue and waits for a worker', async () => {
      const { status, body: pool } = await server.post('/work_pools/', { name: 'new', type: 'process' });
      assert.equal(status, 201);
      assert.equal(pool.status, 'NOT_READY');
      assert.equal(pool.active_slots, null);
      const queue = await server.get('/work_pools/new/queues/default');
      assert.equal(queue.body.id, pool.default_queue_id);
      assert.equal(queue.body.priority, 1);
    });

    test('names that are reserved, blank or do not fit a URL are refused', async () => {
      assert.equal((await server.post('/work_pools/', { name: 'PreFect-x' })).status, 403);
      for (const name of ['', '  ', '""', 'a/b'])
        assert.equal((await server.post('/work_pools/', { name })).status, 422);
      assert.equal((await server.delete('/work_pools/prefect-x')).status, 403);
      assert.equal((await server.patch('/work_pools/prefect-x', { description: 'x' })).status, 403);
      assert.equal((await server.patch('/work_pools/prefect-x', { is_paused: true })).status, 404);
    });

    test('a job template needs both parts, declared variables and valid defaults', async () => {
      const create = (base_job_template: object) =>
        server.post('/work_pools/', { name: 'template', base_job_template });
      const job_configuration = { command: '{{ command }}', nested: [{ env: '{{ env }}' }] };
      const half = await create({ job_configuration });
      assert.match(half.text, /must contain both a `job_configuration` key and a `variables` key/);
      const undeclared = await create({ job_configuration, variables: { properties: { command: {} } } });
      assert.match(undeclared.text, /undeclared variable\(s\): env\./);
      const none = await create({ job_configuration, variables: { type: 'object' } });
      assert.match(none.text, /undeclared variable\(s\): command ,env\./);
      const properties = { command: { type: 'string', default: 3 }, env: {} };
      const unfit = await create({ job_configuration, variables: { properties } });
      assert.equal(unfit.status, 422);
      assert.match(unfit.body.detail, /^Validation failed for work pool's job variable defaults: .*field 'command'/);
      assert.equal((await create({ job_configuration, variables: 'x' })).status, 422);
      const sound = await create({ job_configuration, variables: { properties: { command: {}, env: {} } } });
      assert.equal(sound.status, 201);
    });

    // Source: answers of the Prefect server 3.9.1.
    test('a block document that is a default must exist and fit its variable', async () => {
      const type = (await server.get('/block_types/slug/secret')).body;
      const schemas = { block_schemas: { block_type_id: { any_: [type.id] } } };
      const [schema] = (await server.post('/block_schemas/filter', schemas)).body;
      const secret = { name: 'default', data: { value: 'hush' }, block_type_id: type.id, block_schema_id: schema.id };
      const document = (await server.post('/block_documents/', secret)).body;
      let pools = 0;
      const create = (variable: object, block_document_id: unknown, more: object = {}) => {
        const v = { ...variable, default: { $ref: { block_document_id } } };
        const base_job_template = { job_configuration: { x: '{{ v }}' }, variables: { properties: { v }, ...more } };
        pools += 1;
        return server.post('/work_pools/', { name: `with-block-${pools}`, base_job_template });
      };
      assert.equal((await create({ type: 'object' }, document.id)).status, 201);
      for (const id of ['00000000-0000-4000-8000-000000000005', 'nope', 3]) {
        const missing = await create({ type: 'object' }, id);
        assert.deepEqual([missing.status, missing.body], [404, { detail: 'Block not found.' }]);
      }
      const other = { block_type_slug: 'local-file-system', type: 'object', required: ['basepath'] };
      for (const [variable, more] of [
        [{ type: 'string' }, {}],
        [{ allOf: [{ $ref: '#/definitions/Other' }] }, { definitions: { Other: other } }],
      ] as const) {
        const unfit = await create(variable, document.id, more);
        assert.equal(unfit.status, 422, unfit.text);
        assert.match(unfit.body.detail, /^Validation failed for work pool's job variable defaults: .*field 'v'/);
        assert.ok(!unfit.text.includes('hush'));
      }
      assert.equal((await server.get('/work_pools/with-block-2')).status, 404);
    });

    test('a pool is paused and resumed, with an event each time', async () => {
      const { body: pool } = await server.post('/work_pools/', { name: 'changing', type: 'process' });
      const statusNow = async () => (await server.get('/work_pools/changing')).body.status;
      await server.patch('/work_pools/changing', { is_paused: true });
      await server.patch('/work_pools/changing', { is_paused: true });
      assert.equal(await statusNow(), 'PAUSED');
      await server.patch('/work_pools/changing', { is_paused: false });
      assert.equal(await statusNow(), 'NOT_READY');
      await server.patch('/work_pools/changing', { concurrency_limit: 3, description: 'three' });
      await server.patch('/work_pools/changing', { concurrency_limit: 3 });
      assert.equal((await server.get('/work_pools/changing')).body.active_slots, 0);
      await server.patch('/work_pools/changing', { is_paused: true, description: null });
      const told = ['created', 'not-ready', 'paused', 'paused', 'not-ready', 'updated', 'paused', 'updated'];
      assert.deepEqual(await eventsOf('work-pool', pool.id), told);
      assert.equal((await server.patch('/work_pools/changing', { name: 'other' })).status, 422);
      assert.equal((await server.patch('/work_pools/changing', { is_paused: null })).status, 409);
    });

    test('a pool of agents has no status that a pause could change', async () => {
      const { body: pool } = await server.post('/work_pools/', {
        name: 'agents',
        type: 'prefect-agent',
        is_paused: true,
      });
      for (const is_paused of [false, true]) await server.patch('/work_pools/agents', { is_paused });
      await server.post('/work_pools/agents/workers/heartbeat', { name: 'w' });
      assert.equal((await server.get('/work_pools/agents')).body.status, null);
      assert.deepEqual(await eventsOf('work-pool', pool.id), ['created', 'not-ready', 'ready']);
    });

    test('a worker without a heartbeat interval keeps its earlier one', async () => {
      await server.post('/work_pools/', { name: 'terse', type: 'process' });
      const beat = async (body: object) => {
        await server.post('/work_pools/terse/workers/heartbeat', { name: 'w', ...body });
        const [worker] = (await server.post('/work_pools/terse/workers/filter', {})).body;
        return [worker.heartbeat_interval_seconds, worker.status];
      };
      assert.deepEqual(await beat({}), [null, 'ONLINE']);
      assert.deepEqual(await beat({ heartbeat_interval_seconds: 3000 }), [3000, 'ONLINE']);
      assert.deepEqual(await beat({}), [3000, 'ONLINE']);
      assert.deepEqual(await beat({ heartbeat_interval_seconds: null }), [3000, 'ONLINE']);
      assert.deepEqual(await beat({ heartbeat_interval_seconds: 0 }), [0, 'OFFLINE']);
      assert.deepEqual(await beat({}), [0, 'OFFLINE']);
    });

    test('heartbeats of a worker keep its pool ready', async () => {
      const { body: pool } = await server.post('/work_pools/', { name: 'with-worker', type: 'process' });
      const heartbeat = (body: object) => server.post('/work_pools/with-worker/workers/heartbeat', body);
      assert.equal((await heartbeat({ name: 'w1', heartbeat_interval_seconds: 30 })).status, 204);
      const empty = await server.post('/work_pools/with-worker/workers/heartbeat', 'true');
      const lacks = empty.body.exception_detail.map(({ loc }: { loc: string[] }) => loc.at(-1));
      assert.deepEqual([empty.status, lacks], [422, ['name', 'heartbeat_interval_seconds']]);
      assert.equal((await heartbeat({ name: 'gone', heartbeat_interval_seconds: 0 })).status, 204);
      assert.equal((await heartbeat({ name: 'w1', heartbeat_interval_seconds: 2 ** 50 })).status, 204);
      assert.equal((await server.get('/work_pools/with-worker')).body.status, 'READY');
      const workers = async (status: object) =>
        (await server.post('/work_pools/with-worker/workers/filter', { workers: { status } })).body.map(
          ({ name, status }: { name: string; status: string }) => `${name} ${status}`,
        );
      assert.deepEqual(await workers({}), ['w1 ONLINE', 'gone OFFLINE']);
      assert.deepEqual(await workers({ any_: ['ONLINE'] }), ['w1 ONLINE']);
      assert.deepEqual(await workers({ not_any_: ['ONLINE'] }), ['gone OFFLINE']);
      assert.deepEqual(await workers({ any_: [] }), []);
      assert.equal((await server.get('/work_pools/with-worker/workers')).body.length, 2);
      assert.equal((await server.delete('/work_pools/with-worker/workers/w1')).status, 204);
      assert.equal((await server.get('/work_pools/with-worker')).body.status, 'NOT_READY');
      assert.deepEqual(await eventsOf('work-pool', pool.id), ['created', 'not-ready', 'ready']);
    });

    test('pools are listed by name and counted, and old clients get the storage keys they know', async () => {
      for (const name of ['list-b', 'list-a']) await server.post('/work_pools/', { name, type: 'listed' });
      const work_pools = { type: { any_: ['listed'] } };
      const listed = (await server.post('/work_pools/filter', { work_pools })).body;
      assert.deepEqual(
        listed.map(({ name }: { name: string }) => name),
        ['list-a', 'list-b'],
      );
      assert.equal((await server.post('/work_pools/count', { work_pools })).body, 2);
      assert.ok((await server.get('/work_pools/?limit=1')).body.length === 1);
      const old = await server.get('/work_pools/list-a', { 'user-agent': 'prefect/3.3.7 (API 0.8.4)' });
      assert.deepEqual(Object.keys(old.body.storage_configuration), ['bundle_upload_step', 'bundle_execution_step']);
    });

    test('deleting a pool deletes its queues and workers; deployments and runs stay without a queue', async () => {
      const { body: pool } = await server.post('/work_pools/', { name: 'doomed', type: 'process' });
      await server.post('/work_pools/doomed/workers/heartbeat', { name: 'w' });
      const { body: flow } = await server.post('/flows/', { name: 'survivor' });
      const deployment = { name: 'd', flow_id: flow.id, work_pool_name: 'doomed' };
      const { body: made } = await server.post('/deployments/', deployment);
      const { body: run } = await server.post(`/deployments/${made.id}/create_flow_run`, {});
      assert.equal((await server.delete('/work_pools/doomed')).status, 204);
      assert.equal((await server.get(`/work_queues/${pool.default_queue_id}`)).status, 404);
      const left = (await server.get(`/flow_runs/${run.id}`)).body;
      assert.deepEqual([left.work_queue_id, left.work_pool_name], [null, null]);
      assert.equal((await server.get(`/deployments/${made.id}`)).body.work_queue_id, null);
    });
  });
}
