import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startServer, type TestServer } from '../../../test/support/server.ts';

describe('collections', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());

  test('worker types are listed with the job template that a pool of the type starts with', async () => {
    const { status, body } = await server.get('/collections/views/aggregate-worker-metadata');
    assert.equal(status, 200);
    const types = Object.values<Record<string, unknown>>(body).flatMap(Object.keys);
    assert.deepEqual(types.sort(), [
      ...['azure-container-instance', 'cloud-run', 'cloud-run-v2', 'docker', 'ecs', 'kubernetes', 'process'],
      'vertex-ai',
    ]);
    assert.ok(body.prefect.process.default_base_job_configuration.variables.properties.command);
  });

  test('the blocks of each package are listed with their newest schema', async () => {
    const { body } = await server.get('/collections/views/aggregate-block-metadata');
    const { block_schema, slug } = body['prefect-aws'].block_types['s3-bucket'];
    assert.equal(slug, 's3-bucket');
    assert.deepEqual(block_schema.capabilities, ['get-directory', 'put-directory', 'read-path', 'write-path']);
    assert.ok(body.prefect.block_types.secret);
  });

  test('views without content here are empty, and a word of the language names none', async () => {
    assert.deepEqual((await server.get('/collections/views/demo-flows')).body, {});
    assert.deepEqual((await server.get('/collections/views/aggregate-flow-metadata')).body, {});
    const { status, body } = await server.get('/collections/views/constructor');
    assert.deepEqual([status, body], [404, { detail: 'View constructor not found in registry' }]);
  });
});
