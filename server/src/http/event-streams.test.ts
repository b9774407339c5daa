import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { person } from '../../test/support/platform.ts';
import { databases, startServer, type TestServer } from '../../test/support/server.ts';
import { until } from '../../test/support/until.ts';

interface Change {
  readonly type: string;
  readonly id?: string;
  readonly flow_run_id?: string;
}

/** An open stream: what it has said so far, and whether it has ended. */
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

for (const database of databases) {
  describe(`the stream of changes on ${database}`, () => {
    let server: TestServer;
    let address: string;
    before(async () => {
      server = await startServer({ database, config: { apiAuth: 'key' } });
      address = (await server.listen()).replace(/^ws/, 'http');
    });
    after(() => server.stop());

    const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

    test('tells which runs have changed, and nothing that they hold', async () => {
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
      await until('the log is told', () => stream.changes.some(({ type }) => type === 'log'));
      assert.ok(stream.changes.some(({ type, id }) => type === 'flow_run' && id === run.body.id));
      assert.ok(stream.changes.some(({ type, flow_run_id }) => type === 'log' && flow_run_id === run.body.id));
      assert.doesNotMatch(JSON.stringify(stream.changes), /hunter2|secret line|streamed/);
      stream.answer.destroy();
    });

    test('needs a credential, and ends within a second of its revocation', async () => {
      assert.equal((await openStream(address)).answer.statusCode, 401);
      const leaving = await person(server, 'leaving@example.com', 'admin');
      const stream = await openStream(address, bearer(leaving.key));
      assert.equal(stream.answer.statusCode, 200);
      const began = performance.now();
      assert.equal((await leaving.delete('/me/api-key')).status, 204);
      await until('the stream ends', () => stream.isOver);
      assert.ok(performance.now() - began < 1000, `${performance.now() - began} ms`);
    });

    test('says to read everything again when more has changed than it tells', async () => {
      const admin = await person(server, 'busy@example.com', 'admin');
      const stream = await openStream(address, bearer(admin.key));
      const row = { occurred: '2026-01-01T00:00:00Z', related: '[]', resource: '{}', payload: '{}' };
      const events = Array.from({ length: 600 }, (_, index) => ({
        ...row,
        resource_id: `prefect.flow-run.3fa85f64-5717-4562-b3fc-${String(index).padStart(12, '0')}`,
      }));
      server.server.hub.publish('events', server.server.defaultWorkspace, events as never);
      await until('the changes are told', () => stream.changes.length > 0);
      assert.deepEqual(stream.changes, [{ type: 'resync' }]);
      stream.answer.destroy();
    });
  });
}

test('a workspace has as many streams as its limit says, and a place is free again when one ends', async () => {
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
  test(`clients that leave before they are admitted take no place on ${database}`, async (context) => {
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

test('a stopping server ends its streams', async () => {
  const server = await startServer();
  const stream = await openStream((await server.listen()).replace(/^ws/, 'http'));
  await server.stop();
  await until('the stream ends', () => stream.isOver);
});
