import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { startServer, type TestServer } from '../../../test/support/server.ts';
import { connect, refusalOf, SocketClient } from '../../../test/support/socket-client.ts';
import { Unavailable } from '../../errors.ts';
import { registerSockets, type SocketRoute } from './websocket.ts';

describe('websockets of an open server', () => {
  let server: TestServer;
  let url: string;
  before(async () => {
    server = await startServer();
    url = await server.listen();
  });
  after(() => server.stop());

  test('an address without a socket answers 403', async () => {
    for (const path of ['/nope', '/events', '/events/in/', '/flows/', '/%'])
      assert.equal(await refusalOf(url + path), 403);
  });

  test('every socket accepts the sign-in with any token, and answers pings before it', async () => {
    for (const path of ['/events/in', '/events/out', '/logs/out']) {
      const client = new SocketClient(url + path, ['chat', 'prefect']);
      await once(client.socket, 'open');
      assert.equal(client.socket.protocol, 'prefect');
      await client.ping();
      client.send({ type: 'auth', token: 'whatever' });
      assert.deepEqual(await client.next(), { type: 'auth_success' });
      client.close();
    }
  });

  test('the answer to the newest of many pings stands for those before it', async () => {
    const { socket } = await connect(`${url}/events/in`);
    const answered: number[] = [];
    socket.on('pong', (data) => answered.push(Number(data.toString())));
    socket.pause();
    const pings = 5000;
    for (let ping = 1; ping <= pings; ping++) socket.ping(String(ping));
    socket.resume();
    while (answered.at(-1) !== pings) await once(socket, 'pong');
    assert.ok(answered.length < pings / 2, `${answered.length} answers`);
    assert.deepEqual(
      answered,
      answered.toSorted((one, other) => one - other),
    );
    socket.close();
  });

  test('a first frame that is not a sign-in closes the socket', async () => {
    for (const frame of [{ type: 'filter' }, 'no JSON', '[1]', 'null', Buffer.from('{"type":"auth"}')]) {
      const client = await connect(`${url}/events/out`, { protocols: ['prefect'] });
      client.send(frame);
      assert.equal(await client.ended(), "1008 Expected 'auth' message");
    }
  });

  test('without the subprotocol, no sign-in is expected', async () => {
    for (const protocols of [[], ['chat']]) {
      const client = new SocketClient(`${url}/events/out`, protocols);
      // The WebSocket library of the test would refuse an answer without its subprotocol; the server accepts it.
      if (protocols.length > 0) {
        const [error] = (await once(client.socket, 'error')) as [Error];
        assert.match(error.message, /no subprotocol/);
        continue;
      }
      await once(client.socket, 'open');
      client.send({ type: 'nothing' });
      assert.equal(await client.ended(), "1002 Expected 'filter' message");
    }
  });

  test('a frame above two megabytes closes the socket', async () => {
    const client = await connect(`${url}/events/in`);
    client.send('x'.repeat(2 * 1024 * 1024 + 1));
    assert.match(await client.ended(), /^1009/);
  });

  test('a request that offers another protocol is served as plain HTTP', async () => {
    const offer = request(url.replace('ws', 'http').replace('/api', '/api/health'), {
      headers: { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQAoAAAAAIAAAAA' },
    });
    offer.end();
    const [response] = (await once(offer, 'response')) as [{ statusCode: number; resume(): void }];
    assert.equal(response.statusCode, 200);
    response.resume();
  });
});

describe('websockets of a server with a password', () => {
  let server: TestServer;
  let url: string;
  before(async () => {
    server = await startServer({ config: { apiAuth: 'basic', apiAuthString: 'admin:pass' } });
    url = await server.listen();
  });
  after(() => server.stop());

  test('the token is the whole user and password text', async () => {
    (await connect(`${url}/events/in`, { token: 'admin:pass' })).close();
    for (const [token, end] of [
      [null, '1008 Auth required but no token provided'],
      ['', '1008 Auth required but no token provided'],
      ['admin', '1008 Invalid token'],
      [3, '1008 Invalid token'],
    ]) {
      const client = await connect(`${url}/events/in`, { protocols: ['prefect'] });
      client.send({ type: 'auth', token });
      assert.equal(await client.ended(), end);
    }
  });

  test('a client that failed to sign in is refused', async () => {
    assert.equal(await refusalOf(`${url}/events/in`, []), 403);
    assert.equal(await refusalOf(`${url}/events/in`, ['chat']), 403);
  });
});

describe('declared sockets', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());

  test('one without a permission prevents the start', () => {
    const open: SocketRoute = { path: '/open', permission: undefined as never, open: () => ({ message() {} }) };
    assert.throws(() => registerSockets(createServer(), server.server, '/api', [open]), /declares no permission/);
  });

  test('parts of the address are decoded, and an error in a handler closes only its socket', async () => {
    const http = createServer();
    const echo: SocketRoute = {
      path: '/pools/{name}/connect',
      permission: 'work_pools:read',
      open: (session) => ({
        message(text) {
          if (text === 'fail') throw new Error('a fault');
          if (text === 'busy') throw new Unavailable('The database is busy.');
          session.send(JSON.stringify({ name: session.path['name'], text }));
        },
      }),
    };
    const sockets = registerSockets(http, server.server, '/api', [echo]);
    await once(http.listen(0, '127.0.0.1'), 'listening');
    const address = `ws://127.0.0.1:${(http.address() as AddressInfo).port}/api/pools/a%20b/connect`;
    const [first, second] = [await connect(address), await connect(address)];
    first.send('fail');
    assert.equal(await first.ended(), '1011 Internal Server Error');
    const third = await connect(address);
    third.send('busy');
    assert.equal(await third.ended(), '1013 The database is busy.');
    second.send('hello');
    assert.deepEqual(await second.next(), { name: 'a b', text: 'hello' });
    const ended = second.ended();
    await sockets.close();
    assert.equal(await ended, '1012 The server is restarting');
    http.close();
  });

  test('a reader that stops reading is closed, and its queue is bounded', async () => {
    const http = createServer();
    const frame = 'x'.repeat(64 * 1024);
    const { promise: ended, resolve: end } = Promise.withResolvers<number>();
    const flood: SocketRoute = {
      path: '/flood',
      permission: 'work_pools:read',
      open: (session) => {
        let sent = 0;
        let isOpen = true;
        const more = () => {
          if (!isOpen) return;
          session.send(frame);
          sent += frame.length;
          setImmediate(more);
        };
        return {
          message: more,
          closed: () => {
            isOpen = false;
            end(sent);
          },
        };
      },
    };
    const sockets = registerSockets(http, server.server, '/api', [flood]);
    let taken = () => 0;
    http.on('connection', (socket) => {
      taken = () => socket.bytesWritten;
    });
    await once(http.listen(0, '127.0.0.1'), 'listening');
    const client = await connect(`ws://127.0.0.1:${(http.address() as AddressInfo).port}/api/flood`);
    client.send('go');
    client.socket.pause();
    assert.ok((await ended) > 0);
    // The buffers of the system, and a burst beside them.
    assert.ok(taken() < 24 * 1024 * 1024, `${taken()} bytes were written for a reader that stopped`);
    client.close();
    await sockets.close();
    http.close();
  });
});
