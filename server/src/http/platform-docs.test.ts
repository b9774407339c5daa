import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startServer, type TestServer } from '../../test/support/server.ts';
import { platformRoutes } from '../app.ts';

describe('the document of the platform API', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());

  test('it lists every route with a summary, shapes and errors', async () => {
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

  test('it lists every conflict code, at the routes that return it', async () => {
    const paths: Record<string, Record<string, { responses: Record<string, { description: string }> }>> = (
      await server.get('/v0/openapi.json')
    ).body.paths;
    const told = Object.values(paths)
      .flatMap((operations) => Object.values(operations))
      .flatMap(({ responses }) => responses['409']?.description.replace('Conflict: ', '').split(', ') ?? []);
    assert.deepEqual([...new Set(told)].sort(), [...(await thrownConflicts())].sort());
    assert.equal(
      paths['/organizations/{org}/servers/{server}/deployments']!['post']!.responses['409']!.description,
      'Conflict: not_hosted, build_not_succeeded, already_live, does_not_start',
    );
  });

  test('a route that takes bytes declares them', async () => {
    const { paths } = (await server.get('/v0/openapi.json')).body;
    const { put } = paths['/organizations/{org}/servers/{server}/uploads/{id}'];
    assert.deepEqual(Object.keys(put.requestBody.content), ['application/octet-stream']);
    assert.deepEqual(Object.keys(put.responses), ['200', '401', '403', '404', '409', '413', '422']);
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

/** Codes of the 409 answers of the platform API. */
async function thrownConflicts(): Promise<Set<string>> {
  const codes = new Set<string>();
  const folder = new URL('../platform/', import.meta.url);
  for await (const file of glob('**/*.ts', { cwd: fileURLToPath(folder) })) {
    const text = await readFile(new URL(file, folder), 'utf8');
    for (const [, code = ''] of text.matchAll(/new NamedConflict\(\s*'(\w+)'/g)) codes.add(code);
    if (/new Conflict\(/.test(text)) codes.add('conflict');
  }
  return codes;
}
