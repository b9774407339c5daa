import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { startServer } from '../../test/support/server.ts';
import { connect as connectSocket, refusalOf, SocketClient } from '../../test/support/socket-client.ts';
import { TrustedProxies } from '../network/trusted-proxies.ts';

/** Resolves with true when the server answers on a new connection, with false when it closes the connection. */
async function answers(port: number, held: Socket[]): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  held.push(socket);
  socket.on('error', () => {});
  const answered = once(socket, 'data').then(() => true);
  const closed = once(socket, 'close').then(() => false);
  socket.write('GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n');
  return Promise.race([answered, closed]);
}

describe('connections', () => {
  test('of one client past the limit are closed, and a closed one makes room', async () => {
    const server = await startServer({ config: { maxConnectionsOfClient: 3 } });
    const port = Number(new URL(await server.listen()).port);
    const held: Socket[] = [];
    for (const expected of [true, true, true, false, false]) assert.equal(await answers(port, held), expected);
    const ended = once(held[0]!, 'close');
    held[0]?.end();
    await ended;
    while (!(await answers(port, held)));
    for (const socket of held) socket.destroy();
    await server.stop();
  });

  test('of a trusted proxy count only in the total', async () => {
    const trustedProxies = new TrustedProxies(['127.0.0.1']);
    const server = await startServer({ config: { maxConnectionsOfClient: 1, maxConnections: 3, trustedProxies } });
    const port = Number(new URL(await server.listen()).port);
    const held: Socket[] = [];
    for (const expected of [true, true, true, false]) assert.equal(await answers(port, held), expected);
    for (const socket of held) socket.destroy();
    await server.stop();
  });
});

describe('websockets', () => {
  test('that have not signed in have a limit, and signed-in ones do not count', async () => {
    const server = await startServer({
      config: { apiAuth: 'basic', apiAuthString: 'me:secret', maxWaitingSocketsOfClient: 2 },
    });
    const url = `${await server.listen()}/events/in`;
    const known = [await connectSocket(url, { token: 'me:secret' }), await connectSocket(url, { token: 'me:secret' })];
    const silent = [new SocketClient(url, ['prefect']), new SocketClient(url, ['prefect'])];
    for (const { socket } of silent) await once(socket, 'open');
    assert.equal(await refusalOf(url), 503);
    silent[0]!.send({ type: 'auth', token: 'me:secret' });
    assert.equal((await silent[0]!.next()).type, 'auth_success');
    known.push(await connectSocket(url, { token: 'me:secret' }));
    for (const client of [...known, ...silent]) client.close();
    await server.stop();
  });

  test('of one workspace have a limit', async () => {
    const server = await startServer({ config: { maxSocketsOfWorkspace: 2 } });
    const url = `${await server.listen()}/events/in`;
    const open = [await connectSocket(url), await connectSocket(url)];
    const third = new SocketClient(url, ['prefect']);
    await once(third.socket, 'open');
    third.send({ type: 'auth', token: null });
    assert.equal(await third.ended(), '1013 This workspace has too many open websockets');
    for (const client of open) client.close();
    await server.stop();
  });

  test('of one address in an open workspace have a limit', async () => {
    const server = await startServer({ config: { maxSocketsOfCaller: 1 } });
    const url = `${await server.listen()}/events/in`;
    const open = await connectSocket(url);
    const second = new SocketClient(url, ['prefect']);
    await once(second.socket, 'open');
    second.send({ type: 'auth', token: null });
    assert.equal(await second.ended(), '1013 You have too many open websockets in this workspace');
    open.close();
    await server.stop();
  });
});
