import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { compileDecoder } from '../../schema/decode.ts';
import { parseJson } from '../../values/json.ts';
import { settingsTree } from './settings.ts';
import { Settings } from './settings-schema.ts';

for (const database of databases) {
  describe(`the server itself on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    test('health, readiness and versions are reported', async () => {
      assert.equal((await server.get('/health')).text, 'true');
      assert.equal((await server.get('/ready')).text, '{"message":"OK"}');
      assert.equal((await server.get('/version')).text, '"0.8.4"');
      assert.equal((await server.get('/admin/version')).text, '"3.9.1"');
      assert.equal((await server.get('/hello')).text, '"👋"');
    });

    test('a client of another API version can read only health and version', async () => {
      const paths = ['/health', '/version', '/ready', '/hello', '/admin/version'];
      const answers = await Promise.all(paths.map((path) => server.get(path, { 'x-prefect-api-version': '0.7.9' })));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 400, 400, 400],
      );
    });

    test('no result storage is configured, none can be, and clearing it succeeds', async () => {
      const nothing = { default_result_storage_block_id: null };
      assert.deepEqual((await server.get('/admin/storage')).body, nothing);
      const id = '00000000-0000-4000-8000-00000000000A';
      const chosen = await server.put('/admin/storage', { default_result_storage_block_id: id });
      assert.equal(chosen.status, 404);
      assert.deepEqual(chosen.body, { detail: 'Block document 00000000-0000-4000-8000-00000000000a not found.' });
      assert.equal((await server.put('/admin/storage', nothing)).status, 422);
      assert.equal((await server.delete('/admin/storage')).status, 204);
      assert.deepEqual((await server.get('/admin/storage')).body, nothing);
    });

    test('a client that requests a CSRF token learns that it needs none', async () => {
      const answer = await server.get('/csrf-token?client=a');
      assert.equal(answer.status, 422);
      assert.deepEqual(answer.body, { detail: 'CSRF protection is disabled.' });
      const incomplete = await server.get('/csrf-token');
      assert.equal(incomplete.status, 422);
      assert.deepEqual(incomplete.body.exception_detail, [
        { type: 'missing', loc: ['query', 'client'], msg: 'Field required', input: null },
      ]);
    });
  });
}

test('the settings have exactly the documented shape', async () => {
  const server = await startServer();
  const { text } = await server.get('/admin/settings');
  await server.stop();
  const decoded = compileDecoder(Settings, 'body')(parseJson(text));
  assert.deepEqual(decoded.ok ? [] : decoded.issues, []);
  assertSameKeys(settingsTree(server.server.config), Settings);
});

test('the settings show the values of this server and never its secrets', async () => {
  const server = await startServer({
    config: { apiAuth: 'basic', apiAuthString: 'admin:opensesame', logLevel: 'warn', apiMaxLimit: 50 },
  });
  const { body, text } = await server.get('/admin/settings', {
    authorization: `Basic ${Buffer.from('admin:opensesame').toString('base64')}`,
  });
  await server.stop();
  assert.equal(body.home, server.server.config.home);
  assert.equal(body.server.logging_level, 'WARNING');
  assert.equal(body.server.api.default_limit, 50);
  assert.equal(body.server.api.auth_string, '**********');
  assert.equal(body.server.database.connection_url, '**********');
  assert.doesNotMatch(text, /opensesame|sqlite:|postgres:/);
});

test('with a required credential, only the probes answer without one', async () => {
  const server = await startServer({ config: { apiAuth: 'basic', apiAuthString: 'admin:opensesame' } });
  const paths = ['/health', '/ready', '/version', '/hello', '/admin/version', '/admin/settings', '/csrf-token'];
  const answers = await Promise.all(paths.map((path) => server.get(path)));
  await server.stop();
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 401, 401, 401, 401, 401],
  );
});

test('a server whose database is unavailable is alive but not ready', async () => {
  const server = await startServer();
  await server.server.store.close();
  const ready = await server.get('/ready');
  assert.equal(ready.status, 503);
  assert.equal(ready.text, '{"message":"Database is not available"}');
  assert.equal((await server.get('/health')).status, 200);
  await server.stop().catch(() => undefined);
});

/** Asserts that each object has the keys of its shape, in the shape's order. */
function assertSameKeys(value: unknown, shape: object): void {
  const { properties } = shape as { properties?: Readonly<Record<string, object>> };
  if (!properties) return;
  assert.deepEqual(Object.keys(value as object), Object.keys(properties));
  for (const [key, member] of Object.entries(properties))
    assertSameKeys((value as Record<string, unknown>)[key], member);
}
