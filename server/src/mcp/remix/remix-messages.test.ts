import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { ORGANIZATION, openStream, send } from '../../../test/support/gateway.ts';
import type { PlatformCaller } from '../../../test/support/platform.ts';
import {
  EVERYTHING,
  MODERN,
  sessionClient,
  startRemix,
  statelessClient,
  type TestRemix,
} from '../../../test/support/remix.ts';
import type { SeenRequest, WatchedUpstream } from '../../../test/support/watched-upstream.ts';

const chosen = [
  {
    server: 'docs',
    tools: [{ name: 'ask', as: 'ask_docs' }],
    prompts: [{ name: 'greet', as: 'greet_docs', description: 'Greets.' }],
    resources: [{ name: 'mem://open/1', as: 'docs://one' }],
  },
  {
    server: 'wiki',
    tools: [{ name: 'ask', as: 'ask_wiki' }],
    resources: [{ name: 'mem://open/1' }],
    resourceTemplates: [{ name: 'mem://closed/{id}', description: 'Of the wiki.' }],
  },
];

interface Sent {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
}

const messageIn = ({ body }: SeenRequest): Sent => (body === '' ? {} : JSON.parse(body));

function sentTo(upstream: WatchedUpstream): Sent[] {
  return upstream.seen.map(messageIn);
}

function answerJson(response: ServerResponse, message: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', ...message }));
}

/** Sends `events` before the answer to each call of a tool; the answer waits for the client's answer to a question. */
function askDuringCalls(upstream: WatchedUpstream, question: object): void {
  let waiting: (() => void) | undefined;
  upstream.answerWith((request, response) => {
    const message = messageIn(request);
    if (message.method === 'initialize') {
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'asking' });
      const result = {
        protocolVersion: '2025-11-25',
        capabilities: EVERYTHING,
        serverInfo: { name: 'a', version: '1' },
      };
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
      return;
    }
    if (message.method !== 'tools/call') {
      response.writeHead(202).end();
      if (message.method === undefined) waiting?.();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`id: 7\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: 5, ...question })}\n\n`);
    waiting = () =>
      response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { content: [] } })}\n\n`);
  });
}

describe('messages through a remix', () => {
  let remix: TestRemix;
  let member: PlatformCaller;
  before(async () => {
    remix = await startRemix({ docs: { tools: ['ask'] }, wiki: { tools: ['ask'] } });
    const { status, text } = await remix.save('mix', chosen);
    assert.equal(status, 201, text);
    member = await remix.gateway.member('member@example.com');
  });
  after(() => remix.stop());

  const clients = {
    session: () => sessionClient(remix.gateway, 'mix', member.key),
    stateless: async () => statelessClient(remix.gateway, 'mix', member.key),
  };

  test('a session keeps a level of the log, and no other text', async () => {
    const client = await clients.session();
    assert.deepEqual((await client('logging/setLevel', { level: 'warning' })).body.result, {});
    for (const level of ['x'.repeat(100_000), 4, ['debug'], undefined]) {
      assert.equal((await client('logging/setLevel', { level })).body.error?.code, -32602);
    }
  });

  for (const era of ['session', 'stateless'] as const) {
    test(`a ${era} client lists and uses prompts, resources and templates under their names`, async () => {
      const client = await clients[era]();
      const { docs, wiki } = remix.sources;
      const prompts = (await client('prompts/list')).body.result.prompts;
      assert.deepEqual(prompts, [{ name: 'greet_docs', description: 'Greets.' }]);
      await client('prompts/get', { name: 'greet_docs' });
      assert.equal(sentTo(docs!).at(-1)?.params?.['name'], 'greet');
      const resources = (await client('resources/list')).body.result.resources;
      assert.deepEqual(
        resources.map(({ uri }: { uri: string }) => uri),
        ['docs://one', 'mem://open/1'],
      );
      const templates = (await client('resources/templates/list')).body.result.resourceTemplates;
      assert.deepEqual(
        templates.map(({ uriTemplate, description }: Record<string, string>) => [uriTemplate, description]),
        [['mem://closed/{id}', 'Of the wiki.']],
      );
      await client('resources/read', { uri: 'docs://one' });
      assert.equal(sentTo(docs!).at(-1)?.params?.['uri'], 'mem://open/1');
      for (const uri of ['mem://open/1', 'mem://closed/2']) {
        await client('resources/read', { uri });
        assert.equal(sentTo(wiki!).at(-1)?.params?.['uri'], uri);
      }
      const unknown = await client('resources/read', { uri: 'mem://closed/2/3' });
      assert.equal(unknown.body.error.code, era === 'session' ? -32002 : -32602);
      const argument = { name: 'a', value: '' };
      await client('completion/complete', { ref: { type: 'ref/prompt', name: 'greet_docs' }, argument });
      assert.deepEqual(sentTo(docs!).at(-1)?.params?.['ref'], { type: 'ref/prompt', name: 'greet' });
    });
  }

  test('the content of a renamed resource has the URI that the client asked for', async () => {
    const { docs } = remix.sources;
    docs!.answerWith((request, response) => {
      const contents = [{ uri: 'mem://open/1', text: 'one' }];
      answerJson(response, { id: messageIn(request).id, result: { contents } });
    });
    try {
      const { body } = await statelessClient(remix.gateway, 'mix', member.key)('resources/read', { uri: 'docs://one' });
      assert.deepEqual(body.result.contents, [{ uri: 'docs://one', text: 'one' }]);
    } finally {
      docs!.answerWith(undefined);
    }
  });

  test('pages of the sources come together, and a cursor is of use only where it was made', async () => {
    const { docs } = remix.sources;
    docs!.answerWith((request, response) => {
      const { id, params } = messageIn(request);
      const page = params?.['cursor'] === 'two' ? { tools: [{ name: 'ask' }] } : { tools: [], nextCursor: 'two' };
      answerJson(response, { id, result: page });
    });
    try {
      const client = statelessClient(remix.gateway, 'mix', member.key);
      const first = (await client('tools/list')).body.result;
      assert.deepEqual(
        first.tools.map(({ name }: { name: string }) => name),
        ['ask_wiki'],
      );
      assert.ok(!JSON.stringify(first.nextCursor).includes('two'));
      const second = (await client('tools/list', { cursor: first.nextCursor })).body.result;
      assert.deepEqual(
        second.tools.map(({ name }: { name: string }) => name),
        ['ask_docs'],
      );
      assert.equal(second.nextCursor, undefined);
      for (const [method, cursor] of [
        ['prompts/list', first.nextCursor],
        ['tools/list', 'two'],
      ]) {
        assert.equal((await client(method, { cursor })).body.error?.code, -32602);
      }
    } finally {
      docs!.answerWith(undefined);
    }
  });

  test('questions of two sources under one id reach the client, and each answer its source', async () => {
    const { gateway, sources } = remix;
    for (const upstream of Object.values(sources)) {
      askDuringCalls(upstream, { method: 'sampling/createMessage', params: { _meta: { progressToken: 1 } } });
    }
    try {
      const client = await sessionClient(gateway, 'mix', member.key);
      const questions = new Map<string, { id: string; token: string }>();
      const calls = await Promise.all(
        ['ask_docs', 'ask_wiki'].map(async (name) => {
          const body = { jsonrpc: '2.0', id: name, method: 'tools/call', params: { name, arguments: {} } };
          const stream = await openStream(gateway, 'mix', client, 'POST', body);
          await stream.holds('\n\n');
          const { id, params } = JSON.parse(/data: (.*)/.exec(stream.text())![1]!);
          questions.set(name, { id, token: params._meta.progressToken });
          return stream;
        }),
      );
      assert.equal(new Set([...questions.values()].map(({ id }) => id)).size, 2);
      for (const [name, { id, token }] of questions) {
        const progress = {
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken: token, progress: 1 },
        };
        assert.equal((await send(gateway, 'mix', progress, client)).status, 202);
        assert.equal((await send(gateway, 'mix', { jsonrpc: '2.0', id, result: { from: name } }, client)).status, 202);
      }
      for (const call of calls) assert.equal(await call.ended, true);
      for (const [slug, name] of [
        ['docs', 'ask_docs'],
        ['wiki', 'ask_wiki'],
      ] as const) {
        const [progress, answer] = sentTo(sources[slug]!).slice(-2);
        assert.equal(progress?.params?.['progressToken'], 1);
        assert.deepEqual([answer?.id, answer?.result], [5, { from: name }]);
      }
    } finally {
      for (const upstream of Object.values(sources)) upstream.answerWith(undefined);
    }
  });

  test('one stream carries what all sources tell, under names of the remix', async () => {
    const { gateway, sources } = remix;
    const [docs, wiki] = [sources['docs']!, sources['wiki']!];
    const open = [docs.streams.length, wiki.streams.length];
    const client = await sessionClient(gateway, 'mix', member.key);
    const stream = await openStream(gateway, 'mix', client);
    try {
      await docs.streaming(open[0]! + 1);
      await wiki.streaming(open[1]! + 1);
      const updated = (uri: string) =>
        `id: 3\ndata: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } })}\n\n`;
      docs.streams.at(-1)!.write(updated('mem://closed/9'));
      docs.streams.at(-1)!.write(updated('mem://open/1'));
      await stream.holds('docs://one');
      wiki.streams.at(-1)!.write(updated('mem://closed/9'));
      await stream.holds('mem://closed/9');
      const ids = [...stream.text().matchAll(/^id: (.*)$/gm)].map(([, id]) => id);
      assert.equal(new Set(ids).size, 2);
      docs.streams.at(-1)!.end();
      await stream.holds('notifications/tools/list_changed');
      await docs.streaming(open[0]! + 2);
    } finally {
      stream.close();
    }
  });

  test('a client that lost a stream gets the answer that came meanwhile, once', async () => {
    const { gateway, sources } = remix;
    const [docs, wiki] = [sources['docs']!, sources['wiki']!];
    const open = [docs.streams.length, wiki.streams.length];
    const client = await sessionClient(gateway, 'mix', member.key);
    const resumed = { ...client, headers: { ...client.headers, 'last-event-id': '2-event-7' } };
    const stream = await openStream(gateway, 'mix', resumed);
    try {
      await docs.streaming(open[0]! + 1);
      await wiki.streaming(open[1]! + 1);
      const resumes = ({ seen }: WatchedUpstream) => seen.at(-1)?.headers['last-event-id'] === 'event-7';
      const [lost, other] = resumes(docs) ? [docs, wiki] : [wiki, docs];
      assert.ok(resumes(lost) && !resumes(other));
      const answer = (id: number) => `id: 8\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result: {} })}\n\n`;
      other.streams.at(-1)!.write(answer(1));
      lost.streams.at(-1)!.end(answer(2));
      await stream.holds('"id":2');
      assert.ok(!stream.text().includes('"id":1'), 'no stream was lost there');
      await lost.streaming(open[lost === docs ? 0 : 1]! + 2);
      assert.equal(lost.seen.at(-1)?.headers['last-event-id'], undefined);
    } finally {
      stream.close();
    }
  });

  test('a session that its client has ended is unknown', async () => {
    const client = await sessionClient(remix.gateway, 'mix', member.key);
    const end = () => openStream(remix.gateway, 'mix', client, 'DELETE').then(({ status }) => status);
    assert.equal(await end(), 200);
    assert.equal((await client('tools/list')).status, 404);
    assert.equal(await end(), 404);
  });

  test('a stateless client is told what its request lacks, and which methods there are no more', async () => {
    const { gateway } = remix;
    const ask = async (method: string, params: object, protocol = '2026-07-28') => {
      const headers = { 'mcp-protocol-version': protocol, 'mcp-method': method };
      const { status, body } = await send(
        gateway,
        'mix',
        { jsonrpc: '2.0', id: 1, method, params },
        { ...member, headers },
      );
      return [status, body.error.code];
    };
    const [version, capabilities] = Object.keys(MODERN) as [string, string];
    assert.deepEqual(await ask('server/discover', {}), [400, -32602]);
    assert.deepEqual(await ask('server/discover', { _meta: { [capabilities]: {} } }), [400, -32602]);
    assert.deepEqual(await ask('server/discover', { _meta: { [version]: '2026-07-28' } }), [400, -32602]);
    const later = { _meta: { ...MODERN, [version]: '2027-01-01' } };
    assert.deepEqual(await ask('server/discover', later, '2027-01-01'), [400, -32022]);
    for (const method of ['ping', 'resources/subscribe', 'tasks/list']) {
      assert.deepEqual(await ask(method, { uri: 'docs://one', _meta: MODERN }), [404, -32601], method);
    }
  });

  test('a listening stateless client hears of all sources under its subscription', async () => {
    const { gateway, sources } = remix;
    const seen = new Map(Object.entries(sources).map(([slug, { seen }]) => [slug, seen.length]));
    const params = {
      notifications: { toolsListChanged: true, resourceSubscriptions: ['docs://one', 'mem://open/1'] },
      _meta: MODERN,
    };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' };
    for (const upstream of Object.values(sources)) {
      upstream.answerWith((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(
          `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: {} })}\n\n`,
        );
      });
    }
    const body = { jsonrpc: '2.0', id: 'sub', method: 'subscriptions/listen', params };
    const stream = await openStream(gateway, 'mix', { key: member.key, headers }, 'POST', body);
    try {
      await stream.holds('notifications/subscriptions/acknowledged');
      await stream.holds('notifications/tools/list_changed');
      const asked = (slug: string) => {
        const sent = sentTo(sources[slug]!).slice(seen.get(slug));
        const listened = sent.find(({ method }) => method === 'subscriptions/listen');
        const notifications = listened?.params?.['notifications'] as { resourceSubscriptions: string[] };
        return notifications.resourceSubscriptions;
      };
      assert.deepEqual(asked('docs'), ['mem://open/1']);
    } finally {
      stream.close();
      for (const upstream of Object.values(sources)) upstream.answerWith(undefined);
    }
  });

  test('a client may cancel a call, and only its source hears of it', async () => {
    const { gateway, sources } = remix;
    askDuringCalls(sources['wiki']!, { method: 'roots/list' });
    try {
      const client = await sessionClient(gateway, 'mix', member.key);
      const body = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'ask_wiki', arguments: {} } };
      const call = await openStream(gateway, 'mix', client, 'POST', body);
      await call.holds('\n\n');
      const before = sources['docs']!.seen.length;
      const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } };
      assert.equal((await send(gateway, 'mix', cancel, client)).status, 202);
      assert.equal(sentTo(sources['wiki']!).at(-1)?.method, 'notifications/cancelled');
      assert.equal(sources['docs']!.seen.length, before);
      call.close();
    } finally {
      sources['wiki']!.answerWith(undefined);
    }
  });

  test('a changed selection counts at the next request, and open streams hear of it', async () => {
    const { gateway } = remix;
    await remix.save('moving', [chosen[1]!]);
    const client = await sessionClient(gateway, 'moving', member.key);
    const stream = await openStream(gateway, 'moving', client);
    const { status, text } = await gateway.admin.patch(`${ORGANIZATION}/servers/moving`, {
      remix: { sources: [chosen[0]] },
    });
    assert.equal(status, 200, text);
    await stream.holds('notifications/tools/list_changed');
    stream.close();
    const { body } = await client('tools/list');
    assert.deepEqual(
      body.result.tools.map(({ name }: { name: string }) => name),
      ['ask_docs'],
    );
  });
});
