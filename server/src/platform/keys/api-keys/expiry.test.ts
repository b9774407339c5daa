/** Keys that end by time are refused on every way in, at their moment, and what they opened ends. */
import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { after, before, beforeEach, describe, test } from 'node:test';
import { timeAhead } from '../../../../test/support/local-time.ts';
import {
  askPlatform,
  callerWith,
  cookieOf,
  joinByInvitation,
  type PlatformCaller,
  person,
} from '../../../../test/support/platform.ts';
import { type Answer, databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { connect } from '../../../../test/support/socket-client.ts';
import { until } from '../../../../test/support/until.ts';
import { addSeconds, type Timestamp } from '../../../values/time.ts';
import { expiringKeys } from './expiring.ts';

const DAY = 86_400;
const EXPIRED = 'This API key has expired. Create a new one.';
const TOO_OLD = 'This organization accepts API keys for 30 days, and this key is older. Roll it, or create a new one.';
const organization = '/organizations/default';
const accounts = `${organization}/service-accounts`;
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

for (const database of databases) {
  describe(`the end of keys on ${database}`, () => {
    let server: TestServer;
    let admin: PlatformCaller;
    let url: string;
    let aheadSeconds = 0;
    let count = 0;
    before(async () => {
      const local = timeAhead(() => aheadSeconds * 1000);
      server = await startServer({ database, config: { apiAuth: 'key' }, local });
      url = await server.listen();
      admin = await person(server, 'ada@example.com', 'admin');
    });
    beforeEach(async () => {
      // What an earlier test did to the clock must not make this administrator's key too old.
      admin = callerWith(server, await sessionKey());
      assert.equal((await patch({ maxKeyAgeDays: null })).status, 200);
    });
    after(() => server.stop());

    const now = () => server.server.clock.now();
    const later = (seconds: number): Timestamp => addSeconds(now(), seconds);
    const patch = (body: object) => admin.patch(organization, body);
    const sessionKey = async () => (await person(server, `admin-${++count}@example.com`, 'admin')).key;

    async function account(given: object = {}) {
      const made = await admin.post(accounts, { name: `ci-${++count}`, role: 'admin', ...given });
      assert.equal(made.status, 201, made.text);
      const { serviceAccount, apiKey, secret } = made.body;
      return { path: `${accounts}/${serviceAccount.id}/api-keys`, apiKey, secret, caller: callerWith(server, secret) };
    }

    const signedIn = async () => {
      const joined = await joinByInvitation(
        server,
        admin,
        `person-${++count}@example.com`,
        'correct horse battery',
        'admin',
      );
      const headers = { cookie: cookieOf(joined), 'x-csrf-token': joined.body.csrfToken as string };
      return (method: string, path: string, body?: unknown) => askPlatform(server, method, path, body, headers);
    };

    test('an expired key is refused with a sentence at the platform, at /api, in a workspace and at a server', async () => {
      const { caller, secret } = await account({ expiresAt: later(60) });
      const [workspace] = (await admin.get(`${organization}/workspaces`)).body.items;
      const hosted = `/accounts/${workspace.organizationId}/workspaces/${workspace.id}`;
      const { slug } = (await admin.get(`${organization}/servers`)).body.items[0];
      const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
      const headers = {
        ...bearer(secret),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      };
      const origin = url.replace('ws', 'http').replace('/api', '');
      const call = async (server: string) => {
        const answer = await fetch(`${origin}/servers/default/${server}/mcp`, {
          method: 'POST',
          body: message,
          headers,
        });
        return { status: answer.status, text: await answer.text() };
      };
      const ways = [
        () => caller.get('/me'),
        () => server.post('/flows/filter', {}, bearer(secret)),
        () => server.post(`${hosted}/flows/filter`, {}, bearer(secret)),
        () => call(slug),
        () => call('no-such-server'),
      ];
      const before = await Promise.all(ways.map((ask) => ask()));
      assert.deepEqual(
        before.map(({ status }) => status),
        [200, 200, 200, 200, 404],
      );
      aheadSeconds += 61;
      for (const ask of ways) {
        const { status, text } = await ask();
        assert.equal(status, 401);
        assert.ok(text.includes(EXPIRED), text);
      }
    });

    test('an open socket and an open stream end when their key expires, and no new one opens', async () => {
      const { secret } = await account({ expiresAt: later(3600) });
      const lasting = await account();
      const client = await connect(`${url}/events/in`, { token: secret });
      const other = await connect(`${url}/events/in`, { token: lasting.secret });
      const stream = await open(`${url.replace('ws', 'http')}/views/live`, bearer(secret));
      const closed = client.ended();
      aheadSeconds += 3600;
      assert.equal(await closed, `1008 ${EXPIRED}`);
      await until('the stream ends', () => stream.readableEnded || stream.destroyed);
      await other.ping();
      other.close();
      const refused = await connect(`${url}/events/in`, { protocols: ['prefect'] });
      refused.send({ type: 'auth', token: secret });
      assert.equal(await refused.ended(), `1008 ${EXPIRED}`);
    });

    test('an expiry in the past, or later than the organization allows, is refused with the name of the field', async () => {
      const { path } = await account();
      const refusals = async (ask: (expiresAt: unknown) => Promise<Answer>, given: unknown[]) => {
        for (const expiresAt of given) {
          const { status, body } = await ask(expiresAt);
          assert.equal(status, 422, JSON.stringify(body));
          assert.equal(body.error.details[0].field, 'expiresAt');
        }
      };
      const ask = await signedIn();
      const past = [later(-1), now(), 'soon', '0000-00-00'];
      await refusals((expiresAt) => admin.post(path, { descriptor: 'x', expiresAt }), past);
      await refusals((expiresAt) => ask('POST', '/me/api-keys', { descriptor: 'x', expiresAt }), past);
      await refusals((expiresAt) => admin.post(accounts, { name: 'never', expiresAt }), past);
      await patch({ maxKeyAgeDays: 30 });
      await refusals((expiresAt) => admin.post(path, { descriptor: 'x', expiresAt }), [later(31 * DAY)]);
      assert.equal((await admin.get(path)).body.items.length, 1, 'nothing was made');
      for (const maxKeyAgeDays of [0, -1, 1.5, 4000, 'many']) {
        assert.equal((await patch({ maxKeyAgeDays })).status, 422);
      }
    });

    test('with a greatest age, a key without an expiry gets it, and older keys are refused there until it is lifted', async () => {
      const old = await account();
      const joined = await signedIn();
      const personal = callerWith(server, (await joined('POST', '/me/api-keys', { descriptor: 'laptop' })).body.secret);
      assert.equal((await personal.post('/organizations', { name: 'Own', slug: `own-${database}` })).status, 201);
      aheadSeconds += 31 * DAY;
      admin = callerWith(server, await sessionKey());
      assert.equal((await patch({ maxKeyAgeDays: 30 })).body.maxKeyAgeDays, 30);
      for (const { status, body } of [await old.caller.get(organization), await personal.get(organization)]) {
        assert.deepEqual([status, body.error.message], [403, TOO_OLD]);
      }
      const api = await server.post('/flows/filter', {}, bearer(old.secret));
      assert.deepEqual([api.status, api.body], [403, { detail: TOO_OLD }]);
      assert.equal((await personal.get(`/organizations/own-${database}`)).status, 200, 'it acts elsewhere');
      const slugs = (await personal.get('/me/access')).body.organizations.map(({ slug }: { slug: string }) => slug);
      assert.deepEqual(slugs, [`own-${database}`]);
      assert.equal(
        (await personal.post('/users/00000000-0000-4000-8000-000000000000/suspend')).body.error.message,
        TOO_OLD,
      );
      assert.equal((await admin.get(old.path)).body.items[0].state, 'expired');

      const young = await account();
      const day = (time: string) => time.slice(0, 10);
      assert.equal(day(young.apiKey.expiresAt), day(later(30 * DAY)));
      const again = await signedIn();
      const own = (await again('POST', '/me/api-keys', { descriptor: 'desk' })).body.apiKey;
      assert.equal(day(own.expiresAt), day(later(30 * DAY)), 'a personal key gets the least age of its organizations');
      assert.equal((await again('POST', '/me/api-keys', { descriptor: 'y', expiresAt: later(99 * DAY) })).status, 201);

      // A new key of the account settles the end of the old one, so that the limit of two holds afterwards.
      assert.equal((await admin.post(old.path, { descriptor: 'second' })).status, 201);
      await patch({ maxKeyAgeDays: null });
      assert.equal((await personal.get(organization)).status, 200);
      assert.equal((await old.caller.get(organization)).status, 401);
    });

    test('an open socket ends when its key becomes too old for the organization', async () => {
      const { secret } = await account();
      await patch({ maxKeyAgeDays: 30 });
      const client = await connect(`${url}/events/in`, { token: secret });
      const ended = client.ended();
      aheadSeconds += 30 * DAY;
      assert.match(await ended, /^1008 This API key has expired|^1008 This organization accepts/);
    });

    test('a strange organization tells nothing of its greatest age', async () => {
      const stranger = await person(server, `stranger-${++count}@example.com`, 'member', `own-${database}`);
      await patch({ maxKeyAgeDays: 1 });
      aheadSeconds += 2 * DAY;
      const { status, body } = await stranger.get(organization);
      assert.deepEqual([status, body.error.message], [403, 'You are not a member of this organization.']);
      assert.equal((await stranger.get('/me')).status, 200);
      const hidden = await server.post('/flows/filter', {}, bearer(stranger.key));
      assert.equal(hidden.status, 404);
    });

    test('keys that end soon and keys that nobody uses are found, by account and for the organization', async () => {
      const soon = await account({ expiresAt: later(13 * DAY) });
      const late = await account({ expiresAt: later(200 * DAY) });
      const ids = async (path: string, filter: string): Promise<string[]> =>
        (await admin.get(`${path}?filter=${filter}&limit=200`)).body.items.map(({ id }: { id: string }) => id);
      const all = `${organization}/api-keys`;
      assert.deepEqual(await ids(soon.path, 'expiring'), [soon.apiKey.id]);
      assert.deepEqual(await ids(late.path, 'expiring'), []);
      assert.ok((await ids(all, 'expiring')).includes(soon.apiKey.id));
      assert.deepEqual(await ids(soon.path, 'stale'), [soon.apiKey.id], 'it was never used');
      assert.equal((await late.caller.get('/me')).status, 200);
      await until('the use is noted', async () => (await ids(late.path, 'stale')).length === 0);
      const [listed] = (await admin.get(`${late.path}`)).body.items;
      assert.deepEqual([listed.state, listed.isStale, listed.replacedBy], ['active', false, null]);
      assert.equal((await admin.get(`${all}?filter=odd`)).status, 422);

      const found = new Map<string, string>();
      for await (const key of expiringKeys(server.server.store.platform.reads(), now(), 14)) {
        found.set(key.id, `${key.owner.type} of ${key.organization?.slug}`);
      }
      assert.equal(found.get(soon.apiKey.id), 'service_account of default');
      assert.equal(found.has(late.apiKey.id), false);

      aheadSeconds += 95 * DAY;
      admin = callerWith(server, await sessionKey());
      assert.deepEqual(await ids(late.path, 'stale'), [late.apiKey.id], 'it was not used for 90 days');
      assert.deepEqual(await ids(soon.path, 'active'), [], 'it has expired');
      const member = await person(server, `poor-${++count}@example.com`, 'member');
      assert.equal((await member.get(all)).status, 403);
    });
  });
}

function open(url: string, headers: Record<string, string>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, (response) => {
      response.resume();
      response.on('error', () => {});
      resolve(response);
    }).once('error', reject);
  });
}
