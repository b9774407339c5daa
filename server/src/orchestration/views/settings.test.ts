import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';

for (const database of databases) {
  describe(`the view of settings on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({
        database,
        config: { retention: new Set(['events'] as const), eventRetentionSeconds: 3600, encryptionKey: '' },
      });
    });
    after(() => server.stop());

    test('it shows the retention of each kind of data, and the storage', async () => {
      const { status, body, text } = await server.get('/views/settings');
      assert.equal(status, 200, text);
      assert.equal(body.database, { sqlite: 'SQLite', postgres: 'PostgreSQL' }[database]);
      assert.deepEqual(
        body.retention.find(({ kind }: { kind: string }) => kind === 'events'),
        { kind: 'events', is_deleted: true, seconds: 3600 },
      );
      assert.equal(body.retention.find(({ kind }: { kind: string }) => kind === 'flow_runs').is_deleted, false);
      assert.equal(body.result_storage, null);
    });

    test('it names the block that stores results', async () => {
      const { body: type } = await server.get('/block_types/slug/local-file-system');
      const { body: schemas } = await server.post('/block_schemas/filter', {
        block_schemas: { block_type_id: { any_: [type.id] } },
      });
      const { body: block } = await server.post('/block_documents/', {
        name: 'results',
        data: { basepath: '/tmp/results' },
        block_type_id: type.id,
        block_schema_id: schemas[0].id,
      });
      const { status, text } = await server.put('/admin/storage', { default_result_storage_block_id: block.id });
      assert.equal(status, 200, text);
      const { body } = await server.get('/views/settings');
      assert.deepEqual(body.result_storage, { id: block.id, name: 'results' });
    });
  });
}
