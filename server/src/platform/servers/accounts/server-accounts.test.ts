import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  callTool,
  ORGANIZATION,
  openStream,
  send,
  servingUrl,
  startGateway,
  type TestGateway,
} from '../../../../test/support/gateway.ts';
import { Visitor } from '../../../../test/support/oauth-client.ts';
import { callerWith, joinByInvitation, type PlatformCaller } from '../../../../test/support/platform.ts';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { platformStatement } from '../../../database/statement.ts';
import { createKey, createOperatorContext } from '../../operator/operator.ts';
import { changePassword } from '../../operator/users.ts';

const SERVERS = `${ORGANIZATION}/servers`;
const email = 'bob@example.com';
const password = 'correct horse battery';

interface Person {
  readonly api: PlatformCaller;
  readonly browser: Visitor;
}

async function join(gateway: TestGateway, address: string): Promise<Person> {
  await joinByInvitation(gateway.server, gateway.admin, address, password);
  const browser = new Visitor();
  await browser.signIn(gateway.origin, address, password);
  return { api: callerWith(gateway.server, await keyOf(gateway.server, address)), browser };
}

async function keyOf({ server }: TestServer, user: string): Promise<string> {
  const context = createOperatorContext(server.store, server.clock.now(), server);
  return (await createKey(context.change, { user }, { descriptor: 'test' })).secret;
}

for (const database of databases) {
  describe(`accounts of people at MCP servers on ${database}`, () => {
    let gateway: TestGateway;
    let bob: Person;
    before(async () => {
      gateway = await startGateway({ database });
      bob = await join(gateway, email);
    });
    after(() => gateway.stop());

    const connectUrl = (slug: string) => `${gateway.origin}/connect/default/${slug}`;
    const call = (slug: string, key = bob.api.key) => send(gateway, slug, callTool('echo'), { key });
    const enterKey = async (person: Person, slug: string, key: string) => {
      assert.equal((await person.browser.open(connectUrl(slug))).status, 200);
      return person.browser.post(connectUrl(slug), { key });
    };

    describe('with keys', () => {
      before(async () => {
        const personalCredential = { kind: 'key', header: 'X-API-Key', prefix: '', help: 'Ask the registry.' };
        const { status, text } = await gateway.register('crm', { personalCredential });
        assert.equal(status, 201, text);
      });

      test('each person is refused until they enter a key, which goes to the server with their requests only', async () => {
        const refused = await call('crm');
        assert.equal(refused.status, 403);
        assert.ok(refused.body.error.message.includes(connectUrl('crm')), refused.text);
        const page = await bob.browser.open(connectUrl('crm'));
        assert.match(page.text, /Ask the registry\./);
        assert.equal((await enterKey(bob, 'crm', 'not a\nkey')).status, 422);
        assert.equal((await enterKey(bob, 'crm', 'key-of-bob')).status, 200);
        assert.equal((await call('crm')).status, 200);
        const { headers } = gateway.upstream.seen.at(-1)!;
        assert.deepEqual([headers['x-api-key'], headers.authorization], ['key-of-bob', undefined]);
        const carol = await join(gateway, 'carol@example.com');
        assert.equal((await call('crm', carol.api.key)).status, 403);
        await enterKey(carol, 'crm', 'key-of-carol');
        assert.equal((await call('crm', carol.api.key)).status, 200);
        assert.equal(gateway.upstream.seen.at(-1)!.headers['x-api-key'], 'key-of-carol');
        const told = await Promise.all([
          bob.api.get(`${SERVERS}/crm/account`),
          bob.api.get('/me/server-accounts'),
          gateway.admin.get(`${SERVERS}/crm`),
          gateway.admin.get(`${ORGANIZATION}/audit?limit=200`),
          bob.browser.open(connectUrl('crm')),
        ]);
        assert.deepEqual(
          told.map(({ status }) => status),
          [200, 200, 200, 200, 200],
        );
        assert.equal(told[0].body.state, 'connected');
        assert.ok(!told.some(({ text }) => text.includes('key-of-')));
        assert.match(told[3].text, /server_account\.connect/);
      });

      test('a key of Signalbox connects no account, and a service account learns what to do instead', async () => {
        const byKey = await bob.api.put(`${SERVERS}/crm/account`, { key: 'another' });
        assert.equal(byKey.status, 403);
        const { body } = await gateway.admin.post(`${ORGANIZATION}/service-accounts`, { name: 'robot' });
        const robot = callerWith(gateway.server, body.secret);
        assert.match(
          (await robot.put(`${SERVERS}/crm/account`, { key: 'a' })).body.error.message,
          /external\.credential/,
        );
        const refused = await call('crm', body.secret);
        assert.equal(refused.status, 403);
        assert.match(refused.body.error.message, /A service account|a service account/);
        await gateway.register('shared', {
          external: { url: gateway.upstream.url, credential: { kind: 'bearer', secret: 'for-all' } },
          personalCredential: { kind: 'key', header: 'x-api-key', prefix: '' },
        });
        assert.equal((await call('shared', body.secret)).status, 200);
        assert.equal(gateway.upstream.seen.at(-1)!.headers.authorization, 'Bearer for-all');
        assert.equal((await call('shared')).status, 403);
        await enterKey(bob, 'shared', 'key-of-bob');
        assert.equal((await call('shared')).status, 200);
        assert.equal(gateway.upstream.seen.at(-1)!.headers.authorization, undefined);
      });

      test('who disconnects is refused at the next request, and streams end', async () => {
        await enterKey(bob, 'crm', 'key-of-bob');
        const streams = gateway.upstream.streams.length;
        const stream = await openStream(gateway, 'crm', { key: bob.api.key });
        await gateway.upstream.streaming(streams + 1);
        assert.equal((await bob.api.delete(`${SERVERS}/crm/account`)).status, 204);
        assert.equal((await call('crm')).status, 403);
        await stream.ended;
        assert.equal((await bob.api.delete(`${SERVERS}/crm/account`)).status, 404);
      });

      test('an administrator sees who has connected an account, and ends it', async () => {
        await enterKey(bob, 'crm', 'key-of-bob');
        const { body, text } = await gateway.admin.get(`${SERVERS}/crm/accounts?limit=200`);
        const own = body.items.find((one: { email: string }) => one.email === email);
        assert.deepEqual([own.kind, own.state, own.problem], ['key', 'connected', null]);
        assert.ok(!text.includes('key-of-'));
        const account = `${SERVERS}/crm/accounts/${own.userId}`;
        assert.equal((await bob.api.get(`${SERVERS}/crm/accounts`)).status, 403);
        assert.equal((await bob.api.delete(account)).status, 403);
        assert.equal((await call('crm')).status, 200);
        assert.equal((await gateway.admin.delete(account)).status, 204);
        assert.equal((await call('crm')).status, 403);
        assert.equal((await gateway.admin.delete(account)).status, 404);
        const { items } = (await gateway.admin.get(`${ORGANIZATION}/audit?limit=5`)).body;
        assert.deepEqual([items[0].action, items[0].details], ['server_account.disconnect', { userId: own.userId }]);
      });

      test('a password that an operator sets ends what was connected before', async () => {
        const dora = await join(gateway, 'dora@example.com');
        await enterKey(dora, 'crm', 'key-of-an-intruder');
        const { server } = gateway.server;
        const context = createOperatorContext(server.store, server.clock.now(), server);
        await changePassword(context, 'dora@example.com', 'another horse battery');
        assert.equal((await call('crm', await keyOf(gateway.server, 'dora@example.com'))).status, 403);
      });

      test('a server that moves to another place gets no key that was entered for the earlier one', async () => {
        await gateway.register('moving', { personalCredential: { kind: 'key' } });
        await enterKey(bob, 'moving', 'key-of-bob');
        await gateway.admin.patch(`${SERVERS}/moving`, { name: 'Moving soon' });
        assert.equal((await call('moving')).status, 200);
        const url = gateway.upstream.url.replace('127.0.0.1', 'localhost');
        await gateway.admin.patch(`${SERVERS}/moving`, { external: { url } });
        assert.equal((await call('moving')).status, 403);
      });

      test('a remix uses the account at its source, and its error names the source', async () => {
        await gateway.register('notes', { personalCredential: { kind: 'key' } });
        const remix = { sources: [{ server: 'notes', tools: [{ name: 'echo' }] }] };
        const made = await gateway.admin.post(SERVERS, {
          slug: 'mixed',
          name: 'mixed',
          kind: 'remix',
          defaultRole: 'viewer',
          remix,
        });
        assert.equal(made.status, 201, made.text);
        const initial = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
        const opened = await send(
          gateway,
          'mixed',
          { jsonrpc: '2.0', id: 1, method: 'initialize', params: initial },
          { key: bob.api.key },
        );
        const given = { key: bob.api.key, headers: { 'mcp-session-id': String(opened.headers['mcp-session-id']) } };
        const refused = await send(gateway, 'mixed', callTool('echo'), given);
        assert.match(refused.text, /notes.*\/connect\/default\/notes/);
        await enterKey(bob, 'notes', 'key-of-bob');
        const done = await send(gateway, 'mixed', callTool('echo'), given);
        assert.equal(done.status, 200, done.text);
        assert.equal(gateway.upstream.seen.at(-1)!.headers.authorization, 'Bearer key-of-bob');
      });

      test('settings with which no credential could arrive are refused with the field', async () => {
        const wrong = [
          { kind: 'remix', remix: { sources: [] }, external: undefined, personalCredential: { kind: 'key' } },
          { kind: 'hosted', hosted: { transport: 'stdio' }, personalCredential: { kind: 'key' } },
          { kind: 'hosted', authentication: 'none', personalCredential: { kind: 'key' } },
          { kind: 'hosted', personalCredential: { kind: 'oauth' } },
          { personalCredential: { kind: 'key', header: 'Host' } },
        ];
        for (const fields of wrong) {
          const { status, body, text } = await gateway.register('wrong', fields);
          assert.equal(status, 422, text);
          assert.match(body.error.details[0].field, /^personalCredential/);
        }
      });
    });

    describe('with a sign-in at another server', () => {
      let other: TestGateway;
      let bobThere: Person;
      before(async () => {
        other = await startGateway({ database });
        await other.register('docs');
        bobThere = await join(other, email);
        const url = other.origin + servingUrl('docs');
        const { status, text } = await gateway.register('docs', { personalCredential: { kind: 'oauth' } }, url);
        assert.equal(status, 201, text);
      });
      after(() => other.stop());

      const connections = async () => (await bobThere.api.get('/me/connections')).body.items;

      /** From our page to where the other server sends the browser back. */
      const signIn = async (): Promise<string> => {
        const page = await bob.browser.open(connectUrl('docs'));
        assert.equal(page.status, 200, page.text);
        assert.match(
          page.headers.get('content-security-policy') ?? '',
          new RegExp(`form-action 'self' ${other.origin}`),
        );
        const begun = await bob.browser.post(connectUrl('docs'), {});
        assert.equal(begun.status, 303, begun.text);
        const started = await bobThere.browser.open(begun.headers.get('location') ?? '');
        const consent = started.headers.get('location') ?? '';
        assert.match((await bobThere.browser.open(consent)).text, /Connect Signalbox\?/);
        const decided = await bobThere.browser.post(consent, { decision: 'allow' });
        const resumed = await bobThere.browser.open(decided.headers.get('location') ?? '');
        return resumed.headers.get('location') ?? '';
      };

      test('a person signs in, and is used there as that person', async () => {
        assert.equal((await call('docs')).status, 403);
        const back = await signIn();
        const stranger = new Visitor();
        await stranger.signIn(gateway.origin, email, password);
        assert.equal((await stranger.open(back)).status, 403, 'another browser did not begin it');
        const forged = new URL(back);
        forged.searchParams.set('state', 'x');
        assert.equal((await bob.browser.open(forged.href)).status, 403);
        assert.equal((await bob.browser.open(back)).status, 200);
        assert.equal((await bob.browser.open(back)).status, 403, 'it is used once');
        const before = other.upstream.called().length;
        const { status, text } = await call('docs');
        assert.equal(status, 200, text);
        assert.equal(other.upstream.called().length, before + 1);
        assert.equal((await connections()).length, 1);
      });

      test('tokens are renewed once for all requests at the same moment', async () => {
        await expireAccessTokens(other.server);
        const answers = await Promise.all(Array.from({ length: 8 }, () => call('docs')));
        assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
        assert.equal((await connections()).length, 1, 'a refresh token that is used twice ends the connection');
      });

      if (database === 'postgres') {
        test('two replicas renew the tokens of a person once, and both go on', async () => {
          const { databaseUrl, home } = gateway.server.server.config;
          const second = await startServer({ databaseUrl, config: { home, allowPrivateTargets: true } });
          try {
            const origin = new URL((await second.listen()).replace('ws', 'http')).origin;
            const { key } = bob.api;
            const callAt = async (place: string) => {
              const answer = await fetch(place + servingUrl('docs'), {
                method: 'POST',
                headers: {
                  authorization: `Bearer ${key}`,
                  'content-type': 'application/json',
                  accept: 'application/json, text/event-stream',
                },
                body: JSON.stringify(callTool('echo')),
              });
              await answer.arrayBuffer();
              return answer.status;
            };
            assert.equal(await callAt(origin), 200, 'the other replica uses the same account');
            await expireAccessTokens(other.server);
            const places = [gateway.origin, origin];
            const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => callAt(places[index % 2]!)));
            assert.deepEqual(new Set(answers), new Set([200]));
            assert.equal(await countAccessTokens(other.server), 1, 'one renewal gives one token');
            assert.equal((await connections()).length, 1);
          } finally {
            await second.stop();
          }
        });
      }

      test('a sign-in that has ended there is asked for again, and disconnecting ends it there', async () => {
        const [{ id }] = await connections();
        await bobThere.api.delete(`/me/connections/${id}`);
        const refused = await call('docs');
        assert.equal(refused.status, 403);
        assert.ok(refused.body.error.message.includes(connectUrl('docs')));
        assert.equal((await bob.api.get(`${SERVERS}/docs/account`)).body.state, 'ended');
        assert.equal((await bob.browser.open(await signIn())).status, 200);
        assert.equal((await call('docs')).status, 200);
        assert.equal((await bob.api.delete(`${SERVERS}/docs/account`)).status, 204);
        assert.equal((await connections()).length, 0);
      });
    });
  });
}

/** The access tokens of the only person who has signed in. */
async function countAccessTokens({ server }: TestServer): Promise<number> {
  const count = platformStatement<Record<string, never>, { readonly tokens: number | string }>((query) =>
    query
      .selectFrom('oauth_token')
      .where('kind', '=', 'AccessToken')
      .select((row) => row.fn.countAll().as('tokens')),
  );
  return Number((await server.store.platform.reads().first(count, {}))?.tokens);
}

/** The other server forgets the access tokens that it gave; those that renew them stay. */
async function expireAccessTokens({ server }: TestServer): Promise<void> {
  const end = platformStatement<Record<string, never>, unknown>((query) =>
    query.deleteFrom('oauth_token').where('kind', '=', 'AccessToken'),
  );
  await server.store.platform.transaction((tx) => tx.run(end, {}));
}
