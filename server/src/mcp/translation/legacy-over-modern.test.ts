import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openStream, send, startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { type AnswerSink, type Upstream, UpstreamError, type UpstreamRequest } from '../upstream/upstream.ts';
import { Activities } from './client-session.ts';
import { LegacyOverModern } from './legacy-over-modern.ts';

// biome-ignore lint/suspicious/noExplicitAny: what a test reads of a message is its own assertion
type Json = Record<string, any>;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const DISCOVERED = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities: {},
  ttlMs: 0,
  cacheScope: 'private',
};
const INITIAL = {
  protocolVersion: '2025-11-25',
  capabilities: { elicitation: {} },
  clientInfo: { name: 'c', version: '1' },
};
const event = (message: Json) => `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;

describe('the stream of a client with a session, over a stateless server', () => {
  let gateway: TestGateway;
  let session: Record<string, string>;
  /** How the next subscription is answered; `id` is the id of its request. */
  let listening: (response: ServerResponse, id: unknown) => void;

  before(async () => {
    gateway = await startGateway();
    gateway.upstream.answerWith(({ method, body }, response) => {
      const { id, method: asked } = method === 'POST' ? (JSON.parse(body) as Json) : ({} as Json);
      if (asked === 'subscriptions/listen') return listening(response, id);
      if (asked !== 'server/discover') return void response.writeHead(400).end();
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: DISCOVERED }));
    });
    assert.equal((await gateway.register('new')).status, 201);
    const opened = await send(gateway, 'new', initialize(INITIAL), gateway.admin);
    session = { 'mcp-session-id': String(opened.headers['mcp-session-id']) };
  });
  after(() => gateway.stop());

  const open = () => openStream(gateway, 'new', { key: gateway.admin.key, headers: session });
  const acknowledge = (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event({ method: 'notifications/subscriptions/acknowledged' }));
    response.write(event({ method: 'notifications/tools/list_changed' }));
  };

  test('ends when the server ends the subscription, so that the client opens another', async () => {
    const subscriptions: [ServerResponse, unknown][] = [];
    listening = (response, id) => {
      acknowledge(response);
      subscriptions.push([response, id]);
    };
    const stream = await open();
    await stream.holds('tools/list_changed');
    const [response, id] = subscriptions[0]!;
    response.end(event({ id, result: { resultType: 'complete' } }));
    assert.equal(await stream.ended, true);
  });

  test('stays open without subscriptions, and uses them once the server supports them', async () => {
    const refused = Promise.withResolvers<void>();
    listening = (response, id) => {
      response.writeHead(404, { 'content-type': 'application/json' });
      const error = { code: -32601, message: 'Method not found' };
      response.end(JSON.stringify({ jsonrpc: '2.0', id, error }), refused.resolve);
    };
    const stream = await open();
    await refused.promise;
    listening = acknowledge;
    const subscribe = { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'a:b' } };
    assert.equal((await send(gateway, 'new', subscribe, { key: gateway.admin.key, headers: session })).status, 200);
    await stream.holds('tools/list_changed');
    stream.close();
  });

  test('a revision that is not a text is answered with a revision that the gateway supports', async () => {
    const { status, body } = await send(
      gateway,
      'new',
      initialize({ ...INITIAL, protocolVersion: { toString: 'none' } }),
      gateway.admin,
    );
    assert.deepEqual([status, (body as Json)['result']?.protocolVersion], [200, '2025-11-25']);
  });

  test('a resource whose name is not a text cannot be subscribed to', async () => {
    for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
      const message = { jsonrpc: '2.0', id: 2, method, params: { uri: { toString: 'none' } } };
      const { status, body } = await send(gateway, 'new', message, { key: gateway.admin.key, headers: session });
      assert.deepEqual([status, (body as Json)['error']?.code], [200, -32602]);
    }
  });

  test('a session keeps a level of the log, and no other text', async () => {
    const tell = async (level: unknown) => {
      const message = { jsonrpc: '2.0', id: 3, method: 'logging/setLevel', params: { level } };
      return (await send(gateway, 'new', message, { key: gateway.admin.key, headers: session })).body as Json;
    };
    assert.deepEqual((await tell('warning'))['result'], {});
    for (const level of ['x'.repeat(100_000), 'WARNING', 4, ['debug'], undefined]) {
      assert.equal((await tell(level))['error']?.code, -32602, String(level).slice(0, 20));
    }
  });

  test('a session keeps a bounded number of subscriptions of bounded length', async () => {
    const opened = await send(gateway, 'new', initialize(INITIAL), gateway.admin);
    const call = { key: gateway.admin.key, headers: { 'mcp-session-id': String(opened.headers['mcp-session-id']) } };
    const codeFor = async (method: string, uri: string) => {
      const message = { jsonrpc: '2.0', id: 4, method: `resources/${method}`, params: { uri } };
      return ((await send(gateway, 'new', message, call)).body as Json)['error']?.code;
    };
    assert.equal(await codeFor('subscribe', `a:${'b'.repeat(2000)}`), -32602);
    for (let number = 1; number <= 100; number++) assert.equal(await codeFor('subscribe', `a:${number}`), undefined);
    assert.equal(await codeFor('subscribe', 'a:101'), -32602);
    assert.equal(await codeFor('subscribe', 'a:100'), undefined, 'it is there already');
    assert.equal(await codeFor('unsubscribe', 'a:1'), undefined);
    assert.equal(await codeFor('subscribe', 'a:101'), undefined);
  });
});

describe('requests that a client with a session no longer waits for are dropped', () => {
  const upstream: Upstream = {
    send: (request, sink) => {
      const { id, method, params } = JSON.parse(String(request.body)) as Json;
      const question = { method: 'elicitation/create', params: { message: 'Your name?' } };
      const asked = { resultType: 'input_required', inputRequests: { name: question } };
      const result = method === 'server/discover' ? DISCOVERED : params.name === 'asks' ? asked : undefined;
      queueMicrotask(() => {
        if (params.name === 'fails') sink.fail(new UpstreamError('connection', 'It broke.'));
        if (!result) return;
        sink.begin(200, { 'content-type': 'application/json' });
        sink.data(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result })));
        sink.end();
      });
      return { abort: () => {}, resume: () => {} };
    },
  };
  const legacy = new LegacyOverModern(upstream, new Activities().of('actor'));
  let session: Record<string, string>;

  before(async () => {
    session = await new Promise((resolve) => {
      const begin: AnswerSink['begin'] = (_status, headers) =>
        resolve({ 'mcp-session-id': String(headers['mcp-session-id']) });
      legacy.send(posted(initialize(INITIAL)), { ...ignoring(), begin });
    });
  });

  const call = (name: string) => posted({ jsonrpc: '2.0', id: name, method: 'tools/call', params: { name } });
  const ways: Record<string, () => Promise<AnswerSink>> = {
    'whose client has left': async () => {
      const sink = ignoring();
      legacy.send({ ...call('waits'), headers: session }, sink).abort();
      return sink;
    },
    'that was cancelled': async () => {
      const sink = ignoring();
      legacy.send({ ...call('waits'), headers: session }, sink);
      const params = { requestId: 'waits' };
      const cancel = posted({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
      legacy.send({ ...cancel, headers: session }, ignoring());
      return sink;
    },
    'that failed': async () => {
      const sink = ignoring();
      const failed = new Promise<void>((resolve) => Object.assign(sink, { fail: () => resolve() }));
      legacy.send({ ...call('fails'), headers: session }, sink);
      await failed;
      return sink;
    },
    'whose client has left with a question of the server': async () => {
      const sink = ignoring();
      const asked = new Promise<boolean>((resolve) => {
        Object.assign(sink, { data: () => resolve(true) });
      });
      const conversation = legacy.send({ ...call('asks'), headers: session }, sink);
      await asked;
      conversation.abort();
      return sink;
    },
    'whose stream has no reader': async () => {
      const sink = ignoring();
      legacy.send({ method: 'GET', headers: session, body: null }, sink).abort();
      return sink;
    },
  };

  for (const [what, way] of Object.entries(ways)) {
    test(`a request ${what}`, async () => {
      const kept = await way().then((sink) => new WeakRef(sink));
      await new Promise((resolve) => setImmediate(resolve));
      collectGarbage();
      assert.equal(kept.deref(), undefined);
    });
  }
});

function initialize(params: Json): Json {
  return { jsonrpc: '2.0', id: 0, method: 'initialize', params };
}

function posted(message: Json): UpstreamRequest {
  return { method: 'POST', headers: {}, body: Buffer.from(JSON.stringify(message)) };
}

function ignoring(): AnswerSink {
  return { begin: () => {}, data: () => true, end: () => {}, fail: () => {} };
}
