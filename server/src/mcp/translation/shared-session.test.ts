import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { openStream, startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import type { PlatformCaller } from '../../../test/support/platform.ts';
import { until } from '../../../test/support/until.ts';
import type { Answering } from '../../../test/support/watched-upstream.ts';

// biome-ignore lint/suspicious/noExplicitAny: what a test reads of a message is its own assertion
type Json = Record<string, any>;

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const EVENTS = { 'content-type': 'text/event-stream' };

/** A server with sessions: it keeps calls open until a test answers them, and one stream at a time, as SDKs do. */
class LegacyServer {
  readonly told: Json[] = [];
  readonly open = new Map<string, { message: Json; response: ServerResponse }>();
  stream: ServerResponse | undefined;
  /** The status that refuses the stream; undefined where the server opens one. */
  refuses: number | undefined;
  refused = 0;

  readonly answering: Answering = ({ method, body }, response) => {
    if (method === 'GET') return this.#stream(response);
    if (method === 'DELETE') return void response.writeHead(200).end();
    const message = JSON.parse(body) as Json;
    this.told.push(message);
    if (message['method'] === 'tools/call') {
      this.open.set(message['params'].arguments.as, { message, response });
      response.writeHead(200, EVENTS).flushHeaders();
      return;
    }
    if (message['id'] === undefined || message['method'] === undefined) return void response.writeHead(202).end();
    const known = message['method'] === 'initialize';
    const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'old', version: '1' } };
    const outcome = known ? { result } : { error: { code: -32601, message: 'Method not found' } };
    response.writeHead(200, { 'content-type': 'application/json', ...(known ? { 'mcp-session-id': 's' } : {}) });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message['id'], ...outcome }));
  };

  #stream(response: ServerResponse): void {
    if (this.refuses) {
      response.on('close', () => {
        this.refused += 1;
      });
      return void response.writeHead(this.refuses).end();
    }
    if (this.stream) return void response.writeHead(409).end();
    this.stream = response;
    response.on('close', () => {
      this.stream = undefined;
    });
    response.writeHead(200, EVENTS).flushHeaders();
  }

  /** Sends it on the answer of the call with that name. */
  say(as: string, message: Json, last = false): void {
    const { response } = this.open.get(as)!;
    response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
    if (last) response.end();
  }

  idOf(as: string): unknown {
    return this.open.get(as)?.message['id'];
  }

  heard(method: string): Json[] {
    return this.told.filter((message) => message['method'] === method);
  }
}

describe('stateless clients of one actor at a server with sessions', () => {
  let gateway: TestGateway;
  let member: PlatformCaller;
  const upstream = new LegacyServer();

  before(async () => {
    gateway = await startGateway();
    gateway.upstream.answerWith(upstream.answering);
    assert.equal((await gateway.register('old')).status, 201);
    member = await gateway.member('shared-session@example.com');
  });
  after(() => gateway.stop());

  const headers = (method: string, name?: string) => ({
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
  });
  function ask(id: string | number, method: string, params: Json = {}) {
    return openStream(gateway, 'old', { key: member.key, headers: headers(method, params['name']) }, 'POST', {
      jsonrpc: '2.0',
      id,
      method,
      params: { ...params, _meta: { ...META, ...params['_meta'] } },
    });
  }
  async function call(as: string, id: string | number, progressToken?: string | number) {
    const _meta = progressToken === undefined ? {} : { progressToken };
    const answer = ask(id, 'tools/call', { name: 'wait', arguments: { as }, _meta });
    await until(`the call ${as} has arrived`, () => upstream.open.has(as));
    // The answer begins with its first event.
    upstream.say(as, { method: 'notifications/message', params: { level: 'info', data: as } });
    return answer;
  }
  const listen = (id: string, notifications: Json) => ask(id, 'subscriptions/listen', { notifications });

  test('equal ids and progress tokens stay separate', async () => {
    const first = await call('first', 1, 'token');
    const second = await call('second', 1, 'token');
    assert.notEqual(upstream.idOf('first'), upstream.idOf('second'));
    for (const as of ['second', 'first']) {
      const { id, params } = upstream.open.get(as)!.message;
      upstream.say(as, { method: 'notifications/progress', params: { ...params._meta, progress: 1 } });
      upstream.say(as, { id, result: { content: [], as } }, true);
    }
    for (const [stream, as] of [
      [first, 'first'],
      [second, 'second'],
    ] as const) {
      await stream.ended;
      assert.match(stream.text(), /"progressToken":"token"/);
      assert.match(stream.text(), new RegExp(`"as":"${as}"`));
      assert.match(stream.text(), /"id":1[,}]/);
    }
  });

  test('a client that disconnects cancels its request', async () => {
    const leaving = await call('left', 'mine');
    leaving.close();
    await until('it is cancelled', () => upstream.heard('notifications/cancelled').length > 0);
    assert.equal(upstream.heard('notifications/cancelled')[0]?.['params'].requestId, upstream.idOf('left'));
  });

  test('several clients listen at once, each to its own subscriptions', async () => {
    const tools = await listen('tools', { toolsListChanged: true });
    await tools.holds('acknowledged');
    const resources = await listen('resources', { resourceSubscriptions: ['a://1'] });
    await resources.holds('acknowledged');
    await until('it is subscribed', () => upstream.heard('resources/subscribe').length === 1);
    const notify = (method: string, params: Json = {}) =>
      upstream.stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method, params })}\n\n`);
    await until('the stream is open', () => upstream.stream !== undefined);
    notify('notifications/resources/updated', { uri: 'a://1' });
    notify('notifications/tools/list_changed');
    await Promise.all([tools.holds('tools/list_changed'), resources.holds('resources/updated')]);
    assert.doesNotMatch(tools.text(), /resources\/updated/);
    assert.match(resources.text(), /"io.modelcontextprotocol\/subscriptionId":"resources"/);
    resources.close();
    await until('it is not subscribed any more', () => upstream.heard('resources/unsubscribe').length === 1);
    notify('notifications/prompts/list_changed');
    tools.close();
    await until('the stream is closed', () => upstream.stream === undefined);
  });

  test('a listener whose stream ends upstream is disconnected, and can listen again', async () => {
    const listening = await listen('before', { toolsListChanged: true });
    await until('the stream is open', () => upstream.stream !== undefined);
    upstream.stream?.end();
    await listening.ended;
    assert.match(listening.text(), /"id":"before".*"resultType":"complete"/);
    const again = await listen('after', { toolsListChanged: true });
    await until('the stream is open', () => upstream.stream !== undefined);
    upstream.stream?.write('data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n');
    await again.holds('tools/list_changed');
    again.close();
  });

  for (const [why, status] of [
    ['the server refuses the gateway', 401],
    ['the server still holds an earlier stream', 409],
    ['the server has too much to do', 429],
    ['what stands before the server does not reach it', 502],
    ['the server is broken for now', 503],
    ['what stands before the server waits too long', 504],
  ] as const) {
    test(`a listener is disconnected when ${why}, and can retry`, async () => {
      await until('no stream is open', () => upstream.stream === undefined);
      upstream.refuses = status;
      const refused = await listen(`refused-${status}`, { toolsListChanged: true });
      await refused.ended;
      upstream.refuses = undefined;
      const again = await listen(`again-${status}`, { toolsListChanged: true });
      await until('the stream is open', () => upstream.stream !== undefined);
      upstream.stream?.write('data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n');
      await again.holds('tools/list_changed');
      again.close();
    });
  }

  test('a listener of a server without change notices stays connected', async () => {
    await until('no stream is open', () => upstream.stream === undefined);
    const { refused } = upstream;
    upstream.refuses = 405;
    const listening = await listen('silent', { resourceSubscriptions: ['a://silent'] });
    await listening.holds('acknowledged');
    await until('it was refused', () => upstream.refused > refused);
    await until('the server got the subscription', () =>
      upstream.heard('resources/subscribe').some(({ params }) => params.uri === 'a://silent'),
    );
    const other = await call('beside', 'beside');
    upstream.say('beside', { id: upstream.idOf('beside'), result: { content: [] } }, true);
    await other.ended;
    assert.doesNotMatch(listening.text(), /"error"|"resultType"/);
    listening.close();
    upstream.refuses = undefined;
  });
});
