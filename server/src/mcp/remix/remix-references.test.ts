import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ORGANIZATION } from '../../../test/support/gateway.ts';
import {
  type Client,
  sessionClient,
  startRemix,
  statelessClient,
  type TestRemix,
} from '../../../test/support/remix.ts';
import { databasesOfRun } from '../../../test/support/server.ts';

const PAGE = 'ui://chart/view.html';
const DATA = 'data://chart/rows';
const link = (uri: string) => ({ type: 'resource_link', uri, name: 'rows' });
const embedded = (uri: string) => ({ type: 'resource', resource: { uri, text: 'rows' } });

const META = {
  ui: { resourceUri: PAGE },
  'ui/resourceUri': PAGE,
  pages: [PAGE],
  other: { data: DATA, kept: 'ui:not' },
};

/** What the source answers, by method. */
const ANSWERS: Readonly<Record<string, object>> = {
  'tools/list': {
    tools: [
      {
        name: 'chart',
        inputSchema: { type: 'object' },
        _meta: META,
      },
      { name: 'plain', inputSchema: { type: 'object' } },
    ],
  },
  'prompts/list': { prompts: [{ name: 'explain', _meta: { page: PAGE } }] },
  'resources/list': {
    resources: [
      { uri: PAGE, name: 'view', mimeType: 'text/html;profile=mcp-app' },
      { uri: DATA, name: 'rows' },
    ],
  },
  'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'ui://chart/{name}.html', name: 'views' }] },
  'resources/read': { contents: [{ uri: PAGE, text: '<p>' }] },
  'tools/call': { content: [link(DATA), embedded(DATA), { type: 'text', text: DATA }] },
  'prompts/get': {
    messages: [
      { role: 'user', content: link(DATA) },
      { role: 'user', content: [embedded(DATA)] },
    ],
  },
};

for (const database of databasesOfRun) {
  describe(`what capabilities of a remix name, on ${database}`, () => {
    let remix: TestRemix;
    before(async () => {
      remix = await startRemix({ charts: {} }, { database });
      remix.sources['charts']!.answerWith(({ method, body }, response) => {
        if (method !== 'POST') return false;
        const { id, method: asked } = JSON.parse(body);
        const result = ANSWERS[asked];
        if (!result) return false;
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });
      await remix.gateway.admin.post(`${ORGANIZATION}/servers/charts/capabilities/refresh`);
    });
    after(() => remix.stop());

    const sources = (more: object = {}) => [
      { server: 'charts', tools: [{ name: 'chart' }, { name: 'plain' }], prompts: [{ name: 'explain' }], ...more },
    ];
    /** The remix through a client of each era. */
    async function clientsOf(slug: string): Promise<Client[]> {
      const { key } = remix.gateway.admin;
      return [await sessionClient(remix.gateway, slug, key), statelessClient(remix.gateway, slug, key)];
    }
    async function metaOf(client: Client) {
      const tools = (await client('tools/list')).body.result.tools;
      const prompts = (await client('prompts/list')).body.result.prompts;
      return [tools[0]._meta, tools[1]._meta, prompts[0]._meta];
    }
    async function leftOut(more: object = {}) {
      const { body, status, text } = await remix.gateway.admin.post(`${ORGANIZATION}/remix-preview`, {
        remix: { sources: sources(more) },
      });
      assert.equal(status, 200, text);
      return body.capabilities.map((one: { name: string; leftOut: string[] }) => [one.name, one.leftOut]);
    }

    test('a page that is not chosen is left out, and the preview says so', async () => {
      assert.deepEqual(await leftOut(), [
        ['chart', [PAGE]],
        ['plain', []],
        ['explain', [PAGE]],
      ]);
      await remix.save('without', sources());
      for (const client of await clientsOf('without')) {
        assert.deepEqual(await metaOf(client), [{ other: { data: DATA, kept: 'ui:not' } }, undefined, undefined]);
      }
    });

    test('one that is chosen, by itself or by a template, is named as clients read it', async () => {
      const resources = [
        { name: PAGE, as: 'ui://mine/view.html' },
        { name: DATA, as: 'data://mine' },
      ];
      assert.deepEqual((await leftOut({ resources })).slice(0, 2), [
        ['chart', []],
        ['plain', []],
      ]);
      await remix.save('renamed', sources({ resources }));
      const mine = 'ui://mine/view.html';
      for (const client of await clientsOf('renamed')) {
        assert.deepEqual((await metaOf(client))[0], {
          ui: { resourceUri: mine },
          'ui/resourceUri': mine,
          pages: [mine],
          other: { data: 'data://mine', kept: 'ui:not' },
        });
        const { contents } = (await client('resources/read', { uri: mine })).body.result;
        assert.deepEqual(contents, [{ uri: mine, text: '<p>' }]);
        const { content } = (await client('tools/call', { name: 'chart', arguments: {} })).body.result;
        assert.deepEqual(content, [link('data://mine'), embedded('data://mine'), { type: 'text', text: DATA }]);
        const { messages } = (await client('prompts/get', { name: 'explain' })).body.result;
        assert.deepEqual(
          messages.map(({ content }: { content: object }) => content),
          [link('data://mine'), [embedded('data://mine')]],
        );
      }
      await remix.save('templates', sources({ resourceTemplates: [{ name: 'ui://chart/{name}.html' }] }));
      for (const client of await clientsOf('templates')) {
        assert.deepEqual((await metaOf(client))[0], META);
        assert.equal((await client('resources/read', { uri: PAGE })).body.result.contents[0].text, '<p>');
      }
    });
  });
}
