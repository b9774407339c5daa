import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { type PlatformCaller, person } from '../../../test/support/platform.ts';
import { startServer, type TestServer } from '../../../test/support/server.ts';
import { dataOf, EventSplitter } from '../protocol/event-stream.ts';

// biome-ignore lint/suspicious/noExplicitAny: what a test reads of a message is its own assertion
type Json = Record<string, any>;

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const META = { [VERSION]: '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };

/** Answers one message of the protocol. Its result is sent as JSON, unless it has written the response itself. */
type Speaker = (message: Json, request: IncomingMessage, response: ServerResponse) => Json | undefined;

async function upstreamThat(speak: Speaker): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      const message = text === '' ? {} : JSON.parse(text);
      const answer = speak(message, request, response);
      if (answer)
        response
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, server };
}

/** A server of the revisions with sessions, and nothing else. */
function legacySpeaker(seen: string[]): Speaker {
  return (message, request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n');
      return undefined;
    }
    if (request.method === 'DELETE') return {};
    seen.push(message['method']);
    if (message['method'] === 'initialize') {
      response.setHeader('mcp-session-id', 'session-of-upstream');
      const serverInfo = { name: 'old', version: '1' };
      return { result: { protocolVersion: '2025-11-25', capabilities: { tools: {}, resources: {} }, serverInfo } };
    }
    if (request.headers['mcp-session-id'] !== 'session-of-upstream') {
      response.writeHead(400).end();
      return undefined;
    }
    switch (message['method']) {
      case 'notifications/initialized':
        response.writeHead(202).end();
        return undefined;
      case 'tools/list':
        return { result: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } };
      case 'tools/call':
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}\n\n');
        response.end(
          `data: ${JSON.stringify({ jsonrpc: '2.0', id: message['id'], result: { content: [], seen: message['params'] } })}\n\n`,
        );
        return undefined;
      case 'resources/list':
        return { result: { resources: [] } };
      case 'resources/read':
        return { error: { code: -32002, message: 'Resource not found' } };
      default:
        return { error: { code: -32601, message: 'Method not found' } };
    }
  };
}

/** A server of the stateless revision, and nothing else. */
const modernSpeaker: Speaker = (message, request, response) => {
  const meta = message['params']?.['_meta'] ?? {};
  if (
    request.method !== 'POST' ||
    meta[VERSION] !== '2026-07-28' ||
    request.headers['mcp-method'] !== message['method']
  ) {
    response.writeHead(400).end();
    return undefined;
  }
  const { params } = message;
  switch (message['method']) {
    case 'server/discover':
      return {
        result: {
          resultType: 'complete',
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: {} },
          ttlMs: 0,
          cacheScope: 'public',
          _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'new', version: '2' } },
        },
      };
    case 'tools/list':
      return {
        result: { resultType: 'complete', tools: [{ name: 'greet', inputSchema: {} }], ttlMs: 5, cacheScope: 'public' },
      };
    case 'tools/call': {
      const given = params.inputResponses?.['name'];
      if (!given) {
        const question = { method: 'elicitation/create', params: { message: 'Your name?' } };
        return { result: { resultType: 'input_required', inputRequests: { name: question }, requestState: 'sealed' } };
      }
      assert.equal(params.requestState, 'sealed');
      return { result: { resultType: 'complete', content: [{ type: 'text', text: `Hello ${given.content.name}` }] } };
    }
    case 'subscriptions/listen':
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged"}\n\n');
      response.write('data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n');
      return undefined;
    default:
      response.statusCode = 404;
      return { error: { code: -32601, message: 'Method not found' } };
  }
};

describe('clients and servers of different eras', () => {
  let server: TestServer;
  let admin: PlatformCaller;
  let origin: string;
  const upstreams: Server[] = [];
  const seen: string[] = [];

  const register = async (slug: string, speaker: Speaker) => {
    const upstream = await upstreamThat(speaker);
    upstreams.push(upstream.server);
    const external = { url: upstream.url };
    const made = await admin.post('/organizations/default/servers', { slug, name: slug, kind: 'external', external });
    assert.equal(made.status, 201, made.text);
    return (await admin.get(`/organizations/default/servers/${slug}/capabilities`)).body;
  };
  const send = (slug: string, message: Json | undefined, headers: Record<string, string> = {}, method = 'POST') =>
    fetch(`${origin}/servers/default/${slug}/mcp`, {
      method,
      headers: {
        authorization: `Bearer ${admin.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      ...(message === undefined ? {} : { body: JSON.stringify({ jsonrpc: '2.0', ...message }) }),
    });
  const modern = (method: string, params: Json = {}, headers: Record<string, string> = {}) =>
    send(
      'old',
      { id: 1, method, params: { ...params, _meta: META } },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...headers },
    );

  before(async () => {
    server = await startServer({ config: { allowPrivateTargets: true } });
    origin = (await server.listen()).replace('ws', 'http').replace('/api', '');
    admin = await person(server, 'eras@example.com', 'admin');
  });
  after(async () => {
    for (const upstream of upstreams) {
      upstream.closeAllConnections();
      upstream.close();
    }
    await server.stop();
  });

  test('the era of a server is discovered', async () => {
    assert.deepEqual((await register('old', legacySpeaker(seen))).eras, ['legacy']);
    assert.deepEqual((await register('new', modernSpeaker)).eras, ['modern']);
  });

  test('a stateless client reaches a server with sessions', async () => {
    const discovered = (await (await modern('server/discover')).json()) as Json;
    assert.deepEqual(discovered['result'].supportedVersions, ['2026-07-28']);
    assert.equal(discovered['result']._meta['io.modelcontextprotocol/serverInfo'].name, 'old');
    const listed = (await (await modern('tools/list')).json()) as Json;
    assert.equal(listed['result'].resultType, 'complete');
    assert.equal(listed['result'].cacheScope, 'private');
    assert.equal(listed['result'].tools[0].name, 'echo');
  });

  test('it calls with progress, and the server sees only its own revision', async () => {
    const answer = await modern('tools/call', { name: 'echo', arguments: { n: 1 } }, { 'mcp-name': 'echo' });
    const messages = eventsIn(Buffer.from(await answer.arrayBuffer()));
    assert.equal(messages[0]?.['method'], 'notifications/progress');
    assert.deepEqual(messages[1]?.['result'], {
      resultType: 'complete',
      content: [],
      seen: { name: 'echo', arguments: { n: 1 } },
    });
  });

  test('errors have the codes of the client’s revision, and one session serves all its requests', async () => {
    const missing = await modern('resources/read', { uri: 'a:b' }, { 'mcp-name': 'a:b' });
    assert.equal(((await missing.json()) as Json)['error'].code, -32602);
    assert.equal((await modern('nothing/known')).status, 404);
    assert.equal(
      seen.filter((method) => method === 'initialize').length,
      2,
      'one for the manifest, one for the client',
    );
    const other = { ...META, [VERSION]: '2030-01-01' };
    const headers = { 'mcp-protocol-version': '2030-01-01', 'mcp-method': 'tools/list' };
    const refused = await send('old', { id: 1, method: 'tools/list', params: { _meta: other } }, headers);
    assert.equal(refused.status, 400);
    assert.equal(((await refused.json()) as Json)['error'].code, -32022);
  });

  test('a subscription of a stateless client gets the messages of the session’s stream', async () => {
    const listening = await modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const reader = listening.body!.getReader();
    const messages = await firstEvents(reader, 2);
    assert.equal(messages[0]?.['method'], 'notifications/subscriptions/acknowledged');
    assert.equal(messages[1]?.['method'], 'notifications/tools/list_changed');
    assert.equal(messages[1]?.['params']._meta['io.modelcontextprotocol/subscriptionId'], 1);
    await reader.cancel();
  });

  test("a client with sessions uses a stateless server, and answers the server's questions", async () => {
    const clientInfo = { name: 'c', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: { elicitation: {} }, clientInfo };
    const opened = await send('new', { id: 0, method: 'initialize', params });
    const session = {
      'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
      'mcp-protocol-version': '2025-06-18',
    };
    const { result } = (await opened.json()) as Json;
    assert.equal(result.protocolVersion, '2025-06-18');
    assert.equal(result.serverInfo.name, 'new');
    assert.equal((await send('new', { method: 'notifications/initialized' }, session)).status, 202);
    assert.deepEqual(((await (await send('new', { id: 1, method: 'ping' }, session)).json()) as Json)['result'], {});
    const listed = (await (await send('new', { id: 2, method: 'tools/list' }, session)).json()) as Json;
    assert.deepEqual(listed['result'], { tools: [{ name: 'greet', inputSchema: {} }] });

    const called = await send('new', { id: 'call', method: 'tools/call', params: { name: 'greet' } }, session);
    const reader = called.body!.getReader();
    const [question] = await firstEvents(reader, 1);
    assert.equal(question?.['method'], 'elicitation/create');
    const answer = { id: question?.['id'], result: { action: 'accept', content: { name: 'Ada' } } };
    assert.equal((await send('new', answer, session)).status, 202);
    const [greeted] = await firstEvents(reader, 1);
    assert.deepEqual(greeted, {
      jsonrpc: '2.0',
      id: 'call',
      result: { content: [{ type: 'text', text: 'Hello Ada' }] },
    });

    const stream = await send('new', undefined, session, 'GET');
    const heard = stream.body!.getReader();
    assert.equal((await firstEvents(heard, 1))[0]?.['method'], 'notifications/tools/list_changed');
    await heard.cancel();
    assert.equal((await send('new', undefined, session, 'DELETE')).status, 200);
  });

  test('a session of one actor is unknown to another, although the gateway created it', async () => {
    const other = await person(server, 'other-eras@example.com', 'admin');
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    const opened = await send('new', { id: 0, method: 'initialize', params });
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    const stolen = await send(
      'new',
      { id: 1, method: 'tools/list' },
      { ...session, authorization: `Bearer ${other.key}` },
    );
    assert.equal(stolen.status, 404);
  });
});

function eventsIn(bytes: Buffer): Json[] {
  return new EventSplitter().push(bytes).flatMap((event) => {
    const data = dataOf(event);
    return data ? [JSON.parse(data) as Json] : [];
  });
}

async function firstEvents(reader: ReadableStreamDefaultReader<Uint8Array>, count: number): Promise<Json[]> {
  const splitter = new EventSplitter();
  const messages: Json[] = [];
  while (messages.length < count) {
    const { value, done } = await reader.read();
    if (done) break;
    for (const event of splitter.push(Buffer.from(value))) {
      const data = dataOf(event);
      if (data) messages.push(JSON.parse(data) as Json);
    }
  }
  return messages;
}
