import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { callTool, send, servingUrl, startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { fetchOnce, OAuthClient, Visitor } from '../../../test/support/oauth-client.ts';
import { letUsesAge } from '../../../test/support/oauth-tokens.ts';
import { callerWith, joinByInvitation } from '../../../test/support/platform.ts';
import { databasesOfRun, type TestServer } from '../../../test/support/server.ts';
import { createKey, createOperatorContext } from '../operator/operator.ts';
import { changePassword, removeUser } from '../operator/users.ts';

const email = 'bob@example.com';
const password = 'correct horse battery';

function operator({ server }: TestServer) {
  return createOperatorContext(server.store, server.clock.now(), server);
}

async function keyOf(server: TestServer, user: string): Promise<string> {
  return (await createKey(operator(server).change, { user }, { descriptor: 'test' })).secret;
}

for (const database of databasesOfRun) {
  describe(`MCP clients that a person signs in on ${database}`, () => {
    let gateway: TestGateway;
    let bob: Visitor;
    before(async () => {
      gateway = await startGateway({ database });
      await gateway.register('docs');
      await gateway.register('other');
      await joinByInvitation(gateway.server, gateway.admin, email, password);
      bob = new Visitor();
      await bob.signIn(gateway.origin, email, password);
    });
    after(() => gateway.stop());

    const resourceOf = (slug: string) => gateway.origin + servingUrl(slug);
    const clientFor = (slug: string, redirectUri = 'http://127.0.0.1:43117/callback') =>
      new OAuthClient({ origin: gateway.origin, resource: resourceOf(slug), redirectUri });
    const signedIn = async (slug = 'docs') => {
      const client = clientFor(slug);
      await client.register();
      const answer = await client.exchange(await client.codeFor(bob));
      assert.equal(answer.status, 200, answer.text);
      return { client, tokens: answer.body as { access_token: string; refresh_token: string; scope: string } };
    };

    test('a client finds the way by the address of a server alone, and calls a tool', async () => {
      const refused = await send(gateway, 'docs', callTool('search'));
      assert.equal(refused.status, 401);
      const challenge = String(refused.headers['www-authenticate']);
      const metadataUrl = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';
      assert.equal(metadataUrl, `${gateway.origin}/.well-known/oauth-protected-resource${servingUrl('docs')}`);
      const resource = (await fetchOnce(metadataUrl)).body;
      assert.equal(resource.resource, resourceOf('docs'));
      const [issuer] = resource.authorization_servers;
      const metadata = (await fetchOnce(`${issuer}/.well-known/oauth-authorization-server`)).body;
      assert.equal(metadata.issuer, issuer);
      assert.deepEqual(metadata.code_challenge_methods_supported, ['S256']);
      const client = clientFor('docs');
      const registered = await client.register();
      assert.equal(registered.status, 201, registered.text);
      const { address, page } = await client.begin(bob);
      assert.equal(page.status, 200, page.text);
      for (const text of ['Test client', 'docs', email, 'a program on this computer']) {
        assert.ok(page.text.includes(text), text);
      }
      const policy = page.headers.get('content-security-policy') ?? '';
      assert.match(policy, /form-action 'self' http:\/\/127\.0\.0\.1:43117;/);
      assert.match(policy, /frame-ancestors 'none'/);
      const back = await client.decide(bob, address);
      assert.equal(back.searchParams.get('iss'), issuer);
      const answer = await client.exchange(back.searchParams.get('code') ?? '');
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.body.token_type, 'Bearer');
      assert.equal(answer.body.scope, 'mcp:read mcp:call');
      const called = await send(gateway, 'docs', callTool('search'), { key: answer.body.access_token });
      assert.equal(called.status, 200, called.text);
      assert.deepEqual(gateway.upstream.called().at(-1), 'search');
    });

    test('a token is for one server, and the access of its person as it is now', async () => {
      const { tokens } = await signedIn();
      const key = tokens.access_token;
      assert.equal((await send(gateway, 'other', callTool('search'), { key })).status, 401);
      assert.equal((await send(gateway, 'nowhere', callTool('search'), { key })).status, 401);
      const me = await fetchOnce(`${gateway.origin}/api/v0/me`, { headers: { authorization: `Bearer ${key}` } });
      assert.equal(me.status, 401);
      await gateway.admin.patch('/organizations/default/servers/docs', { defaultRole: null });
      assert.equal((await send(gateway, 'docs', callTool('search'), { key })).status, 403);
      await gateway.admin.patch('/organizations/default/servers/docs', {
        defaultRole: 'viewer',
        authentication: 'keys',
      });
      const keysOnly = await send(gateway, 'docs', callTool('search'), { key });
      assert.equal(keysOnly.status, 401);
      assert.doesNotMatch(String(keysOnly.headers['www-authenticate']), /resource_metadata/);
      await gateway.admin.patch('/organizations/default/servers/docs', { authentication: 'platform' });
      assert.equal((await send(gateway, 'docs', callTool('search'), { key })).status, 200);
    });

    test('a person sees the connected clients and ends one, and nobody else can', async () => {
      const { tokens } = await signedIn();
      const bobs = callerWith(gateway.server, await keyOf(gateway.server, email));
      const { items } = (await bobs.get('/me/connections')).body;
      const { id, clientName, server, scopes } = items.at(-1);
      assert.deepEqual([clientName, server.slug, scopes], ['Test client', 'docs', ['mcp:read', 'mcp:call']]);
      assert.ok(!JSON.stringify(items).includes(tokens.access_token));
      assert.equal((await gateway.admin.delete(`/me/connections/${id}`)).status, 404);
      const use = () => send(gateway, 'docs', callTool('search'), { key: tokens.access_token });
      assert.equal((await use()).status, 200);
      assert.equal((await bobs.delete(`/me/connections/${id}`)).status, 204);
      assert.equal((await use()).status, 401);
    });

    test('each end of access ends the clients of the person', async () => {
      const ends: readonly [string, (person: { id: string; email: string }) => Promise<unknown>][] = [
        ['suspension', ({ id }) => gateway.admin.post(`/users/${id}/suspend`)],
        ['removal from the organization', ({ id }) => gateway.admin.delete(`/organizations/default/members/${id}`)],
        ['removal of the account', (person) => removeUser(operator(gateway.server), person.email)],
        [
          'another password',
          (person) => changePassword(operator(gateway.server), person.email, 'another horse battery'),
        ],
      ];
      for (const [index, [name, end]] of ends.entries()) {
        const person = { email: `carol-${index}@example.com`, id: '' };
        const joined = await joinByInvitation(gateway.server, gateway.admin, person.email, password);
        person.id = joined.body.user.id;
        const visitor = new Visitor();
        await visitor.signIn(gateway.origin, person.email, password);
        const client = clientFor('docs');
        await client.register();
        const { access_token, refresh_token } = (await client.exchange(await client.codeFor(visitor))).body;
        assert.equal((await send(gateway, 'docs', callTool('search'), { key: access_token })).status, 200, name);
        await end(person);
        assert.equal((await send(gateway, 'docs', callTool('search'), { key: access_token })).status, 401, name);
        assert.equal((await client.refresh(refresh_token)).body.error, 'invalid_grant', name);
      }
    });

    test('a refresh token is used once, and a late second use ends the connection', async () => {
      const { client, tokens } = await signedIn();
      const next = await client.refresh(tokens.refresh_token);
      assert.equal(next.status, 200, next.text);
      assert.equal((await send(gateway, 'docs', callTool('search'), { key: next.body.access_token })).status, 200);
      await letUsesAge(gateway.server);
      const again = await client.refresh(tokens.refresh_token);
      assert.equal(again.status, 400);
      assert.equal(again.body.error, 'invalid_grant');
      for (const key of [tokens.access_token, next.body.access_token]) {
        assert.equal((await send(gateway, 'docs', callTool('search'), { key })).status, 401);
      }
      assert.equal((await client.refresh(next.body.refresh_token)).body.error, 'invalid_grant');
    });
  });
}
