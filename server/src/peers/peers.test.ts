import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { after, before, describe, test } from 'node:test';
import { connect } from 'node:tls';
import { ORGANIZATION, openStream, send, servingUrl, startGateway } from '../../test/support/gateway.ts';
import type { PlatformCaller } from '../../test/support/platform.ts';
import { type Client, EVERYTHING, sessionClient, startRemix, type TestRemix } from '../../test/support/remix.ts';
import { databases } from '../../test/support/server.ts';
import { until } from '../../test/support/until.ts';
import type { Answering } from '../../test/support/watched-upstream.ts';
import { deletePeer, putPeer } from '../database/peer-rows.ts';
import { Keyring } from '../encryption/keyring.ts';
import { Sessions } from '../mcp/gateway/decide/sessions.ts';
import { isOwnEndpoint } from '../outbound/own-endpoints.ts';
import { newTimeOrderedId } from '../values/id.ts';
import { hostAndPortOf } from './peer-address.ts';
import { connectingOptions } from './peer-key.ts';

/** Asks the client during a call of a tool, and answers it once the client has answered. */
function asking(): Answering {
  let waiting = () => {};
  return ({ body }, response) => {
    const message = body === '' ? {} : JSON.parse(body);
    const reply = (result: object) => JSON.stringify({ jsonrpc: '2.0', id: message.id, result });
    if (message.method === 'initialize') {
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'asking' });
      const serverInfo = { name: 'a', version: '1' };
      response.end(reply({ protocolVersion: '2025-11-25', capabilities: EVERYTHING, serverInfo }));
    } else if (message.method === 'tools/call') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(
        `data: ${JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'sampling/createMessage', params: {} })}\n\n`,
      );
      waiting = () => response.end(`data: ${reply({ content: [] })}\n\n`);
    } else {
      response.writeHead(202).end();
      if (message.result !== undefined) waiting();
    }
  };
}

// One process on SQLite has no peers.
for (const database of databases.filter((one) => one === 'postgres')) {
  describe(`two servers on ${database} with each other`, () => {
    let remix: TestRemix;
    let member: PlatformCaller & { readonly id: string };
    before(async () => {
      const options = { database, hasSecond: true, config: { peerPort: 0, peerHost: '127.0.0.1' } };
      remix = await startRemix({ docs: { tools: ['ask'] } }, options);
      const { status, text } = await remix.save('mix', [{ server: 'docs', tools: [{ name: 'ask' }] }]);
      assert.equal(status, 201, text);
      member = await remix.gateway.member('member@example.com');
    });
    after(() => remix.stop());

    const store = () => remix.gateway.server.server.store;
    const listing = (session: string, origin: string) =>
      fetch(origin + servingUrl('mix'), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${member.key}`,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          'mcp-session-id': session,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      });
    const sessionOf = (client: Awaited<ReturnType<typeof sessionClient>>) => client.headers!['mcp-session-id']!;
    /** A session that another process holds, which lives at this address. */
    const sessionAt = async (address: string) => {
      const { server } = remix.gateway.server;
      const holder = newTimeOrderedId();
      const seen = server.clock.now();
      await store().platform.transaction((tx) =>
        tx.run(putPeer, {
          id: holder,
          address,
          build: '0',
          host: null,
          claims: '{"machine":"x","addresses":[],"ports":[],"endpoints":[]}' as never,
          seen,
        }),
      );
      const { body } = await remix.gateway.admin.get(`${ORGANIZATION}/servers/mix`);
      return new Sessions(server.encryption).seal({
        ...{ serverId: body.id, actorId: member.id, upstreamId: 'x', version: '2025-11-25', client: undefined },
        ...{ name: newTimeOrderedId(), holder },
      });
    };

    test('a question and its answer pass through different servers', async () => {
      const { gateway, sources } = remix;
      sources['docs']!.answerWith(asking());
      try {
        for (let turn = 0; turn < 2; turn++) {
          const client = await sessionClient(gateway, 'mix', member.key);
          const body = { jsonrpc: '2.0', id: 'call', method: 'tools/call', params: { name: 'ask', arguments: {} } };
          const stream = await openStream(gateway, 'mix', client, 'POST', body);
          await stream.holds('\n\n');
          const { id } = JSON.parse(/data: (.*)/.exec(stream.text())![1]!);
          const answer = { jsonrpc: '2.0', id, result: { from: 'the client' } };
          assert.equal((await send(gateway, 'mix', answer, client)).status, 202);
          assert.equal(await stream.ended, true);
          assert.match(stream.text(), /"id":"call"/);
          // The next session begins at the other server.
          await send(gateway, 'mix', {}, client);
        }
      } finally {
        sources['docs']!.answerWith(undefined);
      }
    });

    test('a request that is passed on is decided and recorded once, as of its client', async () => {
      const { gateway } = remix;
      const client = await sessionClient(gateway, 'mix', member.key);
      for (const origin of gateway.origins) assert.equal((await listing(sessionOf(client), origin)).status, 200);
      await gateway.server.recordsWritten();
      const { body } = await gateway.admin.get(`${ORGANIZATION}/servers/mix/requests?limit=2`);
      const [last, earlier] = body.items as { method: string; session: string; actor: { id: string } }[];
      assert.deepEqual([last!.method, earlier!.method], ['tools/list', 'tools/list']);
      assert.equal(last!.session, earlier!.session);
      // Each server decides by the caller's access as it is now.
      const bob = await gateway.member('bob@example.com');
      for (const origin of gateway.origins) {
        const foreign = await fetch(origin + servingUrl('mix'), {
          headers: {
            authorization: `Bearer ${bob.key}`,
            'mcp-session-id': sessionOf(client),
            accept: 'text/event-stream',
          },
        });
        assert.equal(foreign.status, 404);
      }
    });

    test('a session is unknown once the server that holds it is gone, and only that one', async () => {
      const closed = createServer();
      await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
      const { port } = closed.address() as { port: number };
      await new Promise((resolve) => closed.close(resolve));
      const session = await sessionAt(`127.0.0.1:${port}`);
      for (const origin of remix.gateway.origins) {
        const answer = await listing(session, origin);
        assert.equal(answer.status, 404);
        assert.equal(((await answer.json()) as { error: { message: string } }).error.message, 'Session not found');
      }
      const client: Client = await sessionClient(remix.gateway, 'mix', member.key);
      assert.equal((await client('tools/list')).status, 200);
    });

    test('a server that lives and does not answer is worth another attempt', async () => {
      const open = new Set<Socket>();
      const silent = createServer((socket) => open.add(socket));
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      try {
        const session = await sessionAt(`127.0.0.1:${(silent.address() as { port: number }).port}`);
        const answer = await listing(session, remix.gateway.origins[0]!);
        assert.equal(answer.status, 503);
        assert.equal(answer.headers.get('retry-after'), '1');
      } finally {
        for (const socket of open) socket.destroy();
        silent.close();
      }
    });

    test('ports of a server on this machine are no targets of users at the others while it lives', async () => {
      const { server } = remix.gateway.server;
      const claims = JSON.stringify({
        machine: hostname(),
        addresses: ['192.0.2.7'],
        ports: [4],
        endpoints: ['192.0.2.8 5432'],
      });
      const row = { id: newTimeOrderedId(), address: '127.0.0.1:9', build: '0', host: null, claims: claims as never };
      await store().platform.transaction((tx) => tx.run(putPeer, { ...row, seen: server.clock.now() }));
      const refused = () => [
        isOwnEndpoint('127.0.0.1', 4),
        isOwnEndpoint('192.0.2.7', 4),
        isOwnEndpoint('192.0.2.8', 5432),
      ];
      server.hub.tell('peers', row.id, undefined);
      await until('its ports are refused', () => refused().every(Boolean));
      assert.equal(isOwnEndpoint('192.0.2.9', 4), false);
      await store().platform.transaction((tx) => tx.run(deletePeer, { id: row.id }));
      server.hub.tell('peers', row.id, undefined);
      await until('they are allowed again', () => !refused().some(Boolean));
    });

    test('a connection without the key of the installation is refused', async () => {
      const { server } = remix.gateway.server;
      const rows = await store()
        .platform.reads()
        .all({
          bind: () => ({
            sql: "select address from peer where host is null and build <> '0'",
            parameters: [],
            prepare: false,
          }),
          isOfPlatform: true,
        } as never);
      const { host, port } = hostAndPortOf((rows[0] as { address: string }).address);
      const attempt = (options: object) =>
        new Promise<string>((resolve) => {
          const socket = connect({ host, port, ...options }, () => {
            socket.end();
            resolve('accepted');
          });
          socket.on('error', () => resolve('refused'));
        });
      assert.equal(await attempt(connectingOptions(new Keyring(server.config))), 'accepted');
      const other = { ...server.config, encryptionKey: Buffer.alloc(32, 9).toString('base64') };
      assert.equal(await attempt(connectingOptions(new Keyring(other))), 'refused');
      assert.equal(await attempt({ rejectUnauthorized: false }), 'refused');
    });

    test('a server that stops leaves the list, and its sessions with it', async () => {
      const { gateway } = remix;
      const clients = [
        await sessionClient(gateway, 'mix', member.key),
        await sessionClient(gateway, 'mix', member.key),
      ];
      const listen = (client: (typeof clients)[number], origin: string) =>
        fetch(origin + servingUrl('mix'), {
          headers: { authorization: `Bearer ${member.key}`, accept: 'text/event-stream', ...client.headers },
        });
      const streams = await Promise.all(clients.map((client) => listen(client, gateway.origins[0]!)));
      assert.deepEqual(
        streams.map(({ status }) => status),
        [200, 200],
      );
      const [first = ''] = gateway.origins;
      await gateway.stopSecond();
      const statuses = await Promise.all(
        clients.map(async (client) => (await listing(sessionOf(client), first)).status),
      );
      assert.deepEqual(statuses.toSorted(), [200, 404]);
      const ended = streams[statuses.indexOf(404)]!;
      assert.equal(typeof (await ended.text()), 'string', 'its stream has ended whole');
      await streams[statuses.indexOf(200)]!.body?.cancel();
    });
  });

  describe(`tasks at two servers on ${database}`, () => {
    test('each lists what the other one has begun', async () => {
      const gateway = await startGateway({ database, hasSecond: true });
      try {
        assert.equal((await gateway.register('tasks')).status, 201);
        const ada = await gateway.member('ada@example.com');
        const bob = await gateway.member('bob@example.com');
        const ids: string[] = [];
        const task = (taskId: string) => ({
          taskId,
          status: 'working',
          ttl: 60_000,
          createdAt: '2026-11-22T00:00:00Z',
        });
        gateway.upstream.answerWith(({ body }, response) => {
          const { id, method } = JSON.parse(body === '' ? '{}' : body);
          if (method === 'tools/call') ids.push(`raw-${ids.length + 1}`);
          const result = method === 'tasks/list' ? { tasks: ids.map(task) } : { task: task(ids.at(-1) ?? '') };
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
        });
        const asked = async (key: string, method: string, params: object) =>
          (await send(gateway, 'tasks', { jsonrpc: '2.0', id: 1, method, params }, { key })).body.result;
        const begun: string[] = [];
        for (let turn = 0; turn < 4; turn++) {
          const { task } = await asked(ada.key, 'tools/call', { name: 'echo', arguments: {}, task: {} });
          begun.push(task.taskId);
          const { tasks } = await asked(ada.key, 'tasks/list', {});
          assert.deepEqual(
            tasks.map(({ taskId }: { taskId: string }) => taskId),
            begun,
          );
          // The next task begins at the other server.
          await asked(ada.key, 'ping', {});
        }
        for (let turn = 0; turn < 2; turn++) assert.deepEqual((await asked(bob.key, 'tasks/list', {})).tasks, []);
      } finally {
        await gateway.stop();
      }
    });
  });
}
