import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { askPlatform, cookieOf, joinByInvitation, person } from '../../../test/support/platform.ts';
import { recordRequests } from '../../../test/support/request-records.ts';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { connect as connectSocket, SocketClient } from '../../../test/support/socket-client.ts';
import { until } from '../../../test/support/until.ts';
import { createOperatorContext } from '../../platform/operator/operator.ts';
import { changePassword } from '../../platform/operator/users.ts';

interface Change {
  readonly type: string;
  readonly id?: string;
  readonly flow_run_id?: string;
}

/** An open stream: the text so far, and whether it has ended. */
class Stream {
  readonly changes: Change[] = [];
  isOver = false;
  text = '';
  readonly answer: IncomingMessage;

  constructor(answer: IncomingMessage) {
    this.answer = answer;
    answer.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    answer.once('close', () => {
      this.isOver = true;
    });
    answer.on('error', () => {});
  }

  #read(text: string): void {
    this.text += text;
    const messages = this.text.split('\n\n');
    this.text = messages.pop() ?? '';
    for (const message of messages) {
      if (message.startsWith('data: ')) this.changes.push(...(JSON.parse(message.slice(6)) as Change[]));
    }
  }
}

async function openStream(address: string, headers: Record<string, string> = {}): Promise<Stream> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(`${address}/views/live`, { headers, agent: false }, resolve).once('error', reject).end();
  });
  return new Stream(answer);
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

for (const database of databases) {
  describe(`the stream of changes on ${database}`, () => {
    let server: TestServer;
    let address: string;
    before(async () => {
      server = await startServer({ database, config: { apiAuth: 'key' } });
      address = (await server.listen()).replace(/^ws/, 'http');
    });
    after(() => server.stop());

    test('names the runs that changed, without their contents', async () => {
      const admin = await person(server, 'reader@example.com', 'admin');
      const stream = await openStream(address, bearer(admin.key));
      assert.equal(stream.answer.headers['content-type'], 'text/event-stream');
      assert.equal(stream.answer.headers['x-accel-buffering'], 'no');
      const flow = await server.post('/flows/', { name: 'streamed' }, bearer(admin.key));
      const run = await server.post(
        '/flow_runs/',
        { flow_id: flow.body.id, parameters: { password: 'hunter2' }, state: { type: 'RUNNING' } },
        bearer(admin.key),
      );
      await server.post(
        '/logs/',
        [
          {
            name: 'x',
            level: 20,
            message: 'a secret line',
            timestamp: '2026-01-01T00:00:00Z',
            flow_run_id: run.body.id,
          },
        ],
        bearer(admin.key),
      );
      await until('the log reports the change', () => stream.changes.some(({ type }) => type === 'log'));
      assert.ok(stream.changes.some(({ type, id }) => type === 'flow_run' && id === run.body.id));
      assert.ok(stream.changes.some(({ type, flow_run_id }) => type === 'log' && flow_run_id === run.body.id));
      assert.doesNotMatch(JSON.stringify(stream.changes), /hunter2|secret line|streamed/);
      stream.answer.destroy();
    });

    test('tells those who edit an MCP server what happens at it, and no one else', async () => {
      const admin = await person(server, 'editor@example.com', 'admin');
      const member = await person(server, 'member@example.com', 'member');
      const body = { slug: 'told', name: 'Told', kind: 'external', external: { url: 'https://example.com/mcp' } };
      const made = await admin.post('/organizations/default/servers', body);
      assert.equal(made.status, 201, made.text);
      const { id } = made.body;
      const { body: workspaces } = await admin.get('/organizations/default/workspaces');
      const grants = `/organizations/default/workspaces/${workspaces.items[0].id}/grants`;
      assert.equal((await admin.put(`${grants}/${member.id}`, { role: 'viewer' })).status, 204);
      const robot = await admin.post('/organizations/default/service-accounts', { name: 'robot', role: 'admin' });
      const keys = [admin.key, robot.body.secret, member.key];
      const [editor, automatic, other] = await Promise.all(keys.map((key) => openStream(address, bearer(key))));
      assert.ok(editor && automatic && other);
      assert.equal(other.answer.statusCode, 200);
      await recordRequests(server.server, id, [{ occurred: server.server.clock.now() }]);
      for (const stream of [editor, automatic]) {
        await until('the editor is told', () => stream.changes.some(({ type }) => type === 'server_request'));
      }
      assert.ok(editor.changes.every((change) => change.type !== 'server_request' || change.id === id));
      const asked = await member.post(`/organizations/default/servers/${id}/access-requests`, { reason: 'for a test' });
      assert.equal(asked.status, 201, asked.text);
      await until('the editor is told', () => editor.changes.some(({ type }) => type === 'access_request'));
      // What comes later in the same workspace shows that the stream of the member has passed the request.
      const flow = await server.post('/flows/', { name: 'after the request' }, bearer(admin.key));
      await server.post('/flow_runs/', { flow_id: flow.body.id, state: { type: 'RUNNING' } }, bearer(admin.key));
      await until('the member is told', () => other.changes.some(({ type }) => type === 'flow_run'));
      assert.deepEqual(
        other.changes.filter(({ type }) => type === 'server_request'),
        [],
      );
      for (const stream of [editor, automatic, other]) stream.answer.destroy();
    });

    test('needs a credential, and ends when it is revoked', async () => {
      assert.equal((await openStream(address)).answer.statusCode, 401);
      const leaving = await person(server, 'leaving@example.com', 'admin');
      const stream = await openStream(address, bearer(leaving.key));
      assert.equal(stream.answer.statusCode, 200);
      assert.equal((await leaving.delete('/me/api-key')).status, 204);
      await until('the stream ends', () => stream.isOver);
    });

    test('ends with the session that opened it', async () => {
      const owner = await person(server, 'owner@example.com', 'admin');
      const password = 'correct horse battery staple';
      const joining = async (email: string) => {
        const joined = await joinByInvitation(server, owner, email, password, 'admin');
        return { cookie: cookieOf(joined), 'x-csrf-token': joined.body.csrfToken as string };
      };
      const ways: Record<string, (email: string, own: Record<string, string>) => Promise<unknown>> = {
        'signing out': (_, own) => askPlatform(server, 'DELETE', '/session', undefined, own),
        'a password that another browser changes': async (email) => {
          const signedIn = await askPlatform(server, 'POST', '/session', { email, password });
          const other = { cookie: cookieOf(signedIn), 'x-csrf-token': signedIn.body.csrfToken as string };
          const change = { currentPassword: password, newPassword: 'a ship in port is safe' };
          assert.equal((await askPlatform(server, 'PUT', '/me/password', change, other)).status, 204);
        },
        'a password that an operator sets': (email) =>
          changePassword(
            createOperatorContext(server.server.store, server.server.clock.now(), server.server),
            email,
            'another horse battery',
          ),
      };
      for (const [index, [name, end]] of Object.entries(ways).entries()) {
        const email = `session-${index}@example.com`;
        const own = await joining(email);
        const stream = await openStream(address, own);
        assert.equal(stream.answer.statusCode, 200, name);
        await end(email, own);
        await until(`the stream ends after ${name}`, () => stream.isOver);
        assert.ok(stream.answer.complete, 'a browser would report an incomplete answer');
      }
    });

    test('asks clients to read everything again when too much has changed', async () => {
      const admin = await person(server, 'busy@example.com', 'admin');
      const stream = await openStream(address, bearer(admin.key));
      const row = { occurred: '2026-01-01T00:00:00Z', related: '[]', resource: '{}', payload: '{}' };
      const events = Array.from({ length: 600 }, (_, index) => ({
        ...row,
        resource_id: `prefect.flow-run.3fa85f64-5717-4562-b3fc-${String(index).padStart(12, '0')}`,
      }));
      server.server.hub.tell('events', server.server.defaultWorkspace, ...(events as never[]));
      await until('the stream names the changes', () => stream.changes.length > 0);
      assert.deepEqual(stream.changes, [{ type: 'resync' }]);
      stream.answer.destroy();
    });
  });
}

test('a workspace has a limited number of streams, and a closed one makes room', async () => {
  const server = await startServer({ config: { maxSocketsOfWorkspace: 2 } });
  const address = (await server.listen()).replace(/^ws/, 'http');
  const open = [await openStream(address), await openStream(address)];
  const refused = await openStream(address);
  assert.equal(refused.answer.statusCode, 503);
  assert.equal(refused.answer.headers['retry-after'], '1');
  open[0]?.answer.destroy();
  await until('there is room', async () => {
    const again = await openStream(address);
    const { statusCode } = again.answer;
    again.answer.destroy();
    return statusCode === 200;
  });
  open[1]?.answer.destroy();
  await server.stop();
});

for (const database of databases) {
  test(`one person cannot take all streams and websockets of a workspace on ${database}`, async (context) => {
    const server = await startServer({ database, config: { apiAuth: 'key', maxSocketsOfCaller: 2 } });
    context.after(() => server.stop());
    const address = await server.listen();
    const open = (key: string) => openStream(address.replace(/^ws/, 'http'), bearer(key));
    const { key } = await person(server, 'many@example.com', 'admin');
    const { key: otherKey } = await person(server, 'few@example.com', 'admin');
    const streams = [await open(key), await open(key)];
    const refused = await open(key);
    assert.equal(refused.answer.statusCode, 429);
    assert.equal(refused.answer.headers['retry-after'], '1');
    streams.push(await open(otherKey));
    for (const { answer } of streams) assert.equal(answer.statusCode, 200);
    const url = `${address}/events/out`;
    const sockets = [await connectSocket(url, { token: key }), await connectSocket(url, { token: key })];
    const third = new SocketClient(url, ['prefect']);
    await once(third.socket, 'open');
    third.send({ type: 'auth', token: key });
    assert.equal(await third.ended(), '1013 You have too many open websockets in this workspace');
    sockets.push(await connectSocket(url, { token: otherKey }));
    await sockets[2]?.ping();
    for (const { answer } of streams) answer.destroy();
    for (const socket of sockets) socket.close();
  });

  test(`clients that leave before admission take no place on ${database}`, async (context) => {
    const server = await startServer({ database, config: { apiAuth: 'key', maxSocketsOfWorkspace: 2 } });
    context.after(() => server.stop());
    const address = await server.listen();
    const { key } = await person(server, 'hasty@example.com', 'admin');
    const headers = { authorization: `Bearer ${key}` };
    const { hostname, port } = new URL(address);
    const leave = () =>
      new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname);
        socket.once('close', () => resolve());
        socket.write(`GET /api/views/live HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n\r\n`, () =>
          socket.resetAndDestroy(),
        );
      });
    await Promise.all(Array.from({ length: 20 }, leave));
    await until('there is room', async () => {
      const { answer } = await openStream(address.replace(/^ws/, 'http'), headers);
      answer.destroy();
      return answer.statusCode === 200;
    });
  });
}

test('a server that stops ends its streams', async () => {
  const server = await startServer();
  const stream = await openStream((await server.listen()).replace(/^ws/, 'http'));
  await server.stop();
  await until('the stream ends', () => stream.isOver);
});
