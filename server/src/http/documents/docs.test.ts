import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { person } from '../../../test/support/platform.ts';
import { type Answer, startServer, type TestServer } from '../../../test/support/server.ts';
import { TrustedProxies } from '../../network/trusted-proxies.ts';

describe('the documentation', () => {
  let server: TestServer;
  const read = (url: string, headers?: Record<string, string>) => server.request('GET', url, undefined, headers);
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());

  test('the OpenAPI document is served at both addresses and names the served routes', async () => {
    for (const url of ['/openapi.json', '/api/openapi.json']) {
      const { status, headers, body } = await read(url);
      assert.equal(status, 200);
      assert.equal(headers['content-type'], 'application/json');
      assert.equal(body.openapi, '3.1.0');
      assert.deepEqual(body.servers, [{ url: '/api' }]);
      assert.equal(body.paths['/flows/'].post.operationId, 'create_flow_flows__post');
    }
  });

  test('behind a proxy with a path, the documents name the APIs below that path', async () => {
    const proxied = await startServer({ config: { trustedProxies: new TrustedProxies(['127.0.0.1']) } });
    const ada = await person(proxied, 'ada@example.com', 'admin');
    const { organizationId, id } = (await ada.get('/organizations/default/workspaces')).body.items[0];
    const hosted = `/accounts/${organizationId}/workspaces/${id}`;
    for (const [url, path] of [
      ['/openapi.json', '/api'],
      ['/api/openapi.json', '/api'],
      ['/api/v0/openapi.json', '/api/v0'],
      [`/api${hosted}/openapi.json`, `/api${hosted}`],
    ] as const) {
      const serversOf = async (prefix: string) => {
        const headers = { 'x-forwarded-prefix': prefix, authorization: `Bearer ${ada.key}` };
        return (await proxied.request('GET', url, undefined, headers)).body.servers;
      };
      assert.deepEqual(await serversOf('/signalbox'), [{ url: `/signalbox${path}` }], url);
      assert.deepEqual(await serversOf(''), [{ url: path }], url);
    }
    await proxied.stop();
  });

  test('a page on another port of this machine may read the document', async () => {
    const origin = 'http://localhost:3000';
    const { headers } = await read('/openapi.json', { origin });
    assert.equal(headers['access-control-allow-origin'], origin);
  });

  test('the page and everything it loads comes from this server', async () => {
    for (const url of ['/docs', '/api/docs']) {
      const page = await read(url);
      assert.equal(page.status, 200);
      assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
      const loaded = addressesOf(page.text).map((address) => new URL(address, `http://signalbox${url}`));
      assert.equal(loaded.length, 5);
      for (const { host, pathname, search } of loaded) {
        assert.equal(host, 'signalbox');
        assert.equal((await read(pathname + search)).status, 200, pathname);
      }
    }
  });

  test('no style sheet names another host, and the page calls no external validator', async () => {
    const style = await read('/docs/swagger-ui.css');
    assert.deepEqual(
      [...style.text.matchAll(/(?:url\(\s*["']?|@import\s+["']?)([^"')\s]{0,20})/g)]
        .map(([, address = '']) => address)
        .filter((address) => !address.startsWith('data:')),
      [],
    );
    const start = await read('/docs/start.js');
    assert.match(start.text, /validatorUrl: null/);
    assert.doesNotMatch(start.text, /\/\//);
  });

  test('the page may load from this server only, runs no inline script and cannot be framed', async () => {
    const policy = String((await read('/docs')).headers['content-security-policy']);
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  });

  test('assets are cached for ever, pages and documents are revalidated', async () => {
    const asset = await read('/docs/swagger-ui-bundle.js', { 'accept-encoding': 'gzip' });
    assert.equal(asset.headers['content-encoding'], 'gzip');
    assert.match(String(asset.headers['cache-control']), /immutable/);
    for (const url of ['/docs', '/openapi.json']) {
      const first = await read(url);
      assert.equal(first.headers['cache-control'], 'no-cache');
      const again = await read(url, { 'if-none-match': `W/${first.headers['etag']}` });
      assert.equal(again.status, 304);
      assert.equal(again.text, '');
    }
  });

  test('an extra slash redirects to the page', async () => {
    const { status, headers } = await read('/api/docs/');
    assert.equal(status, 307);
    assert.equal(new URL(String(headers['location']), 'http://signalbox/api/docs/').pathname, '/api/docs');
  });
});

test('with a credential required, everything below the API asks for it, and the page offers to send it', async () => {
  const server = await startServer({ config: { apiAuth: 'basic', apiAuthString: 'admin:opensesame' } });
  const authorization = `Basic ${Buffer.from('admin:opensesame').toString('base64')}`;
  const statuses = async (headers?: Record<string, string>) =>
    Promise.all(
      ['/docs', '/openapi.json', '/api/docs', '/api/openapi.json'].map(
        async (url): Promise<Answer['status']> => (await server.request('GET', url, undefined, headers)).status,
      ),
    );
  assert.deepEqual(await statuses(), [200, 200, 401, 401]);
  assert.deepEqual(await statuses({ authorization }), [200, 200, 200, 200]);
  const { body } = await server.request('GET', '/openapi.json');
  assert.deepEqual(body.security, [{ basic: [] }]);
  await server.stop();
});

/** What a page loads: sources, links, and the document it shows. */
function addressesOf(html: string): string[] {
  return [...html.matchAll(/(?:src|<link[^>]* href|data-document)="([^"]+)"/g)].map(([, address = '']) => address);
}
