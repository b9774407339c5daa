/** What the authorization server refuses, by the part of the protocol that is attacked. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { callTool, send, servingUrl, startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import {
  fetchOnce,
  newPkce,
  OAuthClient,
  type Parameters,
  type Sent,
  Visitor,
} from '../../../test/support/oauth-client.ts';
import { letUsesAge } from '../../../test/support/oauth-tokens.ts';
import { joinByInvitation } from '../../../test/support/platform.ts';
import { databases } from '../../../test/support/server.ts';

const email = 'bob@example.com';
const password = 'correct horse battery';
const redirectUri = 'http://127.0.0.1:43117/callback';

for (const database of databases) {
  describe(`attacks on the sign-in of MCP clients on ${database}`, () => {
    let gateway: TestGateway;
    let bob: Visitor;
    let client: OAuthClient;
    let other: OAuthClient;
    before(async () => {
      gateway = await startGateway({ database });
      await gateway.register('docs');
      await gateway.register('other');
      await gateway.register('closed', { defaultRole: null });
      await gateway.register('hidden', { defaultRole: null, visibility: 'concealed' });
      await gateway.register('keys', { authentication: 'keys' });
      await joinByInvitation(gateway.server, gateway.admin, email, password);
      bob = new Visitor();
      await bob.signIn(gateway.origin, email, password);
      client = clientOf('docs');
      other = clientOf('docs');
      for (const one of [client, other]) assert.equal((await one.register()).status, 201);
    });
    after(() => gateway.stop());

    const resourceOf = (slug: string) => gateway.origin + servingUrl(slug);
    const clientOf = (slug: string) =>
      new OAuthClient({ origin: gateway.origin, resource: resourceOf(slug), redirectUri });
    const use = (key: string, slug = 'docs') => send(gateway, slug, callTool('search'), { key });

    /** The browser stays here and shows the error: it must not be sent to an address that was not proved. */
    const assertShown = (answer: Sent, name: string) => {
      assert.equal(answer.headers.get('location'), null, name);
      assert.ok(answer.status >= 400 && answer.status < 500, `${name}: ${answer.status}`);
      assert.match(answer.text, /Sign-in failed/, name);
      assert.match(answer.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/, name);
    };

    test('a browser is never sent to an address that the client did not register', async () => {
      const wrong: Record<string, Parameters> = {
        'another host': { redirect_uri: 'https://evil.example/callback' },
        'another path': { redirect_uri: 'http://127.0.0.1:43117/other' },
        'a host that begins like the loopback': { redirect_uri: 'http://127.0.0.1.evil.example:43117/callback' },
        'a name in front': { redirect_uri: 'http://127.0.0.1:43117@evil.example/callback' },
        'another scheme': { redirect_uri: 'https://127.0.0.1:43117/callback' },
        'another loopback name': { redirect_uri: 'http://localhost:43117/callback' },
        'a further query': { redirect_uri: `${redirectUri}?next=https://evil.example` },
        'a path that climbs': { redirect_uri: `${redirectUri}/../evil` },
        'no address': { redirect_uri: undefined },
        'no client': { client_id: undefined },
        'an unknown client': { client_id: 'unknown' },
        'a client on this machine': { client_id: 'https://127.0.0.1:1/client.json' },
      };
      for (const [name, replaced] of Object.entries(wrong)) {
        assertShown(await bob.open(client.authorizationUrl(replaced)), name);
      }
    });

    test('an authorization without PKCE, for no server or for two, is refused to the client', async () => {
      const elsewhere = 'invalid_target';
      const wrong: Record<string, [Parameters, string]> = {
        'no challenge': [{ code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
        'a plain challenge': [{ code_challenge_method: 'plain' }, 'invalid_request'],
        'a challenge without a method': [{ code_challenge_method: undefined }, 'invalid_request'],
        'a method without a challenge': [{ code_challenge: undefined }, 'invalid_request'],
        'a short challenge': [{ code_challenge: 'short' }, 'invalid_request'],
        'no response type': [{ response_type: undefined }, 'invalid_request'],
        'a token at once': [{ response_type: 'token' }, 'unsupported_response_type'],
        'an identity token': [{ response_type: 'code id_token' }, 'unsupported_response_type'],
        'a request object': [{ request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
        'a request from elsewhere': [{ request_uri: 'https://evil.example/r' }, 'request_uri_not_supported'],
        'a registration of its own': [{ registration: '{}' }, 'registration_not_supported'],
        'no person': [{ prompt: 'none' }, 'login_required'],
        'no server': [{ resource: undefined }, elsewhere],
        'a foreign server': [{ resource: 'https://evil.example/servers/default/docs/mcp' }, elsewhere],
        'the whole origin': [{ resource: gateway.origin }, elsewhere],
        'the platform': [{ resource: `${gateway.origin}/api/v0` }, elsewhere],
        'a server with a query': [{ resource: `${resourceOf('docs')}?x=1` }, elsewhere],
        'a server with a fragment': [{ resource: `${resourceOf('docs')}#x` }, elsewhere],
      };
      for (const [name, [replaced, error]] of Object.entries(wrong)) {
        const answer = await bob.open(client.authorizationUrl(replaced));
        const back = new URL(answer.headers.get('location') ?? `http://nowhere/?${name}`);
        assert.equal(back.origin + back.pathname, redirectUri, name);
        // Where the client asked for a token at once, the answer is in the fragment.
        const told = back.hash === '' ? back.searchParams : new URLSearchParams(back.hash.slice(1));
        assert.equal(told.get('error'), error, name);
        assert.equal(told.get('state'), client.state, name);
        assert.equal(told.get('iss'), gateway.origin, name);
        assert.equal(told.get('code'), null, name);
      }
      const two = `${client.authorizationUrl()}&resource=${encodeURIComponent(resourceOf('other'))}`;
      assert.match((await bob.open(two)).headers.get('location') ?? '', /error=invalid_target/);
    });

    test('only the browser that began a sign-in can allow it, and only a form of its page', async () => {
      const { address, page } = await client.begin(bob);
      assert.equal(page.status, 200);
      const stranger = new Visitor();
      assert.match((await stranger.open(address)).headers.get('location') ?? '', /\/sign-in\?/);
      await joinByInvitation(gateway.server, gateway.admin, 'eve@example.com', password);
      await stranger.signIn(gateway.origin, 'eve@example.com', password);
      assert.equal((await stranger.open(address)).status, 410, 'mix-up');
      await stranger.open(`${gateway.origin}/signed-in`);
      assert.equal((await stranger.post(address, { decision: 'allow' })).status, 410);
      const allow = { decision: 'allow' };
      assert.equal((await bob.post(address, { ...allow, csrf_token: 'x' })).status, 403);
      assert.equal((await bob.post(address, allow, { origin: 'https://evil.example' })).status, 403);
      assert.equal((await bob.post(address, allow, { 'sec-fetch-site': 'cross-site' })).status, 403);
      assert.equal((await bob.open(`${gateway.origin}/oauth/consent/unknown`)).status, 410);
      const resume = address.replace('/oauth/consent/', '/oauth/authorize/');
      assertShown(await stranger.open(resume), 'another browser goes on');
      const again = await bob.open(resume);
      assert.match(again.headers.get('location') ?? '', /\/oauth\/consent\//, 'nothing was allowed yet');
    });

    test('a key and a service account pass no consent page', async () => {
      const { address } = await client.begin(bob);
      const created = await gateway.admin.post('/organizations/default/service-accounts', { name: `ci-${database}` });
      for (const key of [gateway.admin.key, created.body.secret]) {
        const headers = { authorization: `Bearer ${key}`, origin: gateway.origin, 'sec-fetch-site': 'same-origin' };
        assert.match((await fetchOnce(address, { headers })).headers.get('location') ?? '', /\/sign-in\?/);
        const body = new URLSearchParams({ decision: 'allow' });
        const posted = await fetchOnce(address, { method: 'POST', headers, body });
        assert.match(posted.headers.get('location') ?? '', /\/sign-in\?/);
      }
    });

    test('a person cannot connect a server without access to it, and learns nothing about hidden ones', async () => {
      const pages: Record<string, number> = { closed: 403, keys: 403, hidden: 404, nowhere: 404 };
      const texts = new Map<string, string>();
      for (const [slug, status] of Object.entries(pages)) {
        const { address, page } = await client.begin(bob, { resource: resourceOf(slug) });
        assert.equal(page.status, status, slug);
        texts.set(slug, page.text);
        assert.equal((await bob.post(address, { decision: 'allow' })).status, status, slug);
      }
      assert.equal(texts.get('hidden'), texts.get('nowhere'));
      const path = `${gateway.origin}/.well-known/oauth-protected-resource`;
      assert.equal((await fetchOnce(path + servingUrl('keys'))).status, 404);
      for (const slug of ['hidden', 'nowhere']) {
        assert.equal((await fetchOnce(path + servingUrl(slug))).body.resource, resourceOf(slug));
      }
    });

    test('a refusal of the person brings no code', async () => {
      const { address } = await client.begin(bob);
      const back = await client.decide(bob, address, 'deny');
      assert.equal(back.searchParams.get('error'), 'access_denied');
      assert.equal(back.searchParams.get('code'), null);
      assert.equal((await bob.post(address, { decision: 'allow' })).status, 410, 'decided once');
    });

    test('a code is exchanged by its client alone, for its server, with its verifier', async () => {
      const code = await client.codeFor(bob);
      const wrong: Record<string, Parameters> = {
        'another verifier': { code_verifier: newPkce().verifier },
        'no verifier': { code_verifier: undefined },
        'a short verifier': { code_verifier: 'short' },
        'another client': { client_id: other.clientId },
        'an unknown client': { client_id: 'unknown' },
        'no client': { client_id: undefined },
        'another address': { redirect_uri: 'http://127.0.0.1:43118/callback' },
        'no address': { redirect_uri: undefined },
        'another server': { resource: resourceOf('other') },
        'another code': { code: `${code}x` },
        'no code': { code: undefined },
      };
      for (const [name, replaced] of Object.entries(wrong)) {
        const fresh = replaced['code'] === undefined && name !== 'no code' ? await client.codeFor(bob) : code;
        const answer = await client.exchange(fresh, replaced);
        assert.ok(answer.status === 400 || answer.status === 401, `${name}: ${answer.status} ${answer.text}`);
        assert.equal(answer.body.access_token, undefined, name);
      }
    });

    test('a code that is used twice ends what it brought', async () => {
      const code = await client.codeFor(bob);
      const first = await client.exchange(code);
      assert.equal((await use(first.body.access_token)).status, 200);
      assert.equal((await client.exchange(code)).body.error, 'invalid_grant');
      assert.equal((await use(first.body.access_token)).status, 401);
      assert.equal((await client.refresh(first.body.refresh_token)).body.error, 'invalid_grant');
    });

    test('a refresh token that is used again late ends what it brought', async () => {
      const first = await client.exchange(await client.codeFor(bob));
      const second = await client.refresh(first.body.refresh_token);
      assert.equal((await use(second.body.access_token)).status, 200);
      await letUsesAge(gateway.server);
      assert.equal((await client.refresh(first.body.refresh_token)).body.error, 'invalid_grant');
      assert.equal((await use(second.body.access_token)).status, 401);
      assert.equal((await client.refresh(second.body.refresh_token)).body.error, 'invalid_grant');
    });

    test('of many uses of one code at once, at most one succeeds', async () => {
      const code = await client.codeFor(bob);
      const exchanged = await Promise.all(Array.from({ length: 8 }, () => client.exchange(code)));
      assert.ok(exchanged.filter(({ status }) => status === 200).length <= 1);
    });

    test('of many uses of one refresh token at once, each gets tokens, and those of one family end together', async () => {
      const { refresh_token } = (await client.exchange(await client.codeFor(bob))).body;
      const refreshed = await Promise.all(Array.from({ length: 8 }, () => client.refresh(refresh_token)));
      for (const { status, text, body } of refreshed) {
        assert.equal(status, 200, text);
        assert.equal((await use(body.access_token)).status, 200);
      }
      assert.equal(new Set(refreshed.map(({ body }) => body.refresh_token)).size, 8);
      assert.equal((await client.refresh(refresh_token)).status, 200, 'a retry after a lost answer');
      const [one, other] = refreshed.map(({ body }) => body);
      assert.equal((await client.refresh(one.refresh_token)).status, 200);
      await letUsesAge(gateway.server);
      assert.equal((await client.refresh(refresh_token)).body.error, 'invalid_grant');
      for (const { access_token } of [one, other]) assert.equal((await use(access_token)).status, 401);
      assert.equal((await client.refresh(other.refresh_token)).body.error, 'invalid_grant');
    });

    test('a token is no other token, and works nowhere else', async () => {
      const tokens = (await client.exchange(await client.codeFor(bob))).body;
      const { access_token, refresh_token } = tokens;
      assert.equal((await use(refresh_token)).status, 401);
      assert.equal((await use(access_token, 'other')).status, 401);
      assert.equal((await use(access_token, 'nowhere')).status, 401);
      assert.equal((await client.refresh(access_token)).body.error, 'invalid_grant');
      assert.equal((await other.refresh(refresh_token)).body.error, 'invalid_grant');
      const inQuery = await gateway.request('POST', `${servingUrl('docs')}?access_token=${access_token}`, '{}');
      assert.equal(inQuery.status, 401);
      const headers = { authorization: `Bearer ${access_token}` };
      for (const path of ['/api/v0/me', '/api/v0/organizations', '/api/v0/me/connections']) {
        assert.equal((await fetchOnce(gateway.origin + path, { headers })).status, 401, path);
      }
      assert.equal((await use(access_token)).status, 200, 'nothing of this ended it');
      const narrowed = await client.refresh(refresh_token, { resource: resourceOf('other') });
      assert.equal(narrowed.body.error, 'invalid_target');
    });

    test('other grants, other methods and other bodies bring no token', async () => {
      const grants = ['password', 'client_credentials', 'implicit', 'urn:ietf:params:oauth:grant-type:device_code'];
      for (const grant_type of grants) {
        const answer = await client.token({ grant_type, username: email, password });
        assert.equal(answer.body.error, 'unsupported_grant_type', grant_type);
      }
      const address = `${gateway.origin}/oauth/token`;
      assert.equal((await fetchOnce(address)).status, 404);
      const sendBody = (body: string, type: string) =>
        fetchOnce(address, { method: 'POST', body, headers: { 'content-type': type } });
      assert.equal((await sendBody('{"grant_type":"authorization_code"}', 'application/json')).status, 400);
      assert.equal((await sendBody('%', 'application/x-www-form-urlencoded')).status, 400);
      assert.equal((await sendBody('a'.repeat(20_000), 'application/x-www-form-urlencoded')).status, 413);
    });

    test('another client revokes nothing; the own one ends the connection', async () => {
      const { access_token, refresh_token } = (await client.exchange(await client.codeFor(bob))).body;
      const revoke = (one: OAuthClient, token: string) =>
        fetchOnce(`${gateway.origin}/oauth/revoke`, {
          method: 'POST',
          body: new URLSearchParams({ client_id: one.clientId, token }),
        });
      await revoke(other, refresh_token);
      assert.equal((await use(access_token)).status, 200);
      assert.equal((await revoke(client, refresh_token)).status, 200);
      assert.equal((await use(access_token)).status, 401);
    });

    test('a client that may only read is told which scope a call needs', async () => {
      const code = await client.codeFor(bob, { scope: 'mcp:read' });
      const { access_token, scope } = (await client.exchange(code)).body;
      assert.equal(scope, 'mcp:read');
      const called = await use(access_token);
      assert.equal(called.status, 403);
      assert.match(String(called.headers['www-authenticate']), /error="insufficient_scope", scope="mcp:call"/);
      const listed = await send(
        gateway,
        'docs',
        { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        { key: access_token },
      );
      assert.equal(listed.status, 200);
    });
  });
}

describe('attacks on the registration of MCP clients', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.stop());

  const register = (body: unknown) =>
    fetchOnce(`${gateway.origin}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  test('a client with an address that others could read is refused', async () => {
    const wrong = [
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'http://evil.example/callback',
      'http://127.0.0.1.evil.example/callback',
      'https://localhost/callback',
      'https://user:pw@client.example/callback',
      'https://client.example/callback#fragment',
      'https://*.client.example/callback',
      'https://client.example/\n',
      'mailto:bob@example.com',
      'JavaScript:alert(1)//https://a.example',
      'vbscript:x',
      'blob:https://client.example/x',
      'about:blank',
      'view-source:https://client.example/',
      'intent://client.example#Intent;end',
      'chrome://settings',
      'ws://client.example/callback',
      'ftp://client.example/callback',
      'cursor://callback#fragment',
      'cursor://*',
      'http://localhost.evil.example/callback',
      'http://[::2]/callback',
      'http://0.0.0.0/callback',
      'https:\\\\client.example\\callback',
      `https://client.example/${'x'.repeat(500)}`,
      'unknown-app://callback',
      '/callback',
      '',
    ];
    for (const uri of wrong) {
      const answer = await register({ redirect_uris: [uri] });
      assert.equal(answer.status, 400, uri);
      assert.equal(answer.body.error, 'invalid_redirect_uri', uri);
    }
    const bodies = [{}, { redirect_uris: [] }, { redirect_uris: 'https://a.example' }, { redirect_uris: [1] }];
    for (const body of [...bodies, { redirect_uris: Array(21).fill('https://a.example/c') }]) {
      assert.equal((await register(body)).body.error, 'invalid_redirect_uri');
    }
    for (const body of [
      '',
      'x',
      '[]',
      'null',
      { redirect_uris: ['https://a.example/c'], client_name: 'x'.repeat(101) },
    ]) {
      assert.equal((await register(body)).body.error, 'invalid_client_metadata');
    }
    assert.equal((await register({ redirect_uris: ['https://a.example/c'], note: 'x'.repeat(20_000) })).status, 413);
  });

  test('a client gets no secret and nothing that it claims beyond its name and addresses', async () => {
    const answer = await register({
      client_id: 'chosen',
      client_secret: 'chosen',
      client_name: '<b>Claude</b>',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['client_credentials'],
      scope: 'admin',
    });
    assert.equal(answer.status, 201, answer.text);
    assert.notEqual(answer.body.client_id, 'chosen');
    assert.equal(answer.body.client_secret, undefined);
    assert.equal(answer.body.token_endpoint_auth_method, 'none');
    assert.deepEqual(answer.body.grant_types, ['authorization_code', 'refresh_token']);
  });

  test('what a client leaves empty counts as left out', async () => {
    const redirect_uris = ['jetbrains://callback', 'com.raycast:/oauth'];
    const empty = { client_name: '', client_uri: '', logo_uri: '', tos_uri: null, scope: '', jwks_uri: '', jwks: null };
    const answer = await register({ redirect_uris, ...empty, token_endpoint_auth_method: '' });
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual([answer.body.client_name, answer.body.client_uri], [undefined, undefined]);
    assert.equal((await register({ redirect_uris: null })).body.error, 'invalid_redirect_uri');
  });

  test('an address that registers many clients is slowed down', async () => {
    const statuses = new Set<number>();
    for (let count = 0; count < 25; count++) {
      statuses.add((await register({ redirect_uris: ['https://client.example/callback'] })).status);
    }
    assert.deepEqual([...statuses], [201, 429]);
    const { body } = await register({ redirect_uris: ['https://client.example/callback'] });
    assert.equal(body.error, 'temporarily_unavailable');
    assert.match(body.error_description, /./);
  });
});
