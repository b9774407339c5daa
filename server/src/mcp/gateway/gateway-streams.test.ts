import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ask, ORGANIZATION, openStream, send, startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { databases } from '../../../test/support/server.ts';
import { createOperatorContext } from '../../platform/operator/operator.ts';
import { removeUser } from '../../platform/operator/users.ts';

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const listenHeaders = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' };

function updated(uri: string, subscription?: string): string {
  const _meta = subscription ? { _meta: { 'io.modelcontextprotocol/subscriptionId': subscription } } : {};
  return `event: message\nid: 7\ndata: ${JSON.stringify({
    jsonrpc: '2.0',
    method: 'notifications/resources/updated',
    params: { uri, ..._meta },
  })}\n\n`;
}

for (const database of databases) {
  describe(`streams that stay open on ${database}`, () => {
    let gateway: TestGateway;
    before(async () => {
      gateway = await startGateway({ database });
      await gateway.register('open');
      await gateway.register('given', { defaultRole: null });
    });
    after(() => gateway.stop());

    test('messages of the server arrive at once, byte for byte', async () => {
      const { key } = await gateway.member('reader@example.com');
      const stream = await openStream(gateway, 'open', { key, headers: { 'last-event-id': 'e-3' } });
      await gateway.upstream.streaming(1);
      assert.equal(gateway.upstream.seen.at(-1)?.headers['last-event-id'], 'e-3');
      const said =
        ': a comment\nretry: 5000\nid: e-4\nevent: message\ndata: {"jsonrpc":"2.0",\ndata: "method":"x"}\n\n';
      gateway.upstream.streams.at(-1)?.write(said);
      await stream.holds(said);
      assert.equal(stream.headers['content-type'], 'text/event-stream');
      stream.close();
    });

    test('a policy change is announced to the affected readers, as changes of all lists', async () => {
      const { key } = await gateway.member('told@example.com');
      const stream = await openStream(gateway, 'open', { key });
      const administrators = await openStream(gateway, 'open', { key: gateway.admin.key });
      const listening = openStream(
        gateway,
        'open',
        { key, headers: listenHeaders },
        'POST',
        ask('subscriptions/listen', { _meta: meta, notifications: { toolsListChanged: true } }, 'listen-1'),
      );
      gateway.upstream.answerWith((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': ready\n\n');
      });
      const listener = await listening;
      gateway.upstream.answerWith(undefined);
      await listener.holds(': ready');
      await gateway.allow('open', { capability: 'tool', pattern: 'echo', effect: 'allow' });
      for (const list of ['tools', 'prompts', 'resources']) await stream.holds(`notifications/${list}/list_changed`);
      await listener.holds('"io.modelcontextprotocol/subscriptionId":"listen-1"');
      assert.ok(listener.text().includes('notifications/tools/list_changed'));
      assert.ok(!listener.text().includes('notifications/prompts/list_changed'));
      await gateway.allow('open');
      for (const one of [stream, administrators, listener]) one.close();
    });

    test('readers get no notice about a resource that the policy denies them', async () => {
      await gateway.allow('open', { capability: 'resource', pattern: 'mem://open/*', effect: 'allow' });
      const { key } = await gateway.member('narrow@example.com');
      const stream = await openStream(gateway, 'open', { key });
      await gateway.upstream.streaming(1);
      const response = gateway.upstream.streams.at(-1);
      response?.write(updated('mem://closed/1') + updated('mem://open/1'));
      response?.write(updated('mem:\\/\\/closed/2').replace('resources/updated', 'resources\\/updated'));
      response?.write(updated('mem://open/2'));
      await stream.holds('mem://open/2');
      assert.ok(stream.text().includes('mem://open/1'));
      assert.doesNotMatch(stream.text(), /closed/);
      stream.close();
    });

    test('a subscription is reduced to the resources that its reader may read', async () => {
      const { key } = await gateway.member('subscriber@example.com');
      const resourceSubscriptions = ['mem://open/1', 'mem://closed/1'];
      const body = ask('subscriptions/listen', { _meta: meta, notifications: { resourceSubscriptions } });
      await send(gateway, 'open', body, { key, headers: listenHeaders });
      const { params } = JSON.parse(gateway.upstream.seen.at(-1)?.body ?? '');
      assert.deepEqual(params.notifications, { resourceSubscriptions: ['mem://open/1'] });
      await gateway.allow('open');
    });

    test('a stream ends when its reader loses the key, the grant or the membership, and others stay open', async () => {
      const [revoked, ungranted, removed, kept] = await Promise.all(
        ['revoked', 'ungranted', 'removed', 'kept'].map((name) => gateway.member(`${name}@example.com`)),
      );
      for (const { id } of [revoked!, ungranted!, removed!, kept!]) {
        await gateway.admin.put(`${ORGANIZATION}/servers/given/grants/${id}`, { role: 'viewer' });
      }
      const streams = await Promise.all(
        [revoked!, ungranted!, removed!, kept!].map(({ key }) => openStream(gateway, 'given', { key })),
      );
      for (const { status } of streams) assert.equal(status, 200);
      await revoked!.delete('/me/api-key');
      await gateway.admin.delete(`${ORGANIZATION}/servers/given/grants/${ungranted!.id}`);
      await gateway.admin.delete(`${ORGANIZATION}/members/${removed!.id}`);
      await Promise.all(streams.slice(0, 3).map(({ ended }) => ended));
      const last = streams[3]!;
      for (const response of gateway.upstream.streams) if (!response.destroyed) response.write('data: still here\n\n');
      await last.holds('still here');
      last.close();
    });

    test('the streams of a deleted server end', async () => {
      const { key } = gateway.admin;
      await gateway.register('short');
      const opened = gateway.upstream.streams.length;
      const stream = await openStream(gateway, 'short', { key });
      await gateway.upstream.streaming(opened + 1);
      gateway.upstream.answerWith((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': ready\n\n');
      });
      const listen = ask('subscriptions/listen', { _meta: meta, notifications: { toolsListChanged: true } });
      const listener = await openStream(gateway, 'short', { key, headers: listenHeaders }, 'POST', listen);
      await listener.holds(': ready');
      gateway.upstream.answerWith(undefined);
      assert.equal((await gateway.admin.delete(`${ORGANIZATION}/servers/short`)).status, 204);
      assert.deepEqual(
        await Promise.all([stream.ended, listener.ended]),
        [true, true],
        'the answer is complete, not broken off',
      );
    });

    describe('a streaming answer ends', () => {
      /** Opens a stream of each kind, runs the change that removes access, and returns how each stream ended. */
      const endedAfter = async (slug: string, key: string, takeAway: () => Promise<unknown>) => {
        const { echo, lists } = {
          echo: ask('tools/call', { name: 'echo' }),
          lists: ask('tools/call', { name: 'echo', _meta: meta }),
        };
        const modern = { ...listenHeaders, 'mcp-method': 'tools/call', 'mcp-name': 'echo' };
        gateway.upstream.answerWith((_request, response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"jsonrpc":"2.0","metho');
        });
        const streams = await Promise.all([
          openStream(gateway, slug, { key }, 'POST', echo),
          openStream(gateway, slug, { key, headers: modern }, 'POST', lists),
          openStream(gateway, slug, { key }, 'POST', [echo]),
        ]);
        gateway.upstream.answerWith((_request, response) => {
          response.writeHead(200, { 'content-type': 'application/json' }).write(`"${'x'.repeat(100_000)}`);
        });
        const long = await openStream(gateway, slug, { key }, 'POST', echo);
        gateway.upstream.answerWith(undefined);
        await takeAway();
        assert.deepEqual(await Promise.all([...streams, long].map(({ ended }) => ended)), [true, true, true, false]);
        for (const stream of streams) assert.match(stream.text(), /"error":\{"code":-31403/);
      };

      test('when the key is revoked, the grant or the member is removed, or the actor is suspended', async () => {
        const members = await Promise.all(
          ['a', 'b', 'c', 'd'].map((name) => gateway.member(`streaming-${name}@example.com`)),
        );
        const path = (id: string) => `${ORGANIZATION}/servers/given/grants/${id}`;
        for (const { id } of members) await gateway.admin.put(path(id), { role: 'viewer' });
        const [a, b, c, d] = [members[0]!, members[1]!, members[2]!, members[3]!];
        await endedAfter('given', a.key, () => a.delete('/me/api-key'));
        await endedAfter('given', b.key, () => gateway.admin.delete(path(b.id)));
        await endedAfter('given', c.key, () => gateway.admin.delete(`${ORGANIZATION}/members/${c.id}`));
        // Acts like an operator's command, which runs in another process.
        const { server } = gateway.server;
        const operator = createOperatorContext(server.store, server.clock.now(), server);
        await endedAfter('given', d.key, () => removeUser(operator, 'streaming-d@example.com'));
        const { body } = await gateway.admin.post(`${ORGANIZATION}/service-accounts`, { name: 'streaming' });
        await gateway.admin.put(path(body.serviceAccount.id), { role: 'viewer' });
        const suspend = `${ORGANIZATION}/service-accounts/${body.serviceAccount.id}/suspend`;
        await endedAfter('given', body.secret, () => gateway.admin.post(suspend));
      });

      test('when the policy denies the item it answers, or the server is deleted', async () => {
        assert.equal((await gateway.register('brief')).status, 201);
        const { key } = await gateway.member('brief@example.com');
        await gateway.allow('brief', { capability: 'tool', pattern: '*', effect: 'allow' });
        await endedAfter('brief', key, () =>
          gateway.allow('brief', { capability: 'tool', pattern: 'echo', effect: 'deny' }),
        );
        await gateway.allow('brief');
        await endedAfter('brief', key, () => gateway.admin.delete(`${ORGANIZATION}/servers/brief`));
      });
    });

    test('when the client disconnects, together with the request upstream', async () => {
      const { key } = await gateway.member('leaver@example.com');
      const left = new Promise<void>((resolve) => {
        gateway.upstream.answerWith((_request, response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
          response.once('close', resolve);
        });
      });
      const stream = await openStream(gateway, 'open', { key }, 'POST', ask('tools/call', { name: 'echo' }));
      stream.close();
      await left;
      gateway.upstream.answerWith(undefined);
    });
  });
}
