import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { person } from '../../../test/support/platform.ts';
import { startServer, type TestServer } from '../../../test/support/server.ts';
import { TrustedProxies } from '../../network/trusted-proxies.ts';

const navigation = { accept: 'text/html,application/xhtml+xml' };

describe('the dashboard', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({ config: { apiAuth: 'key' } });
  });
  after(() => server.stop());

  const pageAt = (path: string, headers = {}) => server.request('GET', path, undefined, { ...navigation, ...headers });
  const facts = (html: string) => JSON.parse(/id="server-facts">(.*?)<\/script>/.exec(html)?.[1] ?? '') as object;

  test('is one page at every address outside the API', async () => {
    for (const path of [
      '/',
      '/runs',
      '/runs/flow-run/3fa85f64-5717-4562-b3fc-2c963f66afa6',
      '/account/a/workspace/b/runs',
    ]) {
      const page = await pageAt(path);
      assert.equal(page.status, 200, path);
      assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
      assert.match(page.text, /<div id="root">/);
    }
    assert.equal((await server.request('HEAD', '/')).text, '');
    assert.equal((await pageAt('/api/nothing')).status, 401, 'addresses of the API are not pages');
    assert.equal((await server.request('GET', '/runs')).status, 404, 'a program gets a 404');
  });

  test('loads its files from this server only, with caching', async () => {
    const page = await pageAt('/');
    const files = [...page.text.matchAll(/(?:src|href)="\.\/((?:assets\/|icon)[^"]+)"/g)].map(([, file]) => `/${file}`);
    assert.ok(files.length > 2, files.join(' '));
    for (const file of files) {
      const ask = (coding: string) => server.request('GET', file, undefined, { 'accept-encoding': coding });
      const loaded = await ask('gzip');
      assert.equal(loaded.status, 200, file);
      const kept = file.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
      assert.equal(loaded.headers['cache-control'], kept, file);
      // Fonts are already compressed.
      if (file.endsWith('.woff2')) {
        assert.equal(loaded.headers['content-encoding'], undefined, file);
        continue;
      }
      assert.equal(loaded.headers['content-encoding'], 'gzip', file);
      assert.equal((await ask('gzip, deflate, br')).headers['content-encoding'], 'br', file);
      assert.equal((await ask('gzip, br;q=0')).headers['content-encoding'], 'gzip', file);
      assert.equal((await ask('identity')).headers['content-encoding'], undefined, file);
    }
    const policy = String(page.headers['content-security-policy']);
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    assert.equal((await server.request('GET', '/assets/../../package.json')).status, 404);
    assert.equal((await server.request('GET', '/assets/%2e%2e%2fpackage.json')).status, 404);
  });

  test('knows how to sign in, and whether an account exists', async () => {
    assert.deepEqual(facts((await pageAt('/')).text), {
      ...{ version: '0.1.0', apiAuth: 'key', hasAccounts: false },
      program: 'npm run -s signalbox --',
    });
    await person(server, 'first@example.com', 'admin');
    assert.deepEqual(facts((await pageAt('/')).text), { version: '0.1.0', apiAuth: 'key', hasAccounts: true });
  });
});

test('uses the path of a trusted proxy, and nothing else of the header', async () => {
  const server = await startServer({ config: { trustedProxies: new TrustedProxies(['127.0.0.1']) } });
  const at = async (prefix: string) =>
    (await server.request('GET', '/', undefined, { ...navigation, 'x-forwarded-prefix': prefix })).text;
  assert.match(await at('/signalbox'), /<base href="\/signalbox\/">/);
  assert.doesNotMatch(await at('/"><script>alert(1)</script>'), /<script>alert/);
  await server.stop();
});
