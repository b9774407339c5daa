import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { reactive } from '../../../test/support/triggers.ts';

for (const database of databases) {
  describe(`uses of blocks on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const usesOf = async (id: string) => {
      const { status, body, text } = await server.get(`/views/block_documents/${id}/uses`);
      assert.equal(status, 200, text);
      return body;
    };
    const newSecret = async (name: string) => {
      const { body: type } = await server.get('/block_types/slug/secret');
      const { body: schemas } = await server.post('/block_schemas/filter', {
        block_schemas: { block_type_id: { any_: [type.id] } },
      });
      const { body } = await server.post('/block_documents/', {
        name,
        data: { value: 'x' },
        block_type_id: type.id,
        block_schema_id: schemas[0].id,
      });
      return body.id as string;
    };

    test('a block without users has no uses', async () => {
      assert.deepEqual(await usesOf(await newSecret('unused')), { uses: [], is_result_storage: false });
    });

    test('automations, deployments and work pools that mention a block are listed', async () => {
      const id = await newSecret('used');
      const { body: flow } = await server.post('/flows/', { name: 'report' });
      await server.post('/deployments/', {
        flow_id: flow.id,
        name: 'nightly',
        parameters: { token: { $ref: { block_document_id: id } } },
      });
      await server.post('/automations/', {
        name: 'tell',
        trigger: reactive({ expect: ['order.placed'] }),
        actions: [{ type: 'send-notification', block_document_id: id, subject: 'a', body: 'b' }],
      });
      await server.post('/work_pools/', {
        name: 'cluster',
        type: 'process',
        base_job_template: {
          job_configuration: { key: '{{ key }}' },
          variables: { properties: { key: { default: { $ref: { block_document_id: id } } } } },
        },
      });
      const { uses } = await usesOf(id);
      assert.deepEqual(uses.map(({ type, name }: { type: string; name: string }) => [type, name]).toSorted(), [
        ['automation', 'tell'],
        ['deployment', 'nightly'],
        ['work_pool', 'cluster'],
      ]);
    });
  });
}
