import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ORGANIZATION, startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import type { PlatformCaller } from '../../../test/support/platform.ts';
import { databasesOfRun } from '../../../test/support/server.ts';

const CATALOG = `${ORGANIZATION}/catalog`;
const IMPORTS = `${ORGANIZATION}/server-imports`;

interface Client {
  readonly id: string;
  readonly link: string | null;
  readonly parts: readonly { readonly text: string }[];
}

for (const database of databasesOfRun) {
  describe(`the catalog of MCP servers on ${database}`, () => {
    let gateway: TestGateway;
    let bob: PlatformCaller & { readonly id: string };

    before(async () => {
      gateway = await startGateway({ database, answers: { capabilities: { tools: {} } } });
      bob = await gateway.member('bob@example.com');
      await gateway.register('docs', { name: 'Handbook', description: 'Pages of the team.' });
      await gateway.allow('docs', { capability: 'tool', pattern: 'echo', effect: 'allow' });
      await gateway.register('mail', { name: 'Mail', defaultRole: null });
      await gateway.register('secret', { defaultRole: null, visibility: 'concealed' });
      await gateway.admin.put(`${ORGANIZATION}/servers/mail/grants/${gateway.admin.id}`, { role: 'admin' });
    });
    after(() => gateway.stop());

    const slugs = async (who: PlatformCaller, query = '') =>
      (await who.get(`${CATALOG}${query}`)).body.items.map(({ slug }: { slug: string }) => slug);

    test('a member finds what is discoverable, by a word and by kind, page by page', async () => {
      assert.deepEqual(await slugs(bob), ['orchestration-default', 'docs', 'mail']);
      assert.deepEqual(await slugs(gateway.admin), ['orchestration-default', 'docs', 'mail', 'secret']);
      assert.deepEqual(await slugs(bob, '?name=TEAM'), ['docs']);
      assert.deepEqual(await slugs(bob, '?kind=builtin'), ['orchestration-default']);
      assert.equal((await bob.get(`${CATALOG}?kind=other`)).status, 422);
      const { items, meta } = (await bob.get(`${CATALOG}?limit=2`)).body;
      assert.equal(items.length, 2);
      assert.deepEqual(await slugs(bob, `?limit=2&cursor=${meta.nextCursor}`), ['mail']);
      const mail = (await bob.get(`${CATALOG}?name=mail`)).body.items[0];
      assert.deepEqual([mail.role, mail.owners, mail.requestState], [null, ['admin@example.com'], null]);
    });

    test('an entry shows the tools that the caller may use, and without a role how to ask', async () => {
      const docs = (await bob.get(`${CATALOG}/docs`)).body;
      assert.deepEqual(
        docs.tools.map(({ name }: { name: string }) => name),
        ['echo'],
      );
      await bob.post(`${ORGANIZATION}/servers/mail/access-requests`, { reason: 'To answer customers.' });
      const mail = (await bob.get(`${CATALOG}/mail`)).body;
      assert.deepEqual([mail.tools, mail.clients, mail.request.state], [null, [], 'open']);
      assert.equal((await bob.get(`${CATALOG}/secret`)).status, 404);
    });

    test('links and files name the serving URL, with a key only where nobody can sign in', async () => {
      const { clients, servingUrl } = (await bob.get(`${CATALOG}/docs`)).body;
      const byId = new Map(clients.map((client: Client) => [client.id, client])) as Map<string, Client>;
      const cursor = new URL(byId.get('cursor')?.link ?? '');
      assert.equal(cursor.href.split('?')[0], 'cursor://anysphere.cursor-deeplink/mcp/install');
      const config = JSON.parse(Buffer.from(cursor.searchParams.get('config') ?? '', 'base64').toString());
      assert.deepEqual([cursor.searchParams.get('name'), config], ['docs', { url: servingUrl }]);
      const code = byId.get('vscode')?.link ?? '';
      assert.deepEqual(JSON.parse(decodeURIComponent(code.slice('vscode:mcp/install?'.length))), {
        name: 'docs',
        type: 'http',
        url: servingUrl,
      });
      const claude = new URL(byId.get('claude')?.link ?? '');
      assert.equal(claude.searchParams.get('connectorUrl'), servingUrl);
      assert.equal(byId.get('claude-code')?.parts[0]?.text, `claude mcp add --transport http docs ${servingUrl}`);
      assert.doesNotMatch(JSON.stringify(clients), /sbx_[0-9A-Za-z]/);

      await gateway.admin.patch(`${ORGANIZATION}/servers/docs`, { authentication: 'keys' });
      const keyed = (await bob.get(`${CATALOG}/docs`)).body;
      assert.equal(keyed.signIn, false);
      const links = keyed.clients
        .map(({ id, link }: Client) => [id, link])
        .filter(([, link]: [string, string]) => link);
      assert.deepEqual(
        links.map(([id]: [string]) => id),
        ['cursor', 'vscode'],
      );
      assert.match(decodeURIComponent(links[1][1]), /"Authorization":"Bearer \$\{input:key\}"/);
      await gateway.admin.patch(`${ORGANIZATION}/servers/docs`, { authentication: 'platform' });
    });

    test('the server.json of a server can be imported again', async () => {
      const { body: file } = await bob.get(`${CATALOG}/docs/server.json`);
      assert.equal(file.$schema, 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json');
      assert.match(file.name, /^[a-zA-Z0-9.-]+\/default\.docs$/);
      assert.deepEqual([file.title, file.description], ['Handbook', 'Pages of the team.']);
      const [remote] = file.remotes;
      assert.equal(remote.type, 'streamable-http');
      assert.deepEqual([remote.headers[0].name, remote.headers[0].isRequired], ['Authorization', false]);
      assert.equal((await bob.post(IMPORTS, { serverJson: file })).status, 403);
      const { status, body, text } = await gateway.admin.post(IMPORTS, {
        serverJson: { ...file, remotes: [{ ...remote, url: gateway.upstream.url }] },
        slug: 'again',
        variables: { api_key: 'sesame' },
      });
      assert.equal(status, 201, text);
      assert.deepEqual(
        [body.name, body.kind, body.external.credential, body.manifestError],
        ['Handbook', 'external', { kind: 'bearer' }, null],
      );
      assert.ok(gateway.upstream.seen.some(({ headers }) => headers.authorization === 'Bearer sesame'));
      const audit = (await gateway.admin.get(`${ORGANIZATION}/audit?action=server.create&limit=1`)).text;
      assert.match(audit, /again/);
      assert.doesNotMatch(audit + text, /sesame/);
    });

    test('variables and a header are filled in, and what cannot be imported is refused with its reason', async () => {
      const { origin } = new URL(gateway.upstream.url);
      const remote = {
        type: 'streamable-http',
        url: `${origin}/{tenant}`,
        variables: { tenant: { description: 'Your tenant.', isRequired: true, choices: ['acme', 'other'] } },
        headers: [{ name: 'X-Api-Key', isRequired: true, isSecret: true }, { name: 'X-Region' }],
      };
      const file = { name: 'com.example/Weather_API', description: 'Weather.', version: '1.0.0', remotes: [remote] };
      const send = (serverJson: object, more: object = {}) => gateway.admin.post(IMPORTS, { serverJson, ...more });
      const values = { variables: { tenant: 'acme' }, headers: { 'x-api-key': 'k' } };
      const made = await send(file, values);
      assert.equal(made.status, 201, made.text);
      assert.deepEqual(
        [made.body.slug, made.body.name, made.body.external.url, made.body.external.credential],
        ['weather-api', 'Weather_API', `${origin}/acme`, { kind: 'header', name: 'X-Api-Key' }],
      );
      assert.equal((await send(file, values)).body.slug, 'weather-api-2');
      assert.equal((await send(file, { ...values, slug: 'weather-api' })).body.error.code, 'slug_taken');
      const both = await send(file, { ...values, slug: 'both', headers: { 'x-api-key': 'k', 'x-region': 'eu' } });
      assert.deepEqual(both.body.external.credential, {
        kind: 'headers',
        headers: [{ name: 'X-Api-Key' }, { name: 'X-Region' }],
      });
      const many = Array.from({ length: 9 }, (_, index) => ({ name: `X-${index}`, value: 'set' }));
      const reasons: [string, object, object?][] = [
        ['packages_not_supported', { ...file, remotes: [], packages: [{ registryType: 'oci', identifier: 'x' }] }],
        ['transport_not_supported', { ...file, remotes: [{ type: 'sse', url: 'https://x.example/sse' }] }],
        ['no_remote', { ...file, remotes: null }],
        ['schema_not_supported', { ...file, $schema: 'https://example.com/schema.json' }],
        ['variable_missing', file],
        ['value_not_allowed', file, { variables: { tenant: 'x' } }],
        ['header_missing', file, { variables: { tenant: 'acme' } }],
        [
          'secret_in_address',
          { ...file, remotes: [{ ...remote, variables: { tenant: { value: 'x', isSecret: true } } }] },
        ],
        ['header_unknown', file, { ...values, headers: { 'x-api-key': 'k', other: 'x' } }],
        [
          'headers_not_supported',
          { ...file, remotes: [{ ...remote, headers: many }] },
          { variables: { tenant: 'acme' } },
        ],
      ];
      for (const [reason, given, more] of reasons) {
        const { status, body, text } = await send(given, { slug: 'other', ...more });
        assert.deepEqual([status, body.error.code], [422, reason], text);
      }
      const hosted = { registryType: 'npm', identifier: 'x', version: '1.0.0' };
      assert.equal((await send({ ...file, remotes: [], packages: [hosted] })).status, 403, 'nothing is hosted here');
      const bad = { ...remote, url: 'ftp://x.example', variables: {}, headers: [] };
      assert.equal((await send({ ...file, remotes: [bad] }, { slug: 'other' })).status, 422);
      assert.equal((await gateway.admin.get(`${ORGANIZATION}/servers/other`)).status, 404);
    });

    test('variables that would fill in to more than an address or header holds are refused, before they are', async () => {
      const variables = { long: { value: 'x'.repeat(10_000) } };
      const value = '{long}'.repeat(1_600);
      const headers = Array.from({ length: 40 }, (_, index) => ({ name: `X-${index}`, value, variables }));
      const remote = { type: 'streamable-http', url: 'https://x.example/', headers };
      const file = { name: 'com.example/long', remotes: [remote] };
      const { status, body } = await gateway.admin.post(IMPORTS, { serverJson: file });
      assert.deepEqual([status, body.error.code], [422, 'value_not_allowed']);
      assert.equal(body.error.details[0].field, 'serverJson.remotes.0.headers.0');
      assert.match(body.error.message + body.error.details[0].message, /at most 10000 characters/);
    });

    test('a refusal lists no more choices than a person reads', async () => {
      const choices = Array.from({ length: 90 }, () => 'y'.repeat(9_000));
      const remote = {
        type: 'streamable-http',
        url: 'https://{region}.example/',
        variables: { region: { choices, value: 'z' } },
      };
      const file = { name: 'com.example/choices', remotes: [remote] };
      const { status, text } = await gateway.admin.post(IMPORTS, { serverJson: file });
      assert.equal(status, 422);
      assert.ok(text.length < 5_000, `${text.length} characters`);
    });
  });
}
