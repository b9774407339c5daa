import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  ask,
  callTool,
  ORGANIZATION,
  send,
  servingUrl,
  startGateway,
  type TestGateway,
} from '../../../test/support/gateway.ts';
import type { PlatformCaller } from '../../../test/support/platform.ts';
import { type Answer, databases } from '../../../test/support/server.ts';
import { newApiKey } from '../../identity/keys/api-keys.ts';

/** Everything by which a client could distinguish two answers. */
function told({ status, headers, text }: Answer) {
  const { date, 'x-request-id': id, ...kept } = headers;
  return { status, headers: kept, text };
}

for (const database of databases) {
  describe(`access to the servers of the gateway on ${database}`, () => {
    let gateway: TestGateway;
    let member: PlatformCaller & { readonly id: string };

    before(async () => {
      gateway = await startGateway({ database });
      assert.equal((await gateway.register('open')).status, 201);
      assert.equal((await gateway.register('closed', { defaultRole: null })).status, 201);
      assert.equal((await gateway.register('hidden', { defaultRole: null, visibility: 'concealed' })).status, 201);
      member = await gateway.member('member@example.com');
    });
    after(() => gateway.stop());

    const call = (slug: string, key?: string, name = 'echo') => send(gateway, slug, callTool(name), { key });

    test('a call with a key reaches the server, and its answer is returned', async () => {
      const { status, body } = await send(gateway, 'open', callTool('echo', { text: 'hi' }, 'a'), {
        key: member.key,
      });
      assert.equal(status, 200);
      assert.deepEqual(body, {
        jsonrpc: '2.0',
        id: 'a',
        result: { content: [{ type: 'text', text: '{"text":"hi"}' }] },
      });
    });

    test('without a valid key every address answers 401, whether a server exists or not', async () => {
      const [whole = '', other = ''] = [newApiKey().secret, newApiKey().secret];
      const keys = [undefined, '', 'sbx_', whole, whole.slice(0, -1), `${other}0`, member.key.slice(0, -1), 'nonsense'];
      for (const slug of ['open', 'closed', 'hidden', 'nothing']) {
        const metadata = `${gateway.origin}/.well-known/oauth-protected-resource${servingUrl(slug)}`;
        for (const key of keys) {
          const { status, headers } = await call(slug, key);
          assert.equal(status, 401, `${slug} with ${key}`);
          const error = key === undefined ? '' : ', error="invalid_token"';
          const expected = `Bearer realm="signalbox"${error}, resource_metadata="${metadata}", scope="mcp:read mcp:call"`;
          assert.equal(headers['www-authenticate'], expected);
        }
      }
    });

    test('a key in the address or under another scheme gives no access', async () => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify(callTool('echo'));
      const inQuery = `${servingUrl('open')}?access_token=${member.key}&key=${member.key}`;
      assert.equal((await gateway.request('POST', inQuery, body, headers)).status, 401);
      for (const authorization of [`Basic ${btoa(`x:${member.key}`)}`, `Token ${member.key}`, member.key]) {
        assert.equal(
          (await gateway.request('POST', servingUrl('open'), body, { ...headers, authorization })).status,
          401,
        );
      }
    });

    test('an actor without a role gets 403, and 404 where the server is concealed or missing', async () => {
      assert.equal((await call('closed', member.key)).status, 403);
      assert.equal((await call('hidden', member.key)).status, 404);
      assert.equal((await call('nothing', member.key)).status, 404);
      assert.equal((await call('hidden', gateway.admin.key)).status, 200);
    });

    test('a concealed server answers like a missing one', async () => {
      for (const body of [callTool('echo'), ask('tools/list'), 'no json', '']) {
        const hidden = await send(gateway, 'hidden', body, { key: member.key });
        const nothing = await send(gateway, 'nothing', body, { key: member.key });
        assert.deepEqual(told(hidden), told(nothing));
      }
    });

    test('a suspended service account is refused, and regains access when it is resumed', async () => {
      const made = await gateway.admin.post(`${ORGANIZATION}/service-accounts`, { name: 'robot' });
      const { serviceAccount, secret } = made.body;
      const change = (action: string) =>
        gateway.admin.post(`${ORGANIZATION}/service-accounts/${serviceAccount.id}/${action}`);
      assert.equal((await call('open', secret)).status, 200);
      assert.equal((await change('suspend')).status, 200);
      assert.equal((await call('open', secret)).status, 403);
      assert.equal((await change('resume')).status, 200);
      assert.equal((await call('open', secret)).status, 200);
    });

    test('requests of strangers leave no record, however the server recognizes its callers', async () => {
      for (const authentication of ['platform', 'keys']) {
        const slug = `recorded-${authentication}`;
        assert.equal((await gateway.register(slug, { authentication })).status, 201);
        assert.equal((await call(slug)).status, 401);
        assert.equal((await call(slug, newApiKey().secret)).status, 401);
        assert.equal((await call(slug, member.key)).status, 200);
        await gateway.server.recordsWritten();
        const { body } = await gateway.admin.get(`${ORGANIZATION}/servers/${slug}/requests`);
        assert.deepEqual(
          body.items.map(({ status }: { status: number }) => status),
          [200],
        );
      }
    });

    test('a trailing slash leads to the same server', async () => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${member.key}` };
      const answer = await gateway.request(
        'POST',
        '/servers/default/open/mcp/',
        JSON.stringify(callTool('echo')),
        headers,
      );
      assert.equal(answer.status, 200);
    });

    test('another spelling of the address leads to no server', async () => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${member.key}` };
      for (const url of [
        '/servers/default/open',
        '/servers/default/open/mcp//',
        '/servers/default/open/mcp/x',
        '/servers/DEFAULT/open/mcp',
        '/servers/default/o%70en/mcp',
        '/servers//default/open/mcp',
        '/servers/default/x/../open/mcp',
      ]) {
        assert.equal((await gateway.request('POST', url, JSON.stringify(callTool('echo')), headers)).status, 404, url);
      }
    });

    test('methods other than POST, GET and DELETE are refused', async () => {
      for (const method of ['PUT', 'PATCH', 'HEAD', 'OPTIONS']) {
        const { status, headers } = await gateway.request(method, servingUrl('open'), undefined, {
          authorization: `Bearer ${member.key}`,
        });
        assert.equal(status, 405, method);
        assert.equal(headers['allow'], 'GET, POST, DELETE');
      }
    });

    test('pages of other origins and foreign host names are refused', async () => {
      const refused: Record<string, string>[] = [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { host: 'evil.example' },
        { host: 'localhost.evil.example' },
        { host: '127.0.0.1.evil.example' },
      ];
      for (const headers of refused) {
        assert.equal((await send(gateway, 'open', callTool('echo'), { key: member.key, headers })).status, 403);
      }
      const own = { host: 'localhost:4200', origin: 'http://localhost:4200' };
      assert.equal((await send(gateway, 'open', callTool('echo'), { key: member.key, headers: own })).status, 200);
    });

    test('concurrent changes all take effect', async () => {
      assert.equal((await gateway.register('changed')).status, 201);
      const server = `${ORGANIZATION}/servers/changed`;
      const changes = [
        { name: 'Renamed' },
        { defaultRole: null },
        { visibility: 'concealed' },
        { description: 'Said' },
      ];
      const answers = await Promise.all(changes.map((change) => gateway.admin.patch(server, change)));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      const { name, defaultRole, visibility, description } = (await gateway.admin.get(server)).body;
      assert.deepEqual([name, defaultRole, visibility, description], ['Renamed', null, 'concealed', 'Said']);
    });

    test('no refused request reached the server', async () => {
      const before = gateway.upstream.seen.length;
      await call('open');
      await call('closed', member.key);
      await call('hidden', member.key);
      assert.equal(gateway.upstream.seen.length, before);
    });
  });
}
