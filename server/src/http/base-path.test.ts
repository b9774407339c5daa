import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { callTool, send, startGateway, type TestGateway } from '../../test/support/gateway.ts';
import { startServer } from '../../test/support/server.ts';
import { connect } from '../../test/support/socket-client.ts';
import { isBasePath } from '../network/base-path.ts';
import { addressOf } from '../platform/client-settings.ts';
import { offerSetUp } from '../platform/people/set-up/operations.ts';

const BASE = '/tools/signalbox';
const page = { accept: 'text/html' };

describe('a server below SIGNALBOX_BASE_PATH', () => {
  let gateway: TestGateway;
  let address: string;
  before(async () => {
    gateway = await startGateway({ config: { basePath: BASE } });
    address = gateway.origin;
    await gateway.register('docs');
  });
  after(() => gateway.stop());

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(address + path, { headers, redirect: 'manual' });
  const jsonAt = async (url: string) => JSON.parse(await (await fetch(url)).text());

  test('answers there, and without the path for probes and proxies that cut it off', async () => {
    for (const path of ['/api/health', `${BASE}/api/health`]) assert.equal((await get(path)).status, 200, path);
    for (const path of [`${BASE}x/api/health`, `/x${BASE}/api/health`, `/tools/api/health`]) {
      assert.equal((await get(path)).status, 404, path);
    }
  });

  test('tells addresses below it', async () => {
    const dashboard = await (await get(BASE, page)).text();
    assert.match(dashboard, /<base href="\/tools\/signalbox\/">/);
    const settings = await jsonAt(`${address}${BASE}/ui-settings`);
    assert.equal(settings.api_url, `${address}${BASE}/api`);
    const { location } = Object.fromEntries((await get(`${BASE}/help`)).headers);
    assert.equal(new URL(location ?? '', `${address}${BASE}/help`).pathname, `${BASE}/help/`);
    const settingsOfClients = { publicUrl: 'https://sb.example', basePath: BASE, host: '0.0.0.0', port: 4200 };
    assert.equal(addressOf(settingsOfClients), 'https://sb.example/tools/signalbox');
    assert.equal(addressOf({ ...settingsOfClients, publicUrl: '' }), 'http://127.0.0.1:4200/tools/signalbox');
  });

  test('opens websockets there', async () => {
    const socket = await connect(`${address.replace(/^http/, 'ws')}${BASE}/api/events/in`);
    socket.close();
  });

  test('serves MCP servers there, and tells clients where to sign in', async () => {
    const { status, headers } = await fetch(`${address}${BASE}/servers/default/docs/mcp`, { method: 'POST' });
    assert.equal(status, 401);
    const metadata = /resource_metadata="([^"]+)"/.exec(headers.get('www-authenticate') ?? '')?.[1] ?? '';
    const resource = `${address}${BASE}/servers/default/docs/mcp`;
    // The second is where a client looks that has only the address of the server.
    for (const url of [metadata, `${address}/.well-known/oauth-protected-resource${BASE}/servers/default/docs/mcp`]) {
      const found = await jsonAt(url);
      assert.deepEqual([found.resource, found.authorization_servers], [resource, [address + BASE]], url);
    }
    const issuer = await jsonAt(`${address}/.well-known/oauth-authorization-server${BASE}`);
    assert.equal(issuer.token_endpoint, `${address}${BASE}/oauth/token`);
    assert.equal((await send(gateway, 'docs', callTool('echo'), { key: gateway.admin.key })).status, 200);
  });
});

test('a sign-in stays below the path', async () => {
  const server = await startServer({ config: { basePath: BASE } });
  const origin = new URL((await server.listen()).replace(/^ws/, 'http')).origin;
  const token = await offerSetUp(server.server.store, server.server.clock.now());
  const { status, headers } = await fetch(`${origin}${BASE}/setup?token=${token}`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin', origin },
    body: new URLSearchParams({ name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }),
    redirect: 'manual',
  });
  await server.stop();
  assert.equal(status, 303);
  assert.match(String(headers.get('location')), /^\/tools\/signalbox\//);
  const cookies = headers.getSetCookie();
  assert.ok(cookies.length > 0);
  for (const cookie of cookies) assert.match(cookie, /; Path=\/tools\/signalbox;/);
});

test('a base path begins with a slash, ends without one, and has no dots of its own', () => {
  for (const path of ['/a', '/a/b-c.d~e_f']) assert.ok(isBasePath(path), path);
  for (const path of ['a', '/', '/a/', '//a', '/a/..', '/./a', '/a?b', '/a b', '/ä'])
    assert.ok(!isBasePath(path), path);
});
