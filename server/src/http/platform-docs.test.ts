import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startServer, type TestServer } from '../../test/support/server.ts';
import { platformRoutes } from '../app.ts';

describe('the document of the platform API', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());

  test('it names every route with its sentence, its shapes and its refusals', async () => {
    const { status, body } = await server.get('/v0/openapi.json');
    assert.equal(status, 200);
    assert.equal(body.openapi, '3.1.0');
    for (const { method, path, summary, access } of platformRoutes) {
      const operation = body.paths[path][method.toLowerCase()];
      assert.equal(operation.summary, summary);
      if (access !== 'public') assert.ok(operation.responses['401'], `${method} ${path}`);
    }
    const created = body.paths['/organizations/{org}/service-accounts'].post.responses['201'];
    assert.deepEqual(created.content['application/json'].schema, {
      $ref: '#/components/schemas/ServiceAccountCreated',
    });
    assert.deepEqual(body.components.schemas.Problem.required, ['error']);
  });

  test('its page loads everything from this server', async () => {
    const { status, text } = await server.get('/v0/docs');
    assert.equal(status, 200);
    const sources = [...text.matchAll(/(?:src|href)="([^"?]+)/g)].map(([, address = '']) => address);
    assert.ok(sources.length > 3);
    for (const source of sources) {
      assert.equal((await server.request('GET', new URL(source, 'http://x/api/v0/docs').pathname)).status, 200, source);
    }
  });
});
