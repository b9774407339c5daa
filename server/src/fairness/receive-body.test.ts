import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { servingUrl, startGateway } from '../../test/support/gateway.ts';
import { type PlatformCaller, person } from '../../test/support/platform.ts';
import { headOf, RawConnection } from '../../test/support/raw-connection.ts';
import { startServer, type TestServer } from '../../test/support/server.ts';

/** Sends this much of a request and no more, and resolves with the head of the answer. */
function answerTo(port: number, text: string): Promise<{ status: number; head: string; socket: Socket }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('error', reject);
    socket.on('data', (part) => {
      answer += part;
      if (answer.includes('\r\n\r\n')) resolve({ status: Number(answer.split(' ')[1]), head: answer, socket });
    });
  });
}

describe('a body before its sender is known', () => {
  let server: TestServer;
  let port: number;
  let admin: PlatformCaller;
  let hosted: string;
  before(async () => {
    server = await startServer({ config: { apiAuth: 'key' } });
    admin = await person(server, 'ada@example.com', 'admin');
    const [workspace] = (await admin.get('/organizations/default/workspaces')).body.items;
    hosted = `/api/accounts/${workspace.organizationId}/workspaces/${workspace.id}`;
    const registered = await admin.post('/organizations/default/servers', {
      slug: 'closed',
      name: 'closed',
      kind: 'external',
      defaultRole: 'viewer',
      external: { url: 'http://127.0.0.1:1/mcp' },
    });
    assert.equal(registered.status, 201, registered.text);
    port = Number(new URL(await server.listen()).port);
  });
  after(() => server.stop());

  const head = (method: string, path: string, bytes: number | 'chunked', ...headers: string[]) =>
    [
      `${method} ${path} HTTP/1.1`,
      'Host: localhost',
      bytes === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes}`,
      ...headers,
      '',
      '',
    ].join('\r\n');

  test('is not awaited: the refusal comes first', async () => {
    const cases: [method: string, path: string, status: number][] = [
      ['POST', '/api/flows/', 401],
      ['POST', '/api/logs/', 401],
      ['PATCH', '/api/flows/00000000-0000-0000-0000-000000000000', 401],
      ['POST', '/api/nothing', 401],
      ['PUT', '/api/flows/', 401],
      ['POST', `${hosted}/flows/`, 401],
      ['POST', '/api/v0/me/api-keys', 401],
      ['POST', '/api/v0/organizations/default/servers/closed/builds', 404],
      ['POST', '/api/v0/nothing', 404],
      ['POST', '/servers/default/closed/mcp', 401],
      ['POST', '/servers/default/unknown/mcp', 401],
      ['POST', '/nothing', 404],
    ];
    for (const [method, path, status] of cases) {
      for (const bytes of [10_000_000, 'chunked'] as const) {
        for (const authorization of [[], ['Authorization: Bearer sbx_wrong']]) {
          const answer = await answerTo(port, head(method, path, bytes, ...authorization));
          answer.socket.destroy();
          assert.ok([status, 401].includes(answer.status), `${method} ${path} ${bytes}: ${answer.head}`);
        }
      }
    }
  });

  test('is short where requests need no credential', async () => {
    const type = 'Content-Type: application/x-www-form-urlencoded';
    for (const path of [
      '/sign-in',
      '/setup',
      '/invitations/x',
      '/api/v0/session',
      '/api/v0/invitations/x/accept',
      '/api/v0/oauth/device/authorization',
      '/api/v0/oauth/device/token',
    ]) {
      const origin = ['Origin: http://localhost', type];
      const { status, socket, head: said } = await answerTo(port, head('POST', path, 17 * 1024, ...origin));
      socket.destroy();
      assert.equal(status, 413, `${path}: ${said}`);
    }
  });

  test('that is sent after the refusal is discarded, and the connection serves the next request', async () => {
    const body = 'x'.repeat(100_000);
    const { status, socket } = await answerTo(port, head('POST', '/api/flows/', body.length) + body);
    assert.equal(status, 401);
    const next = new Promise<string>((resolve) => socket.once('data', (part) => resolve(part.toString())));
    socket.write(`GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    assert.match(await next, /^HTTP\/1\.1 200/);
    socket.destroy();
  });

  test('that continues after the refusal is not read: the connection is closed', async () => {
    const megabytes = 64;
    for (const path of ['/api/flows/', '/api/v0/me/api-keys', '/sign-in', '/nothing', '/servers/default/unknown/mcp']) {
      for (const bytes of [megabytes * 1024 * 1024, 'chunked'] as const) {
        const connection = new RawConnection(port);
        connection.write(head('POST', path, bytes, 'Origin: http://localhost'));
        if (bytes === 'chunked') connection.write(`${(megabytes * 1024 * 1024).toString(16)}\r\n`);
        const sent = await connection.flood(megabytes * 1024 * 1024);
        connection.destroy();
        assert.ok(sent < (megabytes / 2) * 1024 * 1024, `${path} ${bytes}: ${sent} bytes were taken`);
      }
    }
  });

  test('past the limit is refused without being read, for every sender', async () => {
    const key = `Authorization: Bearer ${admin.key}`;
    for (const path of ['/api/flows/', '/api/v0/organizations/default/invitations', '/servers/default/closed/mcp']) {
      const { status, socket } = await answerTo(port, head('POST', path, 20_000_000, key));
      socket.destroy();
      assert.equal(status, 413, path);
    }
  });
});

describe('request bodies in transit', () => {
  const begun = (path: string, key = '') =>
    headOf('POST', path, {
      'Content-Length': 100_000,
      'Content-Type': 'application/json',
      ...(key === '' ? {} : { Authorization: `Bearer ${key}` }),
    });

  test('have a deadline, after which they are answered 408 and their connection is closed', async (context) => {
    const gateway = await startGateway({ config: { bodyTimeoutSeconds: 0.05 } });
    context.after(() => gateway.stop());
    await gateway.register('open');
    const { key } = gateway.admin;
    for (const path of ['/api/flows/', '/sign-in', '/api/v0/organizations/default/invitations', servingUrl('open')]) {
      const connection = new RawConnection(Number(new URL(gateway.origin).port));
      connection.write(
        path === '/sign-in'
          ? headOf('POST', path, { 'Content-Length': 1000, Origin: gateway.origin, 'Content-Type': 'application/json' })
          : begun(path, key),
      );
      connection.write('{"name":');
      await connection.answered();
      assert.equal(connection.status, 408, `${path}: ${connection.answer}`);
      connection.write('x'.repeat(200_000));
      await connection.ended();
      assert.ok(connection.socket.destroyed, path);
    }
  });

  test('have a total limit: a request past it is answered 503, until others have ended', async () => {
    const server = await startServer({ config: { maxReceivingBytes: 150_000 } });
    const port = Number(new URL(await server.listen()).port);
    const held = [new RawConnection(port), new RawConnection(port)];
    for (const connection of held) {
      connection.write(begun('/api/flows/'));
      connection.write('x'.repeat(70_000));
    }
    const refused: RawConnection[] = [];
    // The first bodies are in transit. Once the server has them, no other whole body fits.
    const refusal = async () => {
      const connection = new RawConnection(port);
      refused.push(connection);
      connection.write(begun('/api/flows/') + JSON.stringify({ name: 'x'.repeat(99_989) }));
      await connection.answered();
      return connection;
    };
    let last = await refusal();
    while (last.status !== 503) last = await refusal();
    assert.match(last.answer, /\r\nretry-after: 1\r\n/i);
    for (const connection of held) connection.destroy();
    while (last.status === 503) last = await refusal();
    assert.ok([201, 422].includes(last.status), last.answer);
    for (const connection of refused) connection.destroy();
    await server.stop();
  });
});
