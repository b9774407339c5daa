import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ask, callTool, send, servingUrl, startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import type { PlatformCaller } from '../../../test/support/platform.ts';
import { databasesOfRun } from '../../../test/support/server.ts';

const initialize = ask('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
});

for (const database of databasesOfRun) {
  describe(`sessions through the gateway on ${database}`, () => {
    let gateway: TestGateway;
    let ada: PlatformCaller;
    let eve: PlatformCaller;

    before(async () => {
      gateway = await startGateway({ database });
      await gateway.register('open');
      await gateway.register('other');
      [ada, eve] = [await gateway.member('ada@example.com'), await gateway.member('eve@example.com')];
    });
    after(() => gateway.stop());

    const openSession = async (key: string): Promise<string> => {
      const { status, headers } = await send(gateway, 'open', initialize, { key });
      assert.equal(status, 200);
      return String(headers['mcp-session-id']);
    };
    const call = (session: string, key: string, slug = 'open') =>
      send(gateway, slug, callTool('echo'), { key, headers: { 'mcp-session-id': session } });

    test('the client gets a session id from the gateway, and the server sees its own id', async () => {
      const session = await openSession(ada.key);
      assert.match(session, /^[\x21-\x7e]+$/);
      assert.doesNotMatch(session, /upstream-session/);
      const { status } = await call(session, ada.key);
      assert.equal(status, 200);
      assert.equal(gateway.upstream.seen.at(-1)?.headers['mcp-session-id'], 'upstream-session');
    });

    test('sessions of another actor, of another server and unknown ones answer alike and reach no server', async () => {
      const session = await openSession(ada.key);
      const seen = gateway.upstream.seen.length;
      const refused = await Promise.all([
        call(session, eve.key),
        call(session, ada.key, 'other'),
        call('upstream-session', ada.key),
        call(`${session}x`, ada.key),
        call('a', eve.key),
      ]);
      for (const { status, text } of refused) {
        assert.equal(status, 404);
        assert.equal(text, refused[0]?.text);
      }
      for (const method of ['GET', 'DELETE']) {
        const headers = { authorization: `Bearer ${eve.key}`, 'mcp-session-id': session };
        assert.equal((await gateway.request(method, servingUrl('open'), undefined, headers)).status, 404);
      }
      assert.equal(gateway.upstream.seen.length, seen);
    });

    test('a client ends its session', async () => {
      const session = await openSession(ada.key);
      const headers = { authorization: `Bearer ${ada.key}`, 'mcp-session-id': session };
      assert.equal((await gateway.request('DELETE', servingUrl('open'), undefined, headers)).status, 200);
      assert.equal(gateway.upstream.seen.at(-1)?.method, 'DELETE');
      assert.equal(gateway.upstream.seen.at(-1)?.headers['mcp-session-id'], 'upstream-session');
    });

    test("the server's answer about an ended session passes through", async () => {
      const session = await openSession(ada.key);
      gateway.upstream.answerWith((_request, response) =>
        response
          .writeHead(404, { 'content-type': 'application/json' })
          .end('{"jsonrpc":"2.0","error":{"code":-32001}}'),
      );
      const { status, body } = await call(session, ada.key);
      gateway.upstream.answerWith(undefined);
      assert.equal(status, 404);
      assert.equal(body.error.code, -32001);
    });

    test('the stateless revision has no sessions: an id in a header is not forwarded', async () => {
      const meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const { status } = await send(gateway, 'open', ask('tools/list', { _meta: meta }), {
        key: ada.key,
        headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list', 'mcp-session-id': 'anything' },
      });
      assert.equal(status, 200);
      assert.equal(gateway.upstream.seen.at(-1)?.headers['mcp-session-id'], undefined);
    });

    test('notifications and responses of the client are accepted with 202', async () => {
      const session = await openSession(ada.key);
      const headers = { 'mcp-session-id': session };
      for (const body of [
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        { jsonrpc: '2.0', id: 9, result: {} },
      ]) {
        const { status, text } = await send(gateway, 'open', body, { key: ada.key, headers });
        assert.deepEqual({ status, text }, { status: 202, text: '' });
        assert.equal(gateway.upstream.seen.at(-1)?.body, JSON.stringify(body));
      }
    });
  });

  describe(`a hosted server that authenticates its callers on ${database}`, () => {
    let gateway: TestGateway;
    before(async () => {
      gateway = await startGateway({ database });
      const { status, text } = await gateway.register('own', { kind: 'hosted', authentication: 'none' });
      assert.equal(status, 201, text);
    });
    after(() => gateway.stop());

    test('credential, cookie, session, body and answer pass unchanged', async () => {
      gateway.upstream.answerWith((_request, response) =>
        response
          .writeHead(401, {
            'content-type': 'text/plain',
            'www-authenticate': 'Bearer resource_metadata="https://own.example"',
            'set-cookie': ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2'],
            'mcp-session-id': 'its-own',
            'x-anything': 'yes',
          })
          .end('sign in there'),
      );
      const headers = {
        authorization: 'Bearer something-else',
        cookie: 'c=3',
        'mcp-session-id': 'mine',
        'x-custom': 'kept',
        'content-type': 'text/odd',
      };
      const answer = await gateway.request('POST', servingUrl('own'), '{"a":1,"a":2}', headers);
      const seen = gateway.upstream.seen.at(-1);
      for (const [name, value] of Object.entries(headers)) assert.equal(seen?.headers[name], value, name);
      assert.equal(seen?.body, '{"a":1,"a":2}');
      assert.equal(answer.status, 401);
      assert.equal(answer.text, 'sign in there');
      assert.equal(answer.headers['www-authenticate'], 'Bearer resource_metadata="https://own.example"');
      assert.deepEqual(answer.headers['set-cookie'], ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2']);
      assert.equal(answer.headers['mcp-session-id'], 'its-own');
      assert.equal(answer.headers['x-anything'], 'yes');
    });
  });
}
