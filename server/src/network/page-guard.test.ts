import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { WebSocket } from 'ws';
import { startGateway, type TestGateway } from '../../test/support/gateway.ts';
import { startServer, type TestServer } from '../../test/support/server.ts';

const sockets = [
  '/events/in',
  '/events/out',
  '/logs/out',
  '/task_runs/subscriptions/scheduled',
  '/work_pools/p/workers/connect',
];
const addresses = [
  '/api/flows/count',
  '/api/health',
  '/api/nothing',
  '/api/openapi.json',
  '/api/docs',
  '/api/v0/me',
  '/api/v0/openapi.json',
  '/api/me/workspaces',
  '/docs',
  '/openapi.json',
  '/',
  '/sign-in',
  '/ui-settings',
];

/** `101` when the socket opens. */
async function statusOfSocket(url: string, headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(url, ['prefect'], { headers });
  socket.on('error', () => {});
  const [, response] = (await Promise.race([
    once(socket, 'unexpected-response'),
    once(socket, 'open').then(() => [undefined, { statusCode: 101 }]),
  ])) as [unknown, { statusCode: number }];
  socket.terminate();
  return response.statusCode;
}

describe('web pages at a server without a credential', () => {
  let server: TestServer;
  let url: string;
  before(async () => {
    server = await startServer({
      config: {
        publicUrl: 'https://signalbox.example',
        allowedHosts: ['flows.example'],
        allowedOrigins: ['https://dashboard.example'],
      },
    });
    url = await server.listen();
  });
  after(() => server.stop());

  const foreignHosts = [
    'evil.example',
    'evil.example:4200',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil.localhost.example',
    'localhost.',
    'flows.example.evil',
    'a@127.0.0.1',
    'evil.example/127.0.0.1',
    'evil.example#localhost',
  ];
  const ownHosts = [
    'localhost',
    'localhost:4200',
    '127.0.0.1:4200',
    '[::1]:4200',
    'signalbox.localhost',
    '10.0.0.7:4200',
    '203.0.113.7',
    '[2001:db8::7]:4200',
    'signalbox',
    'my_container:4200',
    'host.docker.internal:4200',
    'signalbox.example',
    'SIGNALBOX.example:443',
    'flows.example:8443',
  ];
  const foreignOrigins = [
    'https://evil.example',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example:4200',
    'http://signalbox.example',
    'https://flows.example',
    'https://dashboard.example:8443',
    'http://10.0.0.7',
    'null',
    '',
    'file://',
    'chrome-extension://abcdef',
    'no origin',
    'http://localhost/path',
  ];
  const ownOrigins = [
    'http://localhost:3000',
    'https://localhost',
    'http://127.0.0.1:8080',
    'http://[::1]:8080',
    'http://signalbox.localhost:3000',
    'https://signalbox.example',
    'https://dashboard.example',
  ];

  test('a host name that a public page can have is refused everywhere, with an error that names the setting', async () => {
    for (const host of foreignHosts) {
      for (const address of addresses) {
        for (const method of ['GET', 'POST', 'OPTIONS']) {
          const { status, text, headers } = await server.request(method, address, undefined, { host });
          assert.equal(status, 403, `${method} ${address} ${host}`);
          assert.match(text, /SIGNALBOX_ALLOWED_HOSTS/);
          assert.equal(headers['access-control-allow-origin'], undefined);
        }
      }
    }
    for (const path of sockets) assert.equal(await statusOfSocket(url + path, { host: 'evil.example' }), 403, path);
  });

  test('addresses, names without a dot and listed names are accepted', async () => {
    for (const host of ownHosts) {
      for (const address of ['/api/health', '/api/v0/openapi.json', '/docs', '/']) {
        assert.equal((await server.request('GET', address, undefined, { host })).status, 200, `${address} ${host}`);
      }
    }
    for (const path of sockets) assert.equal(await statusOfSocket(url + path, { host: 'flows.example' }), 101, path);
  });

  test('a page of another origin can neither read nor write, and gets no preflight headers', async () => {
    for (const origin of foreignOrigins) {
      for (const address of addresses) {
        const { status, headers, text } = await server.request('GET', address, undefined, { origin });
        assert.equal(status, 403, `${address} ${origin}`);
        assert.equal(headers['access-control-allow-origin'], undefined);
        assert.match(text, /SIGNALBOX_ALLOWED_ORIGINS/);
      }
      const preflight = { origin, 'access-control-request-method': 'POST' };
      const asked = await server.request('OPTIONS', '/api/flows/', undefined, preflight);
      assert.equal(asked.status, 403);
      assert.equal(asked.headers['access-control-allow-methods'], undefined);
    }
    // Requests that a page may send without a preflight: a form, and a body without a type.
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', undefined]) {
      const headers = { origin: 'https://evil.example', ...(type ? { 'content-type': type } : {}) };
      assert.equal(
        (await server.request('POST', '/api/flows/', '{"name":"planted"}', headers)).status,
        403,
        String(type),
      );
    }
    assert.equal((await server.post('/flows/count')).body, 0);
    for (const path of sockets) {
      for (const origin of ['https://evil.example', 'null']) {
        assert.equal(await statusOfSocket(url + path, { origin }), 403, `${path} ${origin}`);
      }
    }
  });

  test('a page of this machine, of the server itself or of a listed origin is accepted, under its own name only', async () => {
    for (const origin of ownOrigins) {
      const { status, headers } = await server.request('POST', '/api/flows/filter', '{}', {
        origin,
        'content-type': 'application/json',
      });
      assert.equal(status, 200, origin);
      assert.equal(headers['access-control-allow-origin'], origin);
      assert.equal(headers['access-control-allow-credentials'], undefined);
      assert.match(String(headers['vary']), /Origin/);
      const asked = await server.request('OPTIONS', '/api/flows/filter', undefined, {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      });
      assert.equal(asked.status, 200);
      assert.equal(asked.headers['access-control-allow-origin'], origin);
      for (const path of sockets) assert.equal(await statusOfSocket(url + path, { origin }), 101, `${path} ${origin}`);
    }
    const own = { host: '10.0.0.7:4200', origin: 'http://10.0.0.7:4200' };
    assert.equal((await server.request('GET', '/api/health', undefined, own)).status, 200);
    const otherPort = { host: '10.0.0.7:4200', origin: 'http://10.0.0.7:80' };
    assert.equal((await server.request('GET', '/api/health', undefined, otherPort)).status, 403);
  });

  test('a program, which sends no origin, is accepted', async () => {
    const answer = await server.get('/health');
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['access-control-allow-origin'], undefined);
  });
});

test('with a required credential, any page may send it in a header, and cookies are ignored', async () => {
  const server = await startServer({ config: { apiAuth: 'basic', apiAuthString: 'me:secret' } });
  const page = { host: 'flows.example', origin: 'https://dashboard.example' };
  const refused = await server.request('POST', '/api/flows/filter', '{}', page);
  assert.equal(refused.status, 401);
  const authorization = `Basic ${Buffer.from('me:secret').toString('base64')}`;
  const { status, headers } = await server.request('POST', '/api/flows/filter', '{}', { ...page, authorization });
  assert.equal(status, 200);
  assert.equal(headers['access-control-allow-origin'], '*');
  assert.equal(headers['access-control-allow-credentials'], undefined);
  await server.stop();
});

describe('web pages at MCP servers', () => {
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const ask = (gateway: TestGateway, slug: string, headers: Record<string, string>) =>
    gateway.request('POST', `/servers/default/${slug}/mcp`, ping, {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    });

  for (const apiAuth of ['open', 'key'] as const) {
    test(`a foreign name reaches no server without authentication where /api is ${apiAuth}`, async () => {
      // It listens where other machines reach it, so any name may point here.
      const gateway = await startGateway({ config: { host: '0.0.0.0', apiAuth, allowedHosts: ['mcp.example'] } });
      await gateway.register('plain', { kind: 'hosted', authentication: 'none' });
      const before = gateway.upstream.seen.length;
      for (const host of ['evil.example', 'localhost.evil.example:4200']) {
        for (const origin of [undefined, `http://${host}`]) {
          const { status, text } = await ask(gateway, 'plain', { host, ...(origin ? { origin } : {}) });
          assert.equal(status, 403, host);
          assert.match(text, /SIGNALBOX_ALLOWED_HOSTS/);
        }
      }
      assert.equal(gateway.upstream.seen.length, before);
      for (const host of ['localhost:4200', '10.0.0.7', 'signalbox', 'mcp.example']) {
        assert.equal((await ask(gateway, 'plain', { host })).status, 200, host);
      }
      await gateway.stop();
    });
  }
});
