import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { startWatchedUpstream, type WatchedUpstream } from '../../../test/support/watched-upstream.ts';
import { HttpUpstream } from './http-upstream.ts';
import type { UpstreamRequest } from './upstream.ts';

/** What lies between, once a connection has been used: it ends it, resets it, or takes what comes and forgets it. */
type Drop = 'FIN' | 'RST' | 'forgotten';

/** Passes connections on; each drops in this way when something is sent after its first answer. */
async function startBox(port: number, way: () => Drop): Promise<Server> {
  const sockets = new Set<Socket>();
  const box = createServer((socket) => {
    const onward = connect(port, '127.0.0.1');
    let isUsed = false;
    for (const end of [socket, onward]) {
      sockets.add(end);
      end.on('error', () => {});
    }
    socket.on('data', (chunk) => {
      if (!isUsed) onward.write(chunk);
      else if (way() === 'FIN') socket.end();
      else if (way() === 'RST') socket.resetAndDestroy();
    });
    onward.on('data', (chunk) => {
      isUsed = true;
      socket.write(chunk);
    });
    socket.on('close', () => onward.destroy());
    onward.on('close', () => socket.end());
  });
  box.on('close', () => {
    for (const socket of sockets) socket.destroy();
  });
  await new Promise<void>((resolve) => box.listen(0, '127.0.0.1', resolve));
  return box;
}

interface Settled {
  readonly status?: number;
  readonly fault?: string;
}

describe('connections that are dropped while they are idle', () => {
  let upstream: WatchedUpstream;
  let box: Server;
  let way: Drop;
  let through: HttpUpstream;
  before(async () => {
    upstream = await startWatchedUpstream({ capabilities: { tools: {}, resources: {}, prompts: {} } });
    box = await startBox(upstream.port, () => way);
  });
  beforeEach(async () => {
    upstream.seen.length = 0;
    upstream.answerWith(undefined);
    await through?.close();
    through = await HttpUpstream.open(new URL(`http://127.0.0.1:${(box.address() as AddressInfo).port}/mcp`), {
      allowPrivate: true,
      answerSeconds: 1,
      silentSeconds: 0.2,
      connections: 1,
      maxAnswerBytes: 1_000_000,
    });
  });
  after(async () => {
    await through.close();
    box.close();
    await upstream.stop();
  });

  const sent = (method: UpstreamRequest['method'], body: object | null) =>
    new Promise<Settled>((resolve) => {
      let status: number | undefined;
      const call = through.send(
        { method, headers: { 'content-type': 'application/json' }, body: body && Buffer.from(JSON.stringify(body)) },
        {
          begin: (given) => {
            status = given;
            // A stream has no end.
            if (method !== 'GET') return;
            call.abort();
            resolve({ status: given });
          },
          data: () => true,
          end: () => resolve({ status: status! }),
          fail: ({ fault }) => resolve({ fault }),
        },
      );
    });
  const ask = (method: string, params: object = {}) => sent('POST', { jsonrpc: '2.0', id: 1, method, params });
  const seenMethods = () => upstream.seen.map(({ body }) => (body === '' ? 'GET' : JSON.parse(body).method));

  for (const drop of ['FIN', 'RST', 'forgotten'] as const) {
    test(`${drop}: a read is sent once more on a new connection`, async () => {
      way = drop;
      const reads = ['tools/list', 'resources/read', 'prompts/get', 'ping', 'initialize'];
      for (const method of reads) {
        assert.deepEqual(await ask('tools/list'), { status: 200 });
        assert.deepEqual(await ask(method, { name: 'x', uri: 'x:y' }), { status: 200 }, method);
      }
      assert.deepEqual(
        seenMethods().filter((_, index) => index % 2 === 1),
        reads,
      );
    });

    test(`${drop}: a call, a notification and a mixed batch are not`, async () => {
      way = drop;
      const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'echo' } };
      const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      const bodies = [call, { jsonrpc: '2.0', method: 'notifications/initialized' }, [list, call]];
      for (const body of bodies) {
        upstream.seen.length = 0;
        await ask('tools/list');
        const { fault } = await sent('POST', body);
        assert.equal(fault, drop === 'forgotten' ? 'timeout' : 'connection');
        assert.deepEqual(seenMethods(), ['tools/list']);
      }
    });
  }

  test('a server that drops each connection is asked twice, and no more', async () => {
    let asked = 0;
    upstream.answerWith((_request, response) => {
      asked += 1;
      response.destroy();
    });
    way = 'FIN';
    assert.deepEqual(await ask('tools/list'), { fault: 'connection' });
    assert.equal(asked, 2);
    assert.deepEqual(await ask('tools/call', { name: 'echo' }), { fault: 'connection' });
    assert.equal(asked, 3);
  });

  test('an answer that has begun and breaks off is not asked for again', async () => {
    let asked = 0;
    upstream.answerWith((_request, response) => {
      asked += 1;
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"half":');
      response.socket?.once('drain', () => {});
      setImmediate(() => response.destroy());
    });
    way = 'FIN';
    assert.deepEqual(await ask('tools/list'), { fault: 'connection' });
    assert.equal(asked, 1);
  });

  test('a read whose caller goes away is not repeated', async () => {
    const gone = new Promise<void>((resolve) => {
      upstream.answerWith((_request, _response, { socket }) => {
        socket.once('close', () => resolve());
        call.abort();
      });
    });
    const body = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}');
    const heard = () => assert.fail('the caller has disconnected');
    const unheard = { begin: heard, data: heard, end: heard, fail: heard };
    const call = through.send({ method: 'POST', headers: {}, body }, unheard);
    await gone;
    upstream.answerWith(undefined);
    assert.deepEqual(await ask('tools/list'), { status: 200 });
    assert.deepEqual(seenMethods(), ['ping', 'tools/list']);
  });
});
