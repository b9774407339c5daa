import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { connectMcpClient, type McpUpstream, startMcpUpstream } from '../../../../test/support/mcp-upstream.ts';
import { type PlatformCaller, person } from '../../../../test/support/platform.ts';
import { databasesOfRun, startServer, type TestServer } from '../../../../test/support/server.ts';
import { networksOf } from '../../../network/networks.ts';

for (const database of databasesOfRun) {
  describe(`the record of requests to a server on ${database}`, () => {
    let server: TestServer;
    let upstream: McpUpstream;
    let origin: string;
    let admin: PlatformCaller & { id: string };
    let user: PlatformCaller & { id: string };
    const servers = '/organizations/default/servers';

    before(async () => {
      server = await startServer({ database, config: { allowedPrivateNetworks: networksOf('127.0.0.0/8')! } });
      upstream = await startMcpUpstream();
      origin = (await server.listen()).replace('ws', 'http').replace(/\/api$/, '');
      admin = await person(server, 'ada@example.com', 'admin');
      user = await person(server, 'uma@example.com', 'member');
    });
    after(async () => {
      upstream.stop();
      await server.stop();
    });

    /** A server that all members of the organization may call, and its serving URL. */
    async function create(slug: string): Promise<{ id: string; url: string; path: string }> {
      const external = { url: upstream.url };
      const given = { slug, name: slug, kind: 'external', defaultRole: 'viewer', external };
      const made = await admin.post(servers, given);
      assert.equal(made.status, 201, made.text);
      return { id: made.body.id, url: origin + new URL(made.body.servingUrl).pathname, path: `${servers}/${slug}` };
    }

    /** Reads the path once the gateway has written its waiting records. */
    async function read(path: string, caller: PlatformCaller = admin) {
      await server.recordsWritten();
      const { status, body, text } = await caller.get(path);
      assert.equal(status, 200, text);
      return body;
    }

    test('each request is recorded under its owner, with its target and its outcome', async () => {
      const { url, path } = await create('plain');
      const client = await connectMcpClient(url, user.key);
      const good = await client.call('tools/call', { name: 'echo', arguments: { text: 'secret argument' } });
      const broken = await client.call('tools/call', { name: 'break' });
      assert.deepEqual([good.status, broken.status], [200, 502]);
      const { items, meta } = await read(`${path}/requests`);
      assert.deepEqual(meta, { nextCursor: null, limit: 50 });
      assert.deepEqual(
        items.map(({ method, capability, status, outcome }: Record<string, unknown>) => [
          method,
          capability,
          status,
          outcome,
        ]),
        [
          ['tools/call', 'break', 502, 'failed'],
          ['tools/call', 'echo', 200, 'ok'],
          ['initialize', null, 200, 'ok'],
        ],
      );
      const one = await read(`${path}/requests/${good.id}`);
      assert.deepEqual(one, items[1]);
      assert.equal(one.actorId, user.id);
      assert.equal(one.actorName, 'uma@example.com');
      assert.deepEqual([one.clientName, one.clientVersion, one.protocolVersion], ['probe', '1.2', '2025-06-18']);
      assert.ok(one.durationMicroseconds > 0 && one.requestBytes > 0 && one.responseBytes > 0);
      assert.equal(items[0].errorCode, -31502);
    });

    test('a client of a revision without a version header is recorded with the revision of its session', async () => {
      const { url, path } = await create('headerless');
      const headers = { authorization: `Bearer ${user.key}`, 'content-type': 'application/json', accept: '*/*' };
      const clientInfo = { name: 'early', version: '1' };
      const send = (method: string, params: object, session?: string | null) => {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
        return fetch(url, {
          method: 'POST',
          headers: { ...headers, ...(session && { 'mcp-session-id': session }) },
          body,
        });
      };
      const opened = await send('initialize', { protocolVersion: '2025-03-26', capabilities: {}, clientInfo });
      await send('tools/call', { name: 'echo' }, opened.headers.get('mcp-session-id'));
      const { items } = await read(`${path}/requests`);
      assert.deepEqual(
        items.map(({ protocolVersion }: { protocolVersion: string }) => protocolVersion),
        ['2025-03-26', '2025-03-26'],
      );
      assert.equal((await read(`${path}/sessions`)).items[0].protocolVersion, '2025-03-26');
    });

    test('no answer contains a key, the id of a key or the content of messages', async () => {
      const { url, path } = await create('discreet');
      const client = await connectMcpClient(url, user.key);
      const { id } = await client.call('tools/call', { name: 'echo', arguments: { text: 'secret argument' } });
      await server.recordsWritten();
      const keys = (await user.get('/me/api-keys')).body.items as { id: string }[];
      const secrets = [user.key, user.key.slice(4, 20), 'secret argument', 'secret result', 'of-the-upstream'];
      for (const view of [
        'requests',
        `requests/${id}`,
        'requests/histogram',
        'usage?groupBy=owner',
        'sessions',
        'clients',
      ]) {
        const { text, status } = await admin.get(`${path}/${view}`);
        assert.equal(status, 200, text);
        for (const secret of [...secrets, ...keys.map((key) => key.id)]) assert.ok(!text.includes(secret), view);
      }
    });

    test('a call that the policy denies is recorded as denied', async () => {
      const { url, path } = await create('narrow');
      const rules = [{ role: 'viewer', capability: 'tool', pattern: 'read_*', effect: 'allow' }];
      assert.equal((await admin.put(`${path}/policy`, { rules })).status, 200);
      const client = await connectMcpClient(url, user.key);
      await client.call('tools/call', { name: 'read_all' });
      await client.call('tools/call', { name: 'delete_all' });
      const { items } = await read(`${path}/requests?errors=true`);
      assert.deepEqual(
        items.map(({ capability, outcome, decision, status }: Record<string, unknown>) => [
          capability,
          outcome,
          decision,
          status,
        ]),
        [['delete_all', 'denied', 'denied', 403]],
      );
    });

    test('each filter finds exactly the matching requests', async () => {
      const { url, path } = await create('filtered');
      const client = await connectMcpClient(url, user.key, 'first');
      await client.call('tools/call', { name: 'echo' });
      await client.call('tools/call', { name: 'break' });
      const other = await connectMcpClient(url, admin.key, 'second');
      await other.call('tools/call', { name: 'echo' });
      const all = (await read(`${path}/requests`)).items;
      assert.equal(all.length, 5);
      const count = async (query: string) => (await read(`${path}/requests?${query}`)).items.length;
      const echo = all.find((item: { capability: string }) => item.capability === 'echo');
      assert.deepEqual(
        await Promise.all(
          [
            `actorId=${user.id}`,
            'method=initialize',
            'capability=echo',
            'status=5xx',
            'status=4xx',
            'decision=allowed',
            'decision=denied',
            'outcome=failed',
            'errors=true',
            'errors=false',
            'client=second',
            `session=${echo.sessionId}`,
            `since=${all[2].occurredAt}`,
            `until=${all[2].occurredAt}`,
            `since=${all[3].occurredAt}&until=${all[1].occurredAt}&capability=break`,
          ].map(count),
        ),
        [3, 2, 2, 1, 0, 5, 0, 1, 1, 5, 2, 2, 3, 2, 1],
      );
    });

    test('pages follow each other without a gap', async () => {
      const { url, path } = await create('paged');
      const client = await connectMcpClient(url, user.key);
      for (let call = 0; call < 6; call++) await client.call('tools/call', { name: `tool-${call}` });
      const seen: string[] = [];
      for (let cursor = ''; ; ) {
        const { items, meta } = await read(`${path}/requests?limit=2&method=tools/call${cursor}`);
        seen.push(...items.map((item: { capability: string }) => item.capability));
        if (meta.nextCursor === null) break;
        cursor = `&cursor=${meta.nextCursor}`;
      }
      assert.deepEqual(seen, ['tool-5', 'tool-4', 'tool-3', 'tool-2', 'tool-1', 'tool-0']);
    });

    test('a session shows its owner, its client, its revision and its requests', async () => {
      const { url, path } = await create('sessions');
      const client = await connectMcpClient(url, user.key, 'editor');
      await client.call('tools/call', { name: 'echo' });
      await server.recordsWritten();
      await client.call('tools/call', { name: 'break' });
      await client.call('tools/list');
      await connectMcpClient(url, admin.key, 'other');
      const { items } = await read(`${path}/sessions`);
      assert.deepEqual(
        items.map((item: { clientName: string }) => item.clientName),
        ['other', 'editor'],
      );
      const one = await read(`${path}/sessions/${items[1].id}`);
      assert.deepEqual(one, items[1]);
      const { id, firstActivityAt, lastActivityAt, ...rest } = one;
      assert.deepEqual(rest, {
        actorType: 'user',
        actorId: user.id,
        actorName: 'uma@example.com',
        clientName: 'editor',
        clientVersion: '1.2',
        protocolVersion: '2025-06-18',
        requests: 4,
        toolCalls: 2,
        errors: 1,
      });
      const requests = (await read(`${path}/requests?session=${id}`)).items;
      assert.deepEqual([requests.at(-1).occurredAt, requests[0].occurredAt], [firstActivityAt, lastActivityAt]);
      assert.equal((await read(`${path}/sessions?actorId=${admin.id}`)).items.length, 1);
      assert.equal((await read(`${path}/sessions?client=editor`)).items.length, 1);
    });

    test('a name that a database cannot store is recorded without the invalid part, and delays no other record', async () => {
      const { url, path } = await create('odd');
      const client = await connectMcpClient(url, user.key);
      await client.call('tools/call', { name: 'nul\0 half\ud800' });
      await client.call('tools/call', { name: `${'x'.repeat(499)}😀` });
      await client.call('tools/call', { name: 'echo' });
      const { items } = await read(`${path}/requests?method=tools/call`);
      assert.deepEqual(
        items.map((item: { capability: string }) => item.capability),
        ['echo', `${'x'.repeat(499)}\ufffd`, 'nul half\ufffd'],
      );
    });

    test('viewers and strangers cannot read it, and another server does not contain it', async () => {
      const { url, path } = await create('guarded');
      const client = await connectMcpClient(url, user.key);
      const { id } = await client.call('tools/call', { name: 'echo' });
      const session = (await read(`${path}/sessions`)).items[0].id;
      const elsewhere = (await create('elsewhere')).path;
      const views = ['requests', 'requests/histogram', 'usage?groupBy=day', 'sessions', 'clients'];
      for (const view of [...views, `requests/${id}`, `sessions/${session}`]) {
        assert.equal((await user.get(`${path}/${view}`)).status, 403, view);
      }
      await admin.put(`${path}/grants/${user.id}`, { role: 'editor' });
      for (const view of [...views, `requests/${id}`, `sessions/${session}`]) {
        assert.equal((await user.get(`${path}/${view}`)).status, 200, view);
      }
      assert.equal((await user.get('/organizations/default/usage?groupBy=owner')).status, 403);
      for (const view of [`requests/${id}`, `sessions/${session}`]) {
        assert.equal((await admin.get(`${elsewhere}/${view}`)).status, 404, view);
      }
      assert.deepEqual((await read(`${elsewhere}/requests`)).items, []);
      const stranger = await person(server, 'sven@example.com', 'member');
      await stranger.post('/organizations', { name: 'Else', slug: `else-${database}` });
      await admin.delete(`/organizations/default/members/${stranger.id}`);
      for (const view of views) assert.equal((await stranger.get(`${path}/${view}`)).status, 403, view);
    });

    test('an invalid query gets an error that names the field', async () => {
      const { path } = await create('asked');
      for (const [question, field] of [
        ['requests?since=yesterday', 'since'],
        ['requests?since=2026-02-01T00:00:00Z&until=2026-01-01T00:00:00Z', 'since'],
        ['requests?status=6xx', 'status'],
        ['requests?session=x', 'session'],
        ['requests?cursor=x', 'cursor'],
        ['requests/histogram?buckets=201', 'buckets'],
        ['requests/histogram?since=2020-01-01T00:00:00Z', 'since'],
        ['usage', 'groupBy'],
        ['usage?groupBy=key', 'groupBy'],
        ['usage?groupBy=day&cursor=x', 'cursor'],
        ['clients?limit=1000', 'limit'],
      ] as const) {
        const { status, body } = await admin.get(`${path}/${question}`);
        assert.equal(status, 422, question);
        assert.equal(body.error.details[0].field, field, question);
      }
      for (const id of [crypto.randomUUID(), 'x']) {
        const { status } = await admin.get(`${path}/requests/${id}`);
        assert.ok(status === 404 || status === 422, id);
      }
    });

    test('records wait while the database refuses them, and are all stored afterwards', async () => {
      const { url, path } = await create('patient');
      const client = await connectMcpClient(url, user.key);
      await server.recordsWritten();
      const rename = (from: string, to: string) =>
        server.context().transaction((tx) => tx.execute(sql.raw(`alter table ${from} rename to ${to} -- "workspace"`)));
      await rename('mcp_request', 'mcp_request_away');
      for (let call = 0; call < 5; call++) {
        assert.equal((await client.call('tools/call', { name: `tool-${call}` })).status, 200);
      }
      await server.recordsWritten();
      await rename('mcp_request_away', 'mcp_request');
      const { items } = await read(`${path}/requests?method=tools/call`);
      assert.equal(items.length, 5);
      assert.equal((await read(`${path}/sessions`)).items[0].requests, 6);
    });
  });
}
