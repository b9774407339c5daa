import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ask, callTool, ORGANIZATION, send, startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import type { PlatformCaller } from '../../../test/support/platform.ts';
import { databasesOfRun } from '../../../test/support/server.ts';
import { offered } from '../../../test/support/watched-upstream.ts';

const lists = [
  { method: 'tools/list', property: 'tools', key: 'name', all: offered.tools, kept: ['echo', 'read_file'] },
  { method: 'prompts/list', property: 'prompts', key: 'name', all: offered.prompts, kept: ['greet'] },
  { method: 'resources/list', property: 'resources', key: 'uri', all: offered.resources, kept: ['mem://open/1'] },
  {
    method: 'resources/templates/list',
    property: 'resourceTemplates',
    key: 'uriTemplate',
    all: offered.resourceTemplates,
    kept: ['mem://open/{id}'],
  },
] as const;

const rules = [
  { capability: 'tool', pattern: 'echo', effect: 'allow' },
  { capability: 'tool', pattern: '*_file', effect: 'allow' },
  { capability: 'tool', pattern: 'delete_file', effect: 'deny' },
  { capability: 'prompt', pattern: 'greet', effect: 'allow' },
  { capability: 'resource', pattern: 'mem://open/*', effect: 'allow' },
] as const;

const denied = [
  callTool('delete_file'),
  callTool('Echo'),
  ask('prompts/get', { name: 'secret_prompt' }),
  ask('resources/read', { uri: 'mem://closed/1' }),
  ask('resources/subscribe', { uri: 'mem://closed/1' }),
  ask('resources/unsubscribe', { uri: 'mem://closed/1' }),
  ask('completion/complete', {
    ref: { type: 'ref/prompt', name: 'secret_prompt' },
    argument: { name: 'a', value: '' },
  }),
  ask('completion/complete', {
    ref: { type: 'ref/resource', uri: 'mem://closed/{id}' },
    argument: { name: 'a', value: '' },
  }),
];

/** Servers with the same rules, and how each answers a denied request. */
const answering: [slug: string, status: number, codeOf: (text: string) => number][] = [
  ['narrow', 403, () => -31403],
  ['quiet', 200, (text) => (/resources\/|"ref\/resource"/.test(text) ? -32002 : -32602)],
];

/** The message of an answer in either form. */
function messageOf({ text, headers }: { text: string; headers: Readonly<Record<string, unknown>> }) {
  const events = String(headers['content-type']).startsWith('text/event-stream');
  return JSON.parse(events ? (/^data: (.*)$/m.exec(text)?.[1] ?? '') : text);
}

for (const database of databasesOfRun) {
  for (const events of [false, true]) {
    describe(`policy on ${database}, answers as ${events ? 'events' : 'JSON'}`, () => {
      let gateway: TestGateway;
      let member: PlatformCaller & { readonly id: string };

      before(async () => {
        gateway = await startGateway({ database, answers: { events } });
        for (const slug of ['plain', 'narrow']) await gateway.register(slug);
        await gateway.register('quiet', { deniedAs: 'unknown' });
        for (const slug of ['narrow', 'quiet']) await gateway.allow(slug, ...rules);
        member = await gateway.member('member@example.com');
      });
      after(() => gateway.stop());

      const as = (slug: string, body: unknown, key = member.key) => send(gateway, slug, body, { key });
      const namesIn = (message: { result: Record<string, Record<string, string>[]> }, property: string, key: string) =>
        message.result[property]?.map((item) => item[key]);

      test('without a rule every list is complete', async () => {
        for (const { method, property, key, all } of lists) {
          assert.deepEqual(namesIn(messageOf(await as('plain', ask(method))), property, key), all);
        }
      });

      test('with rules every list holds only the allowed items, on each request and for each id', async () => {
        for (const { method, property, key, kept } of lists) {
          for (const id of [1, 2, 'three', 'a "quoted" id', 1]) {
            const message = messageOf(await as('narrow', ask(method, undefined, id)));
            assert.equal(message.id, id);
            assert.deepEqual(namesIn(message, property, key), kept);
          }
        }
      });

      test('administrators see and use everything', async () => {
        const { admin } = gateway;
        for (const { method, property, key, all } of lists) {
          assert.deepEqual(namesIn(messageOf(await as('narrow', ask(method), admin.key)), property, key), all);
        }
        assert.equal((await as('narrow', callTool('delete_file'), admin.key)).status, 200);
      });

      test('the remaining items of a filtered list are unchanged', async () => {
        gateway.upstream.answerWith((_request, response) => {
          const body = '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"echo","x":1.0,"y":12345678901234567890}]}}';
          if (events) response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${body}\n\n`);
          else response.writeHead(200, { 'content-type': 'application/json' }).end(body);
        });
        const { text } = await as('narrow', ask('tools/list'));
        gateway.upstream.answerWith(undefined);
        assert.ok(text.includes('"x":1.0,"y":12345678901234567890'), text);
      });

      test('an answer that was filtered for one actor is never cacheable for all', async () => {
        gateway.upstream.answerWith((_request, response) => {
          const result = { resultType: 'complete', tools: [{ name: 'Echo' }], ttlMs: 60_000, cacheScope: 'public' };
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
        });
        const narrow = messageOf(await as('narrow', ask('tools/list')));
        const plain = messageOf(await as('plain', ask('tools/list')));
        gateway.upstream.answerWith(undefined);
        assert.deepEqual(narrow.result, { resultType: 'complete', tools: [], ttlMs: 60_000, cacheScope: 'private' });
        assert.equal(plain.result.cacheScope, 'public');
      });

      test('an empty page keeps its cursor', async () => {
        gateway.upstream.answerWith((_request, response) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end('{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"Echo"}],"nextCursor":""}}');
        });
        const { result } = messageOf(await as('narrow', ask('tools/list')));
        gateway.upstream.answerWith(undefined);
        assert.deepEqual({ tools: result.tools, nextCursor: result.nextCursor }, { tools: [], nextCursor: '' });
      });

      for (const [slug, statusOf, codeOf] of answering) {
        test(`a denied request never reaches the server ${slug} and answers like an unknown name`, async () => {
          const seen = gateway.upstream.seen.length;
          for (const message of denied) {
            const text = JSON.stringify(message);
            const name = ['delete_file', 'Echo', 'secret_prompt', 'mem://closed/'].find((one) =>
              text.includes(`"${one}`),
            )!;
            const unknown = text.replaceAll(name, 'x'.repeat(name.length));
            const [no, none] = [await as(slug, text), await as(slug, unknown)];
            assert.deepEqual([no.status, no.body.id, no.body.error.code], [statusOf, 1, codeOf(text)]);
            assert.equal(no.text.replaceAll(name, ''), none.text.replaceAll('x'.repeat(name.length), ''));
            assert.deepEqual(Object.keys(no.headers), Object.keys(none.headers));
          }
          assert.equal(gateway.upstream.seen.length, seen);
        });
      }

      test('a request without an id is refused when the policy must decide it, and the refusal is recorded', async () => {
        const seen = gateway.upstream.seen.length;
        const messages = [callTool('echo'), callTool('delete_file'), ...denied, ask('tasks/cancel', { taskId: 'x' })];
        for (const { id: _id, ...notification } of messages) {
          const alone = await as('narrow', notification);
          assert.deepEqual([alone.status, alone.body.error.code], [400, -32600], notification.method);
          const among = await as('narrow', [callTool('echo', {}, 2), notification]);
          assert.deepEqual([among.status, among.body.error.code], [400, -32600], notification.method);
        }
        assert.equal(gateway.upstream.seen.length, seen);
        await gateway.server.recordsWritten();
        const { body } = await gateway.admin.get(`${ORGANIZATION}/servers/narrow/requests?outcome=invalid&limit=100`);
        const recorded = body.items.map((item: { method: string; reason: string }) => item.method);
        for (const { method } of messages) assert.ok(recorded.includes(method), method);
      });

      test('an allowed request passes', async () => {
        const allowed = [
          callTool('read_file'),
          ask('prompts/get', { name: 'greet' }),
          ask('resources/read', { uri: 'mem://open/77' }),
          ask('resources/subscribe', { uri: 'mem://open/1' }),
          ask('completion/complete', { ref: { type: 'ref/prompt', name: 'greet' } }),
          ask('completion/complete', { ref: { type: 'ref/resource', uri: 'mem://open/{id}' } }),
          ask('ping'),
        ];
        for (const message of allowed) {
          assert.ok('result' in messageOf(await as('narrow', message)), message.method);
        }
      });

      test('an ambiguous request is refused where there are rules', async () => {
        const seen = gateway.upstream.seen.length;
        for (const message of [
          ask('tools/call'),
          ask('tools/call', { name: ['echo'] }),
          ask('tools/call', { name: null }),
          ask('resources/read', {}),
          ask('completion/complete', { ref: { type: 'ref/tool', name: 'echo' } }),
          ask('completion/complete', { ref: 'echo' }),
        ]) {
          assert.equal(messageOf(await as('narrow', message)).error.code, -32602);
        }
        assert.equal(gateway.upstream.seen.length, seen);
      });

      test('a batch is filtered, and forwarded as a whole or not at all', async () => {
        const seen = gateway.upstream.seen.length;
        const bad = await as('narrow', [callTool('echo', {}, 1), callTool('delete_file', {}, 2)]);
        assert.equal(bad.status, 403);
        assert.deepEqual(
          bad.body.map(({ id, error }: { id: number; error: { code: number } }) => [id, error.code]),
          [
            [1, -31424],
            [2, -31403],
          ],
        );
        assert.equal(gateway.upstream.seen.length, seen);
        const { text } = await as('narrow', [callTool('echo', {}, 1), ask('tools/list', undefined, 2)]);
        assert.ok(text.includes('read_file'));
        assert.ok(!text.includes('delete_file'), text);
      });

      test('a changed policy takes effect at the next request', async () => {
        await gateway.allow('plain', { capability: 'tool', pattern: 'echo', effect: 'deny' });
        assert.ok('error' in messageOf(await as('plain', callTool('echo'))));
        await gateway.allow('plain', { actorId: member.id, capability: 'tool', pattern: 'echo', effect: 'allow' });
        assert.ok('result' in messageOf(await as('plain', callTool('echo'))));
        assert.deepEqual(namesIn(messageOf(await as('plain', ask('tools/list'))), 'tools', 'name'), ['echo']);
        await gateway.allow('plain');
        assert.ok('result' in messageOf(await as('plain', callTool('delete_file'))));
      });
    });
  }
}
