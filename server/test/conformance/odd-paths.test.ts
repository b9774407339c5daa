/** Every route and socket without a credential and with a wrong one, by its own address and by odd spellings of it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { WebSocket } from 'ws';
import { accountRoutes, platformRoutes, routes, sockets } from '../../src/app.ts';
import { newApiKey } from '../../src/identity/keys/api-keys.ts';
import { isFullRun } from '../support/full-run.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { spellings } from '../support/odd-spellings.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** Public paths; every other path below `/api` answers 401, 403 or 404. */
const ALLOWED: ReadonlySet<string> = new Set([
  'GET /api/v0/me/access',
  'GET /api/health',
  'GET /api/ready',
  'POST /api/v0/session',
  'POST /api/v0/oauth/device/authorization',
  'POST /api/v0/oauth/device/token',
  'POST /api/v0/invitations/{token}/accept',
  'GET /api/v0/openapi.json',
  'GET /api/v0/docs',
]);
/**
 * A route is asked for by one in so many of its spellings, its neighbour by the next ones: each spelling is tried on about
 * fifty routes, in the quick run on ten. 1 tries all on all.
 */
const EVERY = Number(process.env['SIGNALBOX_TEST_EVERY_SPELLING'] ?? (isFullRun ? 6 : 30));
const REFUSED: ReadonlySet<number> = new Set([401, 403, 404]);
const ID = '00000000-0000-4000-8000-000000000000';

const declared = [
  ...routes.map(({ method, path }) => ({ method, path: `/api${path}` })),
  ...accountRoutes.map(({ method, path }) => ({ method, path: `/api${path}` })),
  ...platformRoutes.map(({ method, path }) => ({ method, path: `/api/v0${path}` })),
];
const addressOf = (path: string) => path.replace(/\{(\w+)\}/g, (_, name: string) => (name === 'org' ? 'default' : ID));

/** Node's client sends no other characters. */
const canBeSent = (address: string) => /^[\x21-\x7e]+$/.test(address);

/** A client library resolves these before it sends them. */
function hasDotSegments(address: string): boolean {
  return /(^|[/\\])(\.|%2e){1,2}([/\\?#]|$)/i.test(address);
}

for (const config of [{ apiAuth: 'key' }, { apiAuth: 'basic', apiAuthString: 'me:secret' }] as const) {
  describe(`without a credential where the access mode is ${config.apiAuth}`, () => {
    let server: TestServer;
    let port: string;
    before(async () => {
      server = await startServer({ config });
      port = new URL(await server.listen()).port;
    });
    after(() => server.stop());

    const wrong = () => [
      undefined,
      '',
      'Bearer',
      'Bearer x',
      `Bearer ${newApiKey().secret}`,
      'Basic',
      `Basic ${Buffer.from('me:wrong').toString('base64')}`,
      `Basic ${Buffer.from(':').toString('base64')}`,
      'Digest username="me"',
      'null',
    ];

    test('every route is refused except the listed ones', async () => {
      for (const { method, path } of declared) {
        if (ALLOWED.has(`${method} ${path}`)) continue;
        for (const authorization of wrong()) {
          const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
          const { status } = await server.request(method, addressOf(path), undefined, headers);
          // Guesses at the password are slowed down with 429.
          const isSlowed = status === 429 && authorization?.startsWith('Basic ');
          assert.ok(isSlowed || REFUSED.has(status), `${method} ${path} with ${authorization}: ${status}`);
        }
      }
    });

    test('no spelling of an address, and no other method in a header, bypasses the check', async () => {
      let asked = 0;
      const methods = ['x-http-method-override', 'x-http-method', 'x-method-override', '_method'];
      for (const [turn, { method, path }] of declared.entries()) {
        if (ALLOWED.has(`${method} ${path}`)) continue;
        const address = addressOf(path);
        const odd = spellings(address).filter((one) => !hasDotSegments(one));
        for (const spelling of odd.filter((_, index) => (index + turn) % EVERY === 0)) {
          // The key is new, and belongs to no account.
          const headers: Record<string, string> = asked % 2 ? { authorization: `Bearer ${newApiKey().secret}` } : {};
          const { status, text } = await server.request(method, spelling, undefined, headers);
          asked += 1;
          assert.ok(REFUSED.has(status), `${method} ${spelling}: ${status} ${text.slice(0, 200)}`);
        }
        for (const name of methods) {
          for (const other of ['GET', 'OPTIONS', 'HEAD']) {
            const { status } = await server.request(method, address, undefined, { [name]: other });
            assert.ok(REFUSED.has(status), `${method} ${address} ${name}: ${other}: ${status}`);
          }
        }
        const rewritten = {
          'x-original-url': '/api/health',
          'x-rewrite-url': '/api/health',
          'x-forwarded-prefix': '/api/health',
        };
        assert.ok(
          REFUSED.has((await server.request(method, address, undefined, rewritten)).status),
          `${method} ${address}`,
        );
      }
      assert.ok(asked > (declared.length * 200) / EVERY, `${asked} for ${declared.length} routes`);
    });

    test('no spelling and no absolute address in the raw request bypasses the check', async () => {
      const agent = new Agent({ keepAlive: true });
      const statusOf = (method: string, path: string) =>
        new Promise<number>((resolve, reject) => {
          const sent = httpRequest({ agent, host: '127.0.0.1', port, method, path }, (answer) => {
            answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
          });
          sent.on('error', reject).end();
        });
      const seen = new Set<string>();
      for (const { method, path } of declared) {
        const [, , resource = '', next = ''] = path.split('/');
        const kind = `${method} ${resource === 'v0' ? next : resource}`;
        if (ALLOWED.has(`${method} ${path}`) || seen.has(kind)) continue;
        seen.add(kind);
        const address = addressOf(path);
        const odd = spellings(address).filter(canBeSent);
        const whole = [
          'http://localhost',
          'https://localhost',
          'http://evil.example',
          'http://localhost/api/health/..',
        ];
        for (const spelling of [...odd, ...whole.map((origin) => origin + address)]) {
          const status = await statusOf(method, spelling);
          assert.ok(REFUSED.has(status), `${method} ${spelling}: ${status}`);
        }
      }
      agent.destroy();
      assert.ok(seen.size > 60, `${seen.size}`);
    });

    test('no socket opens without the subprotocol, and none stays open with a wrong credential', async () => {
      const refusals = async (address: string, protocols: string[], headers: Record<string, string> = {}) => {
        const socket = new WebSocket(`ws://127.0.0.1:${port}`, protocols, {
          headers,
          finishRequest: (request) => {
            request.path = address;
            request.end();
          },
        });
        socket.on('error', () => {});
        const [code] = (await Promise.race([
          once(socket, 'unexpected-response').then(([, response]) => [response.statusCode]),
          once(socket, 'open').then(async () => {
            socket.send(JSON.stringify({ type: 'auth', token: newApiKey().secret }));
            return await once(socket, 'close');
          }),
        ])) as [number];
        socket.terminate();
        return code;
      };
      for (const { path } of sockets) {
        const address = `/api${path.replace(/\{\w+\}/g, 'x')}`;
        assert.equal(await refusals(address, []), 403, path);
        assert.equal(await refusals(address, ['prefect']), 1008, path);
        for (const spelling of [...spellings(address).filter(canBeSent), `http://localhost${address}`]) {
          const code = await refusals(spelling, ['prefect']);
          assert.ok([400, 401, 403, 404, 1008].includes(code), `${spelling}: ${code}`);
        }
      }
    });
  });
}

describe('without a credential, at the address of an MCP server', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
    assert.equal((await gateway.register('hidden')).status, 201);
  });
  after(() => gateway.stop());

  test('no spelling reaches the server behind it', async () => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const message = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    for (const address of ['/servers/default/hidden/mcp', '/servers/default/hidden/mcp/x']) {
      for (const spelling of [address, ...spellings(address).filter(canBeSent)]) {
        for (const method of ['POST', 'GET', 'DELETE']) {
          const body = method === 'POST' ? message : undefined;
          const { status, text } = await gateway.request(method, spelling, body, headers);
          assert.ok(REFUSED.has(status) || status === 405, `${method} ${spelling}: ${status} ${text.slice(0, 200)}`);
        }
      }
    }
    // The gateway itself discovers the server; no request of a caller passes.
    const passed = gateway.upstream.seen.filter(({ body }) => body.includes('tools/list'));
    assert.deepEqual(passed, []);
  });
});
