import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { callTool, ORGANIZATION, send, startGateway, type TestGateway } from '../../../../test/support/gateway.ts';
import { cookieOf, joinByInvitation, type PlatformCaller } from '../../../../test/support/platform.ts';
import { databasesOfRun } from '../../../../test/support/server.ts';

const rule = { role: 'viewer', actorId: null, capability: 'tool', pattern: 'echo', effect: 'allow' };

for (const database of databasesOfRun) {
  describe(`views of MCP servers on ${database}`, () => {
    let gateway: TestGateway;
    let member: PlatformCaller & { readonly id: string };

    before(async () => {
      gateway = await startGateway({
        database,
        answers: { capabilities: { tools: {}, prompts: {}, resources: {} } },
      });
      member = await gateway.member('member@example.com');
      await gateway.register('docs');
      await gateway.register('hidden', { visibility: 'concealed', defaultRole: null });
      await gateway.allow('docs', { role: 'viewer', capability: 'tool', pattern: 'echo', effect: 'allow' });
      await send(gateway, 'docs', callTool('echo'), { key: member.key });
      await send(gateway, 'docs', callTool('delete_file'), { key: member.key });
      await gateway.server.recordsWritten();
    });

    after(() => gateway.stop());

    test("the catalog shows the day's figures to editors only, and concealed servers not to members", async () => {
      const { body } = await gateway.admin.get(`${ORGANIZATION}/views/servers`);
      const docs = body.items.find(({ server }: { server: { slug: string } }) => server.slug === 'docs');
      assert.equal(docs.figures.requests, 2);
      assert.equal(docs.figures.denied, 1);
      const seen = (await member.get(`${ORGANIZATION}/views/servers`)).body.items;
      assert.deepEqual(
        seen.map(({ server, figures }: { server: { slug: string }; figures: unknown }) => [server.slug, figures]),
        [
          ['orchestration-default', null],
          ['docs', null],
        ],
      );
      assert.equal((await member.get(`${ORGANIZATION}/views/servers/hidden`)).status, 404);
    });

    test('a server is one answer: its capabilities for all, figures and failures for editors', async () => {
      const { body } = await gateway.admin.get(`${ORGANIZATION}/views/servers/docs`);
      assert.equal(body.figures.requests, 2);
      assert.equal(body.histogram.items.length, 48);
      assert.equal(body.figures.denied, 1);
      // A denial is no failure.
      assert.deepEqual(body.failures, []);
      const seen = (await member.get(`${ORGANIZATION}/views/servers/docs`)).body;
      assert.deepEqual(
        seen.capabilities.tools.map(({ name }: { name: string }) => name),
        ['echo'],
      );
      assert.equal(seen.figures, null);
      assert.deepEqual(seen.failures, []);
    });

    test('requests of all servers are listed and summed for administrators, and refused to members', async () => {
      await send(gateway, 'hidden', callTool('echo'), { key: gateway.admin.key });
      await gateway.server.recordsWritten();
      const all = (await gateway.admin.get(`${ORGANIZATION}/views/requests?limit=2`)).body;
      assert.equal(all.requests.items.length, 2);
      assert.equal(all.summary.servers.length, 2);
      assert.equal(all.summary.owners[0].requests, 2);
      const next = (
        await gateway.admin.get(`${ORGANIZATION}/views/requests?limit=2&cursor=${all.requests.meta.nextCursor}`)
      ).body;
      assert.equal(next.requests.items.length, 1);
      assert.equal(next.summary, null);
      const denied = (await gateway.admin.get(`${ORGANIZATION}/views/requests?outcome=denied`)).body;
      assert.equal(denied.requests.items.length, 1);
      const none = (await member.get(`${ORGANIZATION}/views/requests`)).body;
      assert.deepEqual([none.servers, none.requests.items], [[], []]);
      assert.equal((await member.get(`${ORGANIZATION}/views/requests?server=docs`)).status, 403);
    });

    test('a policy that is not stored decides as it would at the gateway', async () => {
      const preview = async (rules: unknown[], actorId: string | null = null) =>
        (await gateway.admin.post(`${ORGANIZATION}/servers/docs/policy/preview`, { rules, actorId })).body;
      const same = await preview([rule]);
      assert.equal(same.affectedCount, 0);
      const wider = await preview(
        [rule, { ...rule, pattern: '*_file' }, { ...rule, pattern: 'delete_file', effect: 'deny' }],
        member.id,
      );
      assert.equal(wider.actor.role, 'viewer');
      const verdicts = new Map(wider.capabilities.map((one: { name: string }) => [one.name, one]));
      assert.deepEqual(verdicts.get('read_file'), {
        capability: 'tool',
        name: 'read_file',
        viewer: { allowed: true, rule: 1, reason: 'rule 1' },
        editor: { allowed: false, rule: null, reason: 'no rule matches' },
        actor: { allowed: true, rule: 1, reason: 'rule 1' },
        actorNow: false,
        gained: 1,
        lost: 0,
      });
      assert.deepEqual(wider.affected, [{ actorId: member.id, actorName: 'member@example.com', gained: 1, lost: 0 }]);
      // Without a rule nothing is filtered.
      assert.ok(
        (await preview([])).capabilities.every(({ viewer }: { viewer: { allowed: boolean } }) => viewer.allowed),
      );
      assert.equal((await member.post(`${ORGANIZATION}/servers/docs/policy/preview`, { rules: [] })).status, 403);
    });

    test('a connection test stores nothing, and reports the findings or the reason of its failure', async () => {
      const path = `${ORGANIZATION}/server-connection-test`;
      const found = await gateway.admin.post(path, { external: { url: gateway.upstream.url } });
      assert.equal(found.body.error, null);
      assert.ok(found.body.tools.includes('echo'));
      const failed = await gateway.admin.post(path, { external: { url: 'http://127.0.0.1:9/mcp' } });
      assert.equal(failed.status, 200);
      assert.match(failed.body.error, /\w/);
      assert.equal((await gateway.admin.post(path, { external: {} })).status, 422);
      assert.equal((await member.post(path, { external: { url: gateway.upstream.url } })).status, 403);
    });
  });

  describe(`an MCP server from the dashboard on ${database}`, () => {
    const password = 'a long enough password';
    let gateway: TestGateway;
    let cookie: string;
    let csrf: string;

    before(async () => {
      gateway = await startGateway({ database });
      await gateway.register('docs');
      await gateway.allow('docs', { role: 'viewer', capability: 'tool', pattern: 'echo', effect: 'allow' });
      const accepted = await joinByInvitation(gateway.server, gateway.admin, 'grace@example.com', password);
      cookie = cookieOf(accepted);
      csrf = accepted.body.csrfToken;
    });

    after(() => gateway.stop());

    const call = (tool: string, headers: Record<string, string>) =>
      gateway.request(
        'POST',
        `/api/v0${ORGANIZATION}/servers/docs/mcp`,
        JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: {
            name: tool,
            arguments: {},
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          },
        }),
        {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': tool,
          ...headers,
        },
      );

    test('a person calls what the policy allows with the session, and the call is recorded', async () => {
      const answer = await call('echo', { cookie, 'x-csrf-token': csrf });
      assert.equal(answer.status, 200, answer.text);
      assert.match(answer.text, /"result"/);
      assert.equal((await call('delete_file', { cookie, 'x-csrf-token': csrf })).status, 403);
      await gateway.server.recordsWritten();
      const { items } = (await gateway.admin.get(`${ORGANIZATION}/servers/docs/requests`)).body;
      assert.deepEqual(
        items.map(({ actorName, capability, decision }: Record<string, unknown>) => [actorName, capability, decision]),
        [
          ['grace@example.com', 'delete_file', 'denied'],
          ['grace@example.com', 'echo', 'allowed'],
        ],
      );
      for (const { headers } of gateway.upstream.seen) {
        assert.deepEqual([headers.cookie, headers['x-csrf-token']], [undefined, undefined]);
      }
    });

    test('a call without a session or its token, or from another site, is refused', async () => {
      const before = gateway.upstream.seen.length;
      assert.equal((await call('echo', {})).status, 401);
      assert.equal((await call('echo', { authorization: `Bearer ${gateway.admin.key}` })).status, 401);
      assert.equal((await call('echo', { cookie })).status, 403);
      assert.equal((await call('echo', { cookie, 'x-csrf-token': csrf, 'sec-fetch-site': 'cross-site' })).status, 403);
      assert.equal(gateway.upstream.seen.length, before);
    });

    test('the page of a server and its serving URL are different addresses', async () => {
      const page = await gateway.request('GET', '/servers/docs', undefined, { accept: 'text/html' });
      assert.match(String(page.headers['content-type']), /text\/html/);
      const serving = await gateway.request('GET', '/servers/default/docs', undefined, { accept: 'text/html' });
      assert.match(String(serving.headers['content-type']), /application\/json/);
    });
  });
}
