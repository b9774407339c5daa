import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';

const absent = '00000000-0000-4000-8000-000000000001';
const HIDDEN = '********';

for (const database of databases) {
  describe(`blocks on ${database}`, () => {
    let server: TestServer;
    let names = 0;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    /** A type with one schema and a new slug. */
    async function newBlock(fields: Record<string, unknown> = {}, capabilities: string[] = []) {
      const slug = `type-${++names}`;
      const type = (await server.post('/block_types/', { name: slug, slug })).body;
      const whole = { title: slug, type: 'object', block_type_slug: slug, ...fields };
      const answer = await server.post('/block_schemas/', { fields: whole, block_type_id: type.id, capabilities });
      assert.equal(answer.status, 201);
      return { slug, type, schema: answer.body, fields: whole };
    }
    type Block = Awaited<ReturnType<typeof newBlock>>;
    const save = (block: Block, name: string | null, data: unknown, more: object = {}) =>
      server.post('/block_documents/', {
        name,
        data,
        block_type_id: block.type.id,
        block_schema_id: block.schema.id,
        ...more,
      });
    const dataOf = async (id: string, secrets = true) =>
      (await server.get(`/block_documents/${id}?include_secrets=${secrets}`)).body.data;
    const reference = (id: string) => ({ $ref: { block_document_id: id } });

    test('secret, webhook and local file system exist from the start and cannot be deleted', async () => {
      for (const slug of ['secret', 'webhook', 'local-file-system']) {
        const type = (await server.get(`/block_types/slug/${slug}`)).body;
        assert.equal(type.is_protected, true);
        assert.equal((await server.delete(`/block_types/${type.id}`)).status, 403);
        const filter = { block_schemas: { block_type_id: { any_: [type.id] } } };
        const [schema] = (await server.post('/block_schemas/filter', filter)).body;
        const refused = await server.delete(`/block_schemas/${schema.id}`);
        assert.deepEqual(refused.body, { detail: 'Block schemas for protected block types cannot be deleted.' });
      }
      assert.equal((await server.post('/block_types/install_system_block_types')).text, 'null');
      const capabilities = (await server.get('/block_capabilities/')).body;
      assert.ok(capabilities.includes('write-path'));
    });

    test('names that begin with Prefect and slugs in capitals are refused', async () => {
      assert.equal((await server.post('/block_types/', { name: 'prefect mine', slug: 'mine' })).status, 403);
      assert.equal((await server.post('/block_types/', { name: 'Upper', slug: 'Upper' })).status, 422);
    });

    test('a description is stored escaped on creation, and unchanged on update', async () => {
      const body = { name: 'Escaped', slug: 'escaped', description: '<b>&"' };
      const type = (await server.post('/block_types/', body)).body;
      assert.equal(type.description, '&lt;b&gt;&amp;"');
      assert.equal((await server.patch(`/block_types/${type.id}`, { description: '<i>' })).status, 204);
      assert.equal((await server.get('/block_types/slug/escaped')).body.description, '<i>');
      const { updated, logo_url, documentation_url, code_example } = (await server.get(`/block_types/${type.id}`)).body;
      const updatedAfter = async (body: object) => {
        assert.equal((await server.patch(`/block_types/${type.id}`, body)).status, 204);
        return (await server.get(`/block_types/${type.id}`)).body.updated;
      };
      const whole = { logo_url, documentation_url, description: '<i>', code_example };
      assert.equal(await updatedAfter(whole), updated, 'the whole description is unchanged');
      assert.ok((await updatedAfter({ description: '<i>' })) > updated, 'a part of the description is unchanged');
    });

    test('the same schema is stored once per version', async () => {
      const { schema, type, fields } = await newBlock();
      const again = await server.post('/block_schemas/', { fields, block_type_id: type.id });
      assert.deepEqual([again.status, again.body.id], [200, schema.id]);
      const second = await server.post('/block_schemas/', { fields, block_type_id: type.id, version: '2' });
      assert.equal(second.status, 201);
      const path = `/block_schemas/checksum/${schema.checksum}`;
      assert.equal((await server.get(path)).body.id, second.body.id);
      assert.equal((await server.get(`${path}?version=non-versioned`)).body.id, schema.id);
      assert.equal((await server.get(`${path}?version=3`)).status, 404);
    });

    test('the definitions of nested blocks are returned, and deleted with the nested type', async () => {
      const child = await newBlock({ secret_fields: ['key'] });
      const block_schema_references = {
        child: { block_type_slug: child.slug, block_schema_checksum: child.schema.checksum },
      };
      const parent = await newBlock({
        properties: { child: { $ref: `#/definitions/${child.slug}` } },
        definitions: { [child.slug]: child.fields },
        block_schema_references,
      });
      const { fields } = (await server.get(`/block_schemas/${parent.schema.id}`)).body;
      assert.deepEqual(fields.block_schema_references, block_schema_references);
      assert.deepEqual(fields.definitions, { [child.slug]: { ...child.fields, block_schema_references: {} } });
      await server.delete(`/block_types/${child.type.id}`);
      const later = (await server.get(`/block_schemas/${parent.schema.id}`)).body.fields;
      assert.deepEqual([later.block_schema_references, later.definitions], [{}, undefined]);
    });

    test('nested blocks that are missing or invalid are refused', async () => {
      const { type, slug } = await newBlock();
      const attempt = async (block_schema_references: unknown) => {
        const fields = { title: 'x', block_schema_references };
        return (await server.post('/block_schemas/', { fields, block_type_id: type.id })).status;
      };
      assert.equal(await attempt({ a: { block_type_slug: 'unknown', block_schema_checksum: 'x' } }), 409);
      assert.equal(await attempt({ a: { block_type_slug: slug, block_schema_checksum: 'x' } }), 409);
      for (const unreadable of [5, [], { a: 5 }, { a: {} }, { a: [null] }]) {
        assert.equal(await attempt(unreadable), 422);
      }
      const unknownType = await server.post('/block_schemas/', { block_type_id: absent });
      assert.deepEqual(unknownType.body, { detail: `Block type ${absent} not found.` });
    });

    test('secrets are masked at any depth, unless the request asks for them', async () => {
      const block = await newBlock({ secret_fields: ['s', 'any.*', 'deep.in.it'] });
      const data = { s: { a: 1 }, any: { x: 1, y: { z: '2' } }, deep: [{ in: { it: 'x', not: 1.5 } }], open: 'o' };
      const saved = await save(block, 'hidden', data);
      const hidden = { s: HIDDEN, any: { x: HIDDEN, y: { z: HIDDEN } }, deep: [{ in: { it: HIDDEN, not: 1.5 } }] };
      assert.deepEqual(saved.body.data, { ...hidden, open: 'o' });
      assert.deepEqual(await dataOf(saved.body.id, false), { ...hidden, open: 'o' });
      assert.deepEqual(await dataOf(saved.body.id), data);
      const body = { block_documents: { name: { any_: ['hidden'] } } };
      assert.equal((await server.post('/block_documents/filter', body)).body[0].data.s, HIDDEN);
      const open = (await server.post('/block_documents/filter', { ...body, include_secrets: true })).body[0];
      assert.deepEqual(open.data, data);
    });

    test('neither the database nor an event holds a secret in plain text', async () => {
      const block = await newBlock({ secret_fields: ['password'] });
      const saved = await save(block, 'at-rest', { password: 'hunter2hunter2', user: 'ada', port: 1 });
      await server.patch(`/block_documents/${saved.body.id}`, { data: { password: 'hunter3hunter3' } });
      await server.delete(`/block_documents/${saved.body.id}`);
      await save(block, 'at-rest', { password: 'hunter2hunter2', user: 'ada' });
      const filter = { filter: { event: { prefix: ['prefect.block-document.'] }, any_resource: {} }, limit: 50 };
      const events = (await server.post('/events/filter', filter)).body.events.filter(
        (event: { payload: { name: string } }) => event.payload.name === 'at-rest',
      );
      assert.deepEqual(events.map(({ event }: { event: string }) => event.split('.').at(-1)).sort(), [
        'created',
        'created',
        'deleted',
        'updated',
      ]);
      assert.deepEqual(events[0].payload.data, { user: 'ada' });
      assert.ok(!JSON.stringify(events).includes('hunter'));
      const { store, defaultWorkspace } = server.server;
      const db = store.reads(defaultWorkspace);
      const rows = await db.query(
        db.dialect.builder.selectFrom('block_document').selectAll().where('workspace', '=', defaultWorkspace),
      );
      assert.ok(rows.length > 0 && !JSON.stringify(rows).includes('hunter') && !JSON.stringify(rows).includes('"ada"'));
    });

    test('a masked secret that is sent back keeps its value, whether data is merged or replaced', async () => {
      const block = await newBlock({ secret_fields: ['s', 'any.*'] });
      const { id } = (await save(block, 'kept', { s: 'one', any: { x: 'two' }, n: 1 })).body;
      const update = (body: unknown) => server.patch(`/block_documents/${id}`, body);
      assert.equal((await update({ data: { s: HIDDEN, any: { x: HIDDEN, y: 'three' } } })).status, 204);
      assert.deepEqual(await dataOf(id), { s: 'one', any: { x: 'two', y: 'three' }, n: 1 });
      await update({ data: { s: HIDDEN }, merge_existing_data: false });
      assert.deepEqual(await dataOf(id), { s: 'one' });
      await update({ merge_existing_data: false });
      assert.deepEqual(await dataOf(id), {});
    });

    test('numbers keep their type', async () => {
      const block = await newBlock();
      const path = '/block_documents/';
      const data = '{"f":60.0,"big":12345678901234567890,"2":1,"1":2}';
      const ids = `"block_type_id":"${block.type.id}","block_schema_id":"${block.schema.id}"`;
      const saved = await server.post(path, `{"name":"numbers",${ids},"data":${data}}`);
      assert.ok((await server.get(path + saved.body.id)).text.includes(`"data":${data}`));
    });

    test('a nested document is returned in its place, with its own secrets masked', async () => {
      const child = await newBlock({ secret_fields: ['key'] });
      const parent = await newBlock();
      const inner = (await save(child, 'inner', { key: 'k', user: 'u' })).body;
      const outer = (await save(parent, 'outer', { child: reference(inner.id), n: 1 })).body;
      assert.deepEqual(outer.data, { n: 1, child: { key: HIDDEN, user: 'u' } });
      assert.deepEqual(await dataOf(outer.id), { n: 1, child: { key: 'k', user: 'u' } });
      const nested = outer.block_document_references.child.block_document;
      assert.deepEqual([nested.id, nested.name, nested.block_type.slug], [inner.id, 'inner', child.slug]);
      await server.patch(`/block_documents/${outer.id}`, { data: { n: 2 } });
      // As on the reference, merging keeps values but no references: a client sends those it wants to keep.
      assert.deepEqual(await dataOf(outer.id), { n: 2 });
      await server.patch(`/block_documents/${outer.id}`, { data: { child: null } });
      assert.deepEqual(await dataOf(outer.id), { n: 2, child: null });
      await server.patch(`/block_documents/${outer.id}`, { data: { child: reference(inner.id) } });
      assert.equal((await server.delete(`/block_documents/${inner.id}`)).status, 204);
      assert.deepEqual(await dataOf(outer.id), { n: 2 });
    });

    test('a nested document that is the document itself, unknown or invalid is refused', async () => {
      const block = await newBlock();
      const a = (await save(block, 'a', {})).body;
      const b = (await save(block, 'b', { a: reference(a.id) })).body;
      for (const id of [a.id, b.id]) {
        const cycle = await server.patch(`/block_documents/${a.id}`, { data: { x: reference(id) } });
        assert.equal(cycle.status, 400);
        assert.match(cycle.body.detail, /it would introduce a cycle/);
      }
      for (const id of [absent, absent.replaceAll('-', '')]) {
        assert.equal((await save(block, 'c', { x: reference(id) })).status, 409);
      }
      const spelled = (await save(block, 'd', { a: reference(a.id.replaceAll('-', '').toUpperCase()) })).body;
      assert.equal(spelled.block_document_references.a.block_document.id, a.id);
      assert.equal((await server.patch(`/block_documents/${a.id}`, { data: { x: reference(absent) } })).status, 409);
      for (const $ref of ['x', 5, null, {}, { block_document_id: 'x' }]) {
        assert.equal((await save(block, 'c', { x: { $ref } })).status, 400);
      }
    });

    test('a schema of another type, an unknown one and an unknown type are refused', async () => {
      const block = await newBlock();
      const other = await newBlock();
      const { id } = (await save(block, 'migrated', {})).body;
      const migrate = async (block_schema_id: string) =>
        (await server.patch(`/block_documents/${id}`, { block_schema_id, data: {} })).status;
      assert.equal(await migrate(other.schema.id), 400);
      const both = { block_schema_id: other.schema.id, data: { a: { $ref: {} } } };
      assert.match(
        (await server.patch(`/block_documents/${id}`, both)).body.detail,
        /without a block_document_id in key a/,
      );
      const unreadable = { ...both, data: { a: { $ref: { block_document_id: 'x' } } } };
      assert.match((await server.patch(`/block_documents/${id}`, unreadable)).body.detail, /^Must migrate/);
      const empty = await server.patch(`/block_documents/${id}`, {
        data: { a: { $ref: { block_document_id: null } } },
      });
      assert.match(empty.body.detail, /without a block_document_id in key a/);
      assert.equal((await save(block, 'x', unreadable.data, { block_schema_id: absent })).status, 409);
      assert.equal((await save(block, 'x', unreadable.data)).status, 400);
      assert.equal(await migrate(absent), 404);
      const next = await server.post('/block_schemas/', { fields: { title: 'next' }, block_type_id: block.type.id });
      assert.equal(await migrate(next.body.id), 204);
      // Without data nothing changes, so the schema is not checked.
      assert.equal((await server.patch(`/block_documents/${id}`, { block_schema_id: other.schema.id })).status, 204);
      assert.equal((await server.get(`/block_documents/${id}`)).body.block_schema_id, next.body.id);
      assert.equal((await save(block, 'x', {}, { block_type_id: absent })).status, 404);
      assert.equal((await save(block, 'x', {}, { block_schema_id: absent })).status, 409);
    });

    test('a name has a form; anonymous documents get a name and are listed on request', async () => {
      const block = await newBlock();
      const named = (await save(block, 'named', {})).body;
      assert.equal((await save(block, null, {})).status, 422);
      assert.equal((await save(block, 'Bad_Name', {})).status, 422);
      const anonymous = (await save(block, null, {}, { is_anonymous: true })).body;
      assert.match(anonymous.name, /^anonymous-/);
      const ofType = { block_type_id: { any_: [block.type.id] } };
      const list = async (block_documents: object) => {
        const ids = (await server.post('/block_documents/filter', { block_documents })).body;
        assert.equal((await server.post('/block_documents/count', { block_documents })).body, ids.length);
        return ids.map(({ id }: { id: string }) => id).sort();
      };
      assert.deepEqual(await list(ofType), [named.id]);
      assert.deepEqual(await list({ ...ofType, is_anonymous: { eq_: true } }), [anonymous.id]);
      assert.deepEqual(await list({ ...ofType, is_anonymous: null }), [anonymous.id, named.id].sort());
      const path = `/block_types/slug/${block.slug}/block_documents`;
      assert.deepEqual((await server.get(path)).body.length, 1);
      assert.equal((await server.get(`${path}/name/named`)).body.id, named.id);
    });

    test('documents and types can be filtered by each other', async () => {
      const block = await newBlock({}, ['fly', 'swim']);
      const { id } = (await save(block, 'duck', {})).body;
      const block_schemas = { block_capabilities: { all_: ['fly', 'swim'] } };
      const documents = (await server.post('/block_documents/filter', { block_schemas })).body;
      assert.deepEqual(
        documents.map((document: { id: string }) => document.id),
        [id],
      );
      const types = (await server.post('/block_types/filter', { block_schemas })).body;
      assert.deepEqual(
        types.map(({ slug }: { slug: string }) => slug),
        [block.slug],
      );
      const none = { block_types: { slug: { any_: [block.slug] } }, block_schemas: { version: { any_: ['9'] } } };
      assert.deepEqual((await server.post('/block_documents/filter', none)).body, []);
    });

    test('results are stored in a writable document until it is deleted', async () => {
      const writable = await newBlock({}, ['write-path']);
      const readable = await newBlock({}, ['read-path']);
      const choose = (id: string) => server.put('/admin/storage', { default_result_storage_block_id: id });
      const { id } = (await save(writable, 'results', {})).body;
      const refused = await choose((await save(readable, 'results', {})).body.id);
      assert.equal(refused.status, 422);
      assert.match(refused.body.detail, /cannot be used for result storage\.$/);
      const chosen = { default_result_storage_block_id: id };
      assert.deepEqual((await choose(id)).body, chosen);
      assert.deepEqual((await server.get('/admin/storage')).body, chosen);
      await server.delete(`/block_schemas/${writable.schema.id}`);
      assert.deepEqual((await server.get('/admin/storage')).body, { default_result_storage_block_id: null });
    });

    test('deployments and runs may name only existing documents, and are deleted with them', async () => {
      const block = await newBlock();
      const { id } = (await save(block, 'infrastructure', {})).body;
      const flow = (await server.post('/flows/', { name: 'with-infrastructure' })).body;
      const run = (infrastructure_document_id: string) =>
        server.post('/flow_runs/', { flow_id: flow.id, infrastructure_document_id });
      assert.equal((await run(absent)).status, 409);
      const made = (await run(id)).body;
      assert.equal(made.infrastructure_document_id, id);
      const deployment = (await server.post('/deployments/', { name: 'd', flow_id: flow.id, storage_document_id: id }))
        .body;
      assert.equal(deployment.storage_document_id, id);
      const infrastructure = { name: 'e', flow_id: flow.id, infrastructure_document_id: id, concurrency_limit: 2 };
      const limited = (await server.post('/deployments/', infrastructure)).body;
      const kept = (await server.post('/deployments/', { name: 'f', flow_id: flow.id })).body;
      const runOfLimited = (await server.post('/flow_runs/', { flow_id: flow.id, deployment_id: limited.id })).body;
      await server.delete(`/block_types/${block.type.id}`);
      const statusOf = async (path: string) => (await server.get(path)).status;
      assert.equal(await statusOf(`/flow_runs/${made.id}`), 404);
      assert.equal(await statusOf(`/deployments/${deployment.id}`), 404);
      assert.equal(await statusOf(`/deployments/${limited.id}`), 404);
      assert.equal(await statusOf(`/v2/concurrency_limits/${limited.global_concurrency_limit.id}`), 404);
      assert.equal(await statusOf(`/deployments/${kept.id}`), 200);
      assert.equal((await server.get(`/flow_runs/${runOfLimited.id}`)).body.deployment_id, limited.id);
    });
  });
}
