/** Both documents describe each operation and its permission, so that they can be read without the code. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { person } from '../support/platform.ts';
import { startServer, type TestServer } from '../support/server.ts';

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly Record<string, unknown>[];
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly securitySchemes?: Record<string, { readonly description?: string }> };
  readonly security?: readonly Record<string, unknown>[];
  readonly servers: readonly { readonly url: string }[];
}

const LONGEST_SUMMARY = 80;

describe('the documents of the API', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({ config: { apiAuth: 'key' } });
  });
  after(() => server.stop());

  for (const path of ['/openapi.json', '/api/v0/openapi.json']) {
    test(`every operation of ${path} has a unique id, a summary and a description`, async () => {
      const document: Document = (await server.request('GET', path)).body;
      const operations = Object.entries(document.paths).flatMap(([address, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${address}`, ...operation })),
      );
      assert.ok(operations.length > 80);
      assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length);
      const wrong = operations.flatMap(({ name, summary = '', description = '' }) => [
        ...(/^[A-Z][^.]+$/.test(summary) && summary.length <= LONGEST_SUMMARY ? [] : [`${name} summary: ${summary}`]),
        ...(/^[A-Z`].+\.$/s.test(description) && description.length > 15
          ? []
          : [`${name} description: ${description}`]),
      ]);
      assert.deepEqual(wrong, []);
    });

    test(`${path} declares the schemes that its operations name`, async () => {
      const document: Document = (await server.request('GET', path)).body;
      const schemes = document.components.securitySchemes ?? {};
      const all = Object.values(document.paths).flatMap((methods) => Object.values(methods));
      const named = [document.security ?? [], ...all.map(({ security }) => security ?? [])].flat();
      assert.ok(named.length > 0);
      for (const requirement of named) {
        for (const scheme of Object.keys(requirement)) assert.ok(schemes[scheme]?.description, scheme);
      }
    });
  }

  test('fields with a unit or a surprising meaning document it, wherever they are', async () => {
    const { components }: { components: { schemas: Record<string, { properties: Record<string, object> }> } } = (
      await server.request('GET', '/openapi.json')
    ).body;
    const textOf = (shape: string, field: string) =>
      (components.schemas[shape]?.properties[field] as { description?: string } | undefined)?.description ?? '';
    for (const shape of ['FlowRun', 'TaskRun']) assert.match(textOf(shape, 'total_run_time'), /^Seconds/);
    assert.match(textOf('ConcurrencyLimitV2', 'slot_decay_per_second'), /second/);
    assert.match(textOf('Body_flow_run_history_flow_runs_history_post', 'history_interval_seconds'), /seconds/);
    const platform = (await server.request('GET', '/api/v0/openapi.json')).body;
    const parameters: { name: string; description?: string }[] = platform.paths['/organizations'].get.parameters;
    assert.match(parameters.find(({ name }) => name === 'cursor')?.description ?? '', /nextCursor/);
    assert.match(platform.components.schemas.Workspace.properties.defaultRole.description, /without a grant/);
  });

  test('operations without a credential are marked as such', async () => {
    const { paths }: Document = (await server.request('GET', '/openapi.json')).body;
    assert.deepEqual(paths['/health']?.['get']?.security, []);
    assert.equal(paths['/flows/filter']?.['post']?.security, undefined);
    const platform: Document = (await server.request('GET', '/api/v0/openapi.json')).body;
    assert.deepEqual(platform.paths['/session']?.['post']?.security, []);
    assert.deepEqual(platform.paths['/session']?.['get']?.security, [{ session: [] }]);
  });
});

for (const [apiAuth, scheme] of [
  ['open', undefined],
  ['basic', 'basic'],
  ['key', 'bearer'],
] as const) {
  test(`in the access mode ${apiAuth} the document requires ${scheme ?? 'nothing'}, and that of a hosted address a key`, async () => {
    const server = await startServer({ config: { apiAuth, apiAuthString: apiAuth === 'basic' ? 'a:b' : '' } });
    try {
      const document: Document = (await server.request('GET', '/openapi.json')).body;
      assert.deepEqual(document.security, scheme && [{ [scheme]: [] }]);
      assert.deepEqual(document.servers, [{ url: '/api' }]);
      const ada = await person(server, 'ada@example.com', 'admin');
      const { items } = (await ada.get('/organizations/default/workspaces')).body;
      const base = `/api/accounts/${items[0].organizationId}/workspaces/${items[0].id}`;
      const authorization = `Bearer ${ada.key}`;
      const hosted = await server.request('GET', `${base}/openapi.json`, undefined, { authorization });
      assert.deepEqual(hosted.body.security, [{ bearer: [] }]);
      assert.deepEqual(hosted.body.servers, [{ url: base }]);
    } finally {
      await server.stop();
    }
  });
}
