/** Requests of an attacker: malformed bytes, malformed bodies, and other people's sessions. */
import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { platformRoutes } from '../../src/app.ts';
import { newApiKey } from '../../src/identity/keys/api-keys.ts';
import {
  askPlatform,
  cookieOf,
  joinByInvitation,
  type PlatformCaller,
  person,
  startPlatform,
} from '../support/platform.ts';
import { databases, startServer, type TestServer } from '../support/server.ts';

const password = 'correct horse battery staple';

describe('bytes that no client library sends', () => {
  let server: TestServer;
  let port: number;
  let key: string;
  let revoked: string;
  let hosted: string;
  before(async () => {
    server = await startServer({ config: { apiAuth: 'key' } });
    const admin = await person(server, 'ada@example.com', 'admin');
    key = admin.key;
    const leaver = await person(server, 'max@example.com', 'admin');
    revoked = leaver.key;
    await leaver.delete('/me/api-key');
    const [workspace] = (await admin.get('/organizations/default/workspaces')).body.items;
    hosted = `/api/accounts/${workspace.organizationId}/workspaces/${workspace.id}`;
    port = Number(new URL(await server.listen()).port);
  });
  after(() => server.stop());

  /** The status of the answer to exactly this request line and these headers. */
  const statusOf = (line: string, ...headers: string[]) =>
    new Promise<number>((resolve) => {
      let answer = '';
      const head = [line, 'Host: x', 'Connection: close', ...headers].join('\r\n');
      const socket = connect(port, '127.0.0.1', () => socket.write(`${head}\r\n\r\n`, 'latin1'));
      socket.on('data', (part) => {
        answer += part;
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve(Number(answer.split(' ')[1] ?? 0)));
    });
  const addresses = () => ['/api/flows/', `${hosted}/flows/`, '/api/v0/me', '/api/me/workspaces'];

  test('a key that is doubled, revoked, unknown, too long or not ASCII is refused', async () => {
    for (const address of addresses()) {
      const ask = (...headers: string[]) => statusOf(`GET ${address} HTTP/1.1`, ...headers);
      assert.equal(await ask(`Authorization: Bearer ${key}`), 200, address);
      for (const headers of [
        [`Authorization: Bearer ${key}`, `Authorization: Bearer ${key}`],
        [`Authorization: Bearer ${key}`, `authorization: Bearer ${newApiKey().secret}`],
        [`Authorization: Bearer ${newApiKey().secret}`, `AUTHORIZATION: Bearer ${key}`],
        [`Authorization: Bearer ${revoked}`],
        [`Authorization: Bearer ${'x'.repeat(12_000)}`],
        ['Authorization: Bearer sbx_\u00e9\u00ff\u0080'],
        [`Authorization: Bearer ${key}\u00a0`],
        [`Authorization: Bearer\t${key}`],
        [`X-Authorization: Bearer ${key}`],
        [`Proxy-Authorization: Bearer ${key}`],
        [`X-Forwarded-User: ada@example.com`, 'X-Original-URL: /api/health', 'X-Rewrite-URL: /api/health'],
      ]) {
        assert.equal(await ask(...headers), 401, `${address} ${headers.join(' | ').slice(0, 60)}`);
      }
      assert.equal(await ask(`Authorization: Bearer ${'x'.repeat(40_000)}`), 431, 'more than a header block may hold');
      assert.equal(await ask(`Authorization : Bearer ${key}`), 400);
    }
  });

  test('no address in the raw request bypasses the check', async () => {
    for (const address of [
      '/api/health/../flows/',
      '/api/./flows/',
      '/api/%2e/flows/',
      '/api/health/%2e%2e/flows/',
      '/api/health/..%2fflows/',
      '/api//flows/',
      '//api/flows/',
      '/api/flows/;/api/health',
      '/api/flows/;x=/health',
      '/api/flows/%00/health',
      '/api/flows/?/api/health',
      '/API/flows/',
      '/api/FLOWS/',
      '/api/health/flows/',
      '/api/flows/health',
      'http://x/api/flows/',
      'http://x/api/health/../flows/',
      `${hosted}/../../../../health`,
      `${hosted}/%2e%2e/%2e%2e/%2e%2e/%2e%2e/flows/`,
      `${hosted}/health/../flows/`,
      `${hosted}//flows/`,
      `${hosted}/v0/me`,
      '/api/v0/../flows/',
      '/api/v0/session/../me',
      '/api/v0/oauth/device/token/../../../me',
      '/api/v0/%6de',
      '/api/accounts/../flows/',
    ]) {
      for (const method of ['GET', 'HEAD', 'TRACE', 'POST', 'PROPFIND']) {
        const status = await statusOf(
          `${method} ${address} HTTP/1.1`,
          'X-HTTP-Method-Override: OPTIONS',
          'Content-Length: 0',
        );
        assert.ok([301, 307, 400, 401, 404, 405].includes(status), `${method} ${address}: ${status}`);
      }
    }
  });

  test('no method causes a server error, known or not', async () => {
    for (const method of METHODS.filter((name) => name !== 'CONNECT')) {
      for (const address of [
        '/api/flows/',
        '/api/health',
        '/api/v0/me',
        '/servers/default/x/mcp',
        '/',
        '/docs',
        '/x',
      ]) {
        const status = await statusOf(`${method} ${address} HTTP/1.1`, 'Content-Length: 0');
        assert.ok(status < 500, `${method} ${address}: ${status}`);
      }
    }
  });
});

for (const database of databases) {
  describe(`privilege escalation on ${database}`, () => {
    let server: TestServer;
    let admin: PlatformCaller & { id: string };
    before(async () => {
      ({ server, admin } = await startPlatform(database));
    });
    after(() => server.stop());

    const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
      askPlatform(server, method, path, body, headers);
    const join = async (email: string, role: 'admin' | 'member' = 'member') => {
      const accepted = await joinByInvitation(server, admin, email, password, role);
      return { cookie: cookieOf(accepted), csrf: accepted.body.csrfToken as string };
    };

    test('fields that callers may not set are refused by name, on every route', async () => {
      const privileged = [
        'id',
        'state',
        'organizationId',
        'ownerId',
        'userId',
        'createdAt',
        'isAdmin',
        'passwordHash',
        'key',
        'hash',
        'actorType',
      ];
      const organization = '/organizations/default';
      let asked = 0;
      for (const { method, path, body, form } of platformRoutes) {
        if (!body || form) continue;
        const known = new Set(Object.keys((body as { properties?: object }).properties ?? {}));
        const given = Object.fromEntries(privileged.filter((name) => !known.has(name)).map((name) => [name, 'x']));
        const address = path.replace('/organizations/{org}', organization).replace(/\{\w+\}/g, admin.id);
        const answer = await admin[method.toLowerCase() as 'post'](address, given);
        if ([403, 404].includes(answer.status)) continue;
        assert.equal(answer.status, 422, `${method} ${path}: ${answer.text}`);
        const named = answer.body.error.details.map(({ field }: { field: string }) => field);
        for (const name of Object.keys(given)) assert.ok(named.includes(name), `${method} ${path} ${name}`);
        asked += 1;
      }
      assert.ok(asked >= 6, `${asked} routes`);
    });

    test('a planted session is not adopted, and one session is not valid for another', async () => {
      const email = `fixed-${database}@example.com`;
      const { cookie, csrf } = await join(email);
      const chosen = { cookie: 'signalbox_session=chosen-by-somebody-else' };
      const signedIn = await send('POST', '/session', { email, password }, chosen);
      assert.equal(signedIn.status, 200);
      assert.notEqual(cookieOf(signedIn), chosen.cookie);
      assert.equal((await send('GET', '/session', undefined, chosen)).status, 401);
      const mixed = { cookie: cookieOf(signedIn), 'x-csrf-token': csrf };
      assert.equal(
        (await send('POST', '/me/api-keys', { descriptor: 'x' }, mixed)).status,
        403,
        "another session's token",
      );
      assert.equal((await send('DELETE', '/session', undefined, { cookie, 'x-csrf-token': csrf })).status, 204);
      for (const { method, path } of platformRoutes.filter(({ access }) => access !== 'public')) {
        const address = path.replace('{org}', 'default').replace(/\{\w+\}/g, admin.id);
        const replayed = await send(method, address, undefined, { cookie, 'x-csrf-token': csrf });
        assert.equal(replayed.status, 401, `${method} ${path} after sign-out`);
      }
    });

    test('a page of another site cannot use the session of its visitor', async () => {
      const { cookie, csrf } = await join(`visitor-${database}@example.com`, 'admin');
      const foreign: Record<string, string>[] = [
        { 'x-csrf-token': csrf, 'sec-fetch-site': 'cross-site' },
        { 'x-csrf-token': csrf, 'sec-fetch-site': 'same-site' },
        { 'x-csrf-token': csrf, origin: 'https://evil.example' },
        { 'x-csrf-token': csrf, origin: 'null' },
        { origin: 'http://localhost:80' },
        {},
      ];
      for (const { method, path, sameSite, access } of platformRoutes) {
        if (method === 'GET' || access === 'public' || sameSite) continue;
        const address = path.replace('{org}', 'default').replace(/\{\w+\}/g, admin.id);
        for (const headers of foreign) {
          const { status } = await send(method, address, undefined, { cookie, ...headers });
          assert.equal(status, 403, `${method} ${path} ${JSON.stringify(headers)}`);
        }
      }
      assert.equal((await send('GET', '/session', undefined, { cookie })).status, 200, 'it is still signed in');
    });

    test('an administrator remains, however many leave at once', async () => {
      const slug = `circle-${database}`;
      const founder = await person(server, `${slug}@example.com`, 'member');
      await founder.post('/organizations', { name: 'Circle', slug });
      const others = await Promise.all(
        ['b', 'c', 'd'].map((name) => person(server, `${name}-${database}@example.com`, 'admin', slug)),
      );
      const all = [founder, ...others];
      const members = `/organizations/${slug}/members`;
      const answers = await Promise.all([
        ...all.map((who, index) => who.delete(`${members}/${all[(index + 1) % all.length]?.id}`)),
        ...all.map((who) => who.patch(`${members}/${who.id}`, { role: 'member' })),
        ...all.map((who) => who.delete(`${members}/${who.id}`)),
      ]);
      assert.ok(answers.every(({ status }) => status < 500));
      const left = (await Promise.all(all.map((who) => who.get(members)))).find(({ status }) => status === 200);
      const administrators = left?.body.items.filter(({ role }: { role: string }) => role === 'admin');
      assert.ok(administrators.length >= 1, left?.text ?? 'no administrator is left');
    });
  });
}
