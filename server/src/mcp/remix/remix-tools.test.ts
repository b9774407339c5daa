import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ORGANIZATION } from '../../../test/support/gateway.ts';
import type { PlatformCaller } from '../../../test/support/platform.ts';
import {
  type Client,
  sessionClient,
  startRemix,
  statelessClient,
  type TestRemix,
} from '../../../test/support/remix.ts';
import { databasesOfRun } from '../../../test/support/server.ts';

const chosen = [
  { server: 'docs', tools: [{ name: 'search' }, { name: 'read', as: 'read_docs', description: 'Reads the docs.' }] },
  { server: 'wiki', tools: [{ name: 'search', as: 'search_wiki', title: 'Search the wiki' }] },
];

for (const database of databasesOfRun) {
  describe(`tools of a remix on ${database}`, () => {
    let remix: TestRemix;
    let member: PlatformCaller & { readonly id: string };
    const clients = {} as Record<'session' | 'stateless', Client>;
    before(async () => {
      remix = await startRemix(
        { docs: { tools: ['search', 'read', 'write'] }, wiki: { tools: ['search'] } },
        { database },
      );
      const { status, text } = await remix.save('mix', chosen);
      assert.equal(status, 201, text);
      member = await remix.gateway.member('member@example.com');
      clients.session = await sessionClient(remix.gateway, 'mix', member.key);
      clients.stateless = statelessClient(remix.gateway, 'mix', member.key);
    });
    after(() => remix.stop());

    for (const era of ['session', 'stateless'] as const) {
      test(`a ${era} client sees the chosen tools under their names`, async () => {
        const { body, status, text } = await clients[era]('tools/list');
        assert.equal(status, 200, text);
        const tools = body.result.tools.map(({ name, title, description }: Record<string, string>) => [
          name,
          title,
          description,
        ]);
        assert.deepEqual(tools, [
          ['search', undefined, undefined],
          ['read_docs', undefined, 'Reads the docs.'],
          ['search_wiki', 'Search the wiki', undefined],
        ]);
        assert.equal(body.result._meta, undefined);
      });

      test(`a ${era} client calls each at its server, under its name there`, async () => {
        const { docs, wiki } = remix.sources;
        const before = [docs!.called().length, wiki!.called().length];
        const asked = await clients[era]('tools/call', { name: 'read_docs', arguments: { page: 1 } }, 'mine');
        assert.equal(asked.status, 200, asked.text);
        assert.deepEqual([asked.body.id, asked.body.result.content[0].text], ['mine', '{"page":1}']);
        await clients[era]('tools/call', { name: 'search_wiki', arguments: {} });
        assert.deepEqual(docs!.called().slice(before[0]), ['read']);
        assert.deepEqual(wiki!.called().slice(before[1]), ['search']);
      });

      test(`a ${era} client does not reach what was not chosen`, async () => {
        for (const name of ['write', 'read', 'nothing']) {
          const { body } = await clients[era]('tools/call', { name, arguments: {} });
          assert.deepEqual([body.error.code, body.error.message], [-32602, `Unknown tool: ${name}`]);
        }
        assert.ok(!remix.sources['docs']!.called().includes('write'));
      });
    }

    test('the member needs no role on the servers', async () => {
      const { status } = await member.get(`${ORGANIZATION}/servers/docs/capabilities`);
      assert.equal(status, 403);
    });

    test('records name the remix and the server', async () => {
      await clients.session('tools/call', { name: 'search_wiki', arguments: {} });
      await clients.session('tools/list');
      await remix.gateway.server.recordsWritten();
      const { body } = await remix.gateway.admin.get(`${ORGANIZATION}/servers/mix/requests?limit=2`);
      assert.deepEqual(
        body.items.map((item: Record<string, unknown>) => [item['method'], item['capability'], item['sourceId']]),
        [
          ['tools/list', null, null],
          ['tools/call', 'search_wiki', remix.ids['wiki']],
        ],
      );
    });

    test('its policy decides by the names of the remix, and the policies of its servers do not count', async () => {
      const { gateway } = remix;
      await gateway.allow('docs', { capability: 'tool', pattern: 'nothing', effect: 'allow' });
      await remix.save('narrow', chosen);
      await gateway.allow('narrow', { capability: 'tool', pattern: '*_docs', effect: 'allow' });
      const client = await sessionClient(gateway, 'narrow', member.key);
      const { body } = await client('tools/list');
      assert.deepEqual(
        body.result.tools.map(({ name }: { name: string }) => name),
        ['read_docs'],
      );
      assert.equal((await client('tools/call', { name: 'read_docs', arguments: {} })).status, 200);
      assert.equal((await client('tools/call', { name: 'search', arguments: {} })).status, 403);
    });

    test('what a server holds back until it is approved is held back here too', async () => {
      const { gateway, sources } = remix;
      await remix.save('cautious', chosen);
      const earlier = await sessionClient(gateway, 'cautious', member.key);
      assert.equal((await earlier('tools/list')).body.result.tools.length, 3);
      const path = `${ORGANIZATION}/servers/docs/tool-approvals`;
      const { manifestVersion } = (await gateway.admin.get(path)).body;
      const approved = await gateway.admin.put(path, { enabled: true, manifestVersion, approve: ['read'] });
      assert.equal(approved.status, 200, approved.text);
      const before = sources['docs']!.called().length;
      for (const client of [
        earlier,
        await sessionClient(gateway, 'cautious', member.key),
        statelessClient(gateway, 'cautious', member.key),
      ]) {
        const { body } = await client('tools/list');
        assert.deepEqual(
          body.result.tools.map(({ name }: { name: string }) => name),
          ['read_docs', 'search_wiki'],
        );
        const refused = await client('tools/call', { name: 'search', arguments: {} });
        assert.deepEqual([refused.body.error.code, refused.body.error.message], [-32602, 'Unknown tool: search']);
        assert.equal((await client('tools/call', { name: 'read_docs', arguments: {} })).status, 200);
      }
      assert.deepEqual(sources['docs']!.called().slice(before), ['read', 'read', 'read']);
      const chooses = await remix.save('trusting', [{ server: 'docs', tools: [{ name: 'search' }] }]);
      assert.equal(chooses.status, 422, chooses.text);
      const latest = (await gateway.admin.get(path)).body.manifestVersion;
      const disabled = await gateway.admin.put(path, { enabled: false, manifestVersion: latest, approve: [] });
      assert.equal(disabled.status, 200, disabled.text);
      assert.equal((await statelessClient(gateway, 'cautious', member.key)('tools/list')).body.result.tools.length, 3);
    });

    test('a server that fails hides its own tools, and errors name it', async () => {
      const { gateway, sources } = remix;
      sources['wiki']!.answerWith((_request, response) => void response.writeHead(500).end());
      try {
        const client = await sessionClient(gateway, 'mix', member.key);
        const { body } = await client('tools/list');
        assert.deepEqual(
          body.result.tools.map(({ name }: { name: string }) => name),
          ['search', 'read_docs'],
        );
        assert.match(JSON.stringify(body.result._meta), /wiki/);
        const failed = await client('tools/call', { name: 'search_wiki', arguments: {} });
        assert.equal(failed.status, 200);
        assert.match(failed.body.error.message, /^"wiki": /);
        assert.equal((await client('tools/call', { name: 'search', arguments: {} })).status, 200);
      } finally {
        sources['wiki']!.answerWith(undefined);
      }
    });

    test('no answer of a source ends more than the request: it is an error with the name of the source', async () => {
      const { gateway, sources } = remix;
      const wiki = sources['wiki']!;
      const client = await sessionClient(gateway, 'mix', member.key);
      await client('tools/call', { name: 'search_wiki', arguments: {} });
      const answers: [number, Record<string, string>, string][] = [
        ...[400, 403, 405, 410, 429, 500, 502, 503, 504].map((status): [number, Record<string, string>, string] => [
          status,
          { 'content-type': 'text/plain', 'retry-after': '120' },
          'Not now',
        ]),
        [200, { 'content-type': 'text/html' }, '<html>'],
        [200, { 'content-type': 'application/json' }, '{"ok":true}'],
        [500, { 'content-type': 'application/json' }, '{"ok":true}'],
        [503, { 'content-type': 'text/event-stream' }, 'data: {}\n\n'],
        [502, { 'content-type': 'text/plain' }, 'x'.repeat(300_000)],
        // Ends the session at the source, so it comes last.
        [404, { 'content-type': 'text/html' }, '<html>'],
      ];
      try {
        for (const [status, headers, text] of answers) {
          const name = `${status} ${headers['content-type']} ${text.slice(0, 20)}`;
          wiki.answerWith((_request, response) => response.writeHead(status, headers).end(text));
          const told = await client('tools/call', { name: 'search_wiki', arguments: {} }, 'mine');
          assert.equal(told.status, 200, name);
          assert.equal(told.body.id, 'mine', name);
          assert.match(told.body.error.message, /^"wiki": The server (answered with|does not)/, `${name} ${told.text}`);
          if (status === 503 && headers['retry-after'] !== undefined) {
            assert.deepEqual(told.body.error.data, { status: 503, retryAfter: '120' });
          }
          wiki.answerWith(undefined);
          assert.equal((await client('tools/call', { name: 'search', arguments: {} })).status, 200, name);
        }
        assert.equal((await client('tools/call', { name: 'search_wiki', arguments: {} })).status, 200);
        wiki.answerWith((_request, response) => {
          const body = '{"jsonrpc":"2.0","id":"mine","error":{"code":-32000,"message":"own words"}}';
          response.writeHead(403, { 'content-type': 'application/json' }).end(body);
        });
        const own = await client('tools/call', { name: 'search_wiki', arguments: {} }, 'mine');
        assert.deepEqual([own.status, own.body.error.message], [200, 'own words']);
      } finally {
        wiki.answerWith(undefined);
      }
    });

    test('a source whose list does not advance is cut there and named; the others are listed once', async () => {
      const { gateway, sources } = remix;
      const wiki = sources['wiki']!;
      const tool = { name: 'search', inputSchema: { type: 'object' } };
      /** All pages for a client, whose source answers with this cursor to each. */
      const pagesOf = async (nextCursor: (asked: number) => string) => {
        let asked = 0;
        wiki.answerWith(({ body }, response) => {
          const { id, method } = JSON.parse(body);
          if (method !== 'tools/list') return false;
          const result = { tools: [tool], nextCursor: nextCursor(++asked) };
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
          return true;
        });
        const client = await sessionClient(gateway, 'mix', member.key);
        const pages: { tools: { name: string }[]; nextCursor?: string; _meta?: object }[] = [];
        for (let cursor: string | undefined; pages.length < 300; ) {
          const { body } = await client('tools/list', cursor === undefined ? {} : { cursor });
          pages.push(body.result);
          cursor = body.result.nextCursor;
          if (cursor === undefined) break;
        }
        return pages;
      };
      try {
        for (const [name, cursorOf, most] of [
          ['the same cursor', () => '8', 2],
          ['cursors in turn', (asked: number) => String(asked % 2), 200],
          ['always another cursor', String, 200],
        ] as const) {
          const pages = await pagesOf(cursorOf);
          assert.equal(pages.length, most, name);
          assert.match(JSON.stringify(pages.at(-1)?._meta), /"wiki\\": Its list does not end/, name);
          const names = pages.flatMap(({ tools }) => tools.map((one) => one.name));
          assert.equal(names.filter((one) => one === 'search').length, 1, name);
        }
      } finally {
        wiki.answerWith(undefined);
      }
    });

    test('a session that a server has forgotten opens again', async () => {
      const { gateway, sources } = remix;
      const client = await sessionClient(gateway, 'mix', member.key);
      await client('tools/call', { name: 'search_wiki', arguments: {} });
      let forgotten = 0;
      sources['wiki']!.answerWith((_request, response) => {
        forgotten += 1;
        sources['wiki']!.answerWith(undefined);
        response.writeHead(404).end();
      });
      const { status, text } = await client('tools/call', { name: 'search_wiki', arguments: {} });
      assert.deepEqual([status, forgotten], [200, 1], text);
    });
  });
}
