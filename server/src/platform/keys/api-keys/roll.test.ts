/** A roll makes the next key of an owner, and ends the old one at a chosen time. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { timeAhead } from '../../../../test/support/local-time.ts';
import {
  askPlatform,
  callerWith,
  cookieOf,
  joinByInvitation,
  type PlatformCaller,
  person,
} from '../../../../test/support/platform.ts';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { rollKeyById } from '../../operator/keys.ts';
import { createOperatorContext } from '../../operator/operator.ts';

const DAY = 86_400;
const organization = '/organizations/default';
/** Between two times of answers, which have no fraction where it is zero. */
const secondsFrom = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 1000;
const accounts = `${organization}/service-accounts`;

for (const database of databases) {
  describe(`rolling a key on ${database}`, () => {
    let server: TestServer;
    let admin: PlatformCaller & { id: string };
    let aheadSeconds = 0;
    let count = 0;
    before(async () => {
      const local = timeAhead(() => aheadSeconds * 1000);
      server = await startServer({ database, config: { apiAuth: 'key' }, local });
      admin = await person(server, 'ada@example.com', 'admin');
    });
    after(() => server.stop());

    const statusOf = async (key: string) => (await callerWith(server, key).get('/me')).status;

    /** A service account, and what rolls its keys. */
    async function ofAccount() {
      const made = (await admin.post(accounts, { name: `ci-${++count}` })).body;
      const path = `${accounts}/${made.serviceAccount.id}/api-keys`;
      const roll = (id: string, body: object = {}) => admin.post(`${path}/${id}/roll`, body);
      return { path, id: made.apiKey.id as string, secret: made.secret as string, roll, list: () => admin.get(path) };
    }

    /** A person with a personal key. */
    async function ofPerson() {
      const email = `person-${++count}@example.com`;
      const joined = await joinByInvitation(server, admin, email, 'correct horse battery');
      const headers = { cookie: cookieOf(joined), 'x-csrf-token': joined.body.csrfToken as string };
      const ask = (method: string, path: string, body?: unknown) => askPlatform(server, method, path, body, headers);
      const made = (await ask('POST', '/me/api-keys', { descriptor: 'laptop' })).body;
      const roll = (id: string, body: object = {}) => ask('POST', `/me/api-keys/${id}/roll`, body);
      const path = '/me/api-keys';
      return { path, id: made.apiKey.id as string, secret: made.secret as string, roll, list: () => ask('GET', path) };
    }

    const kinds = { 'of a service account': ofAccount, 'of a person': ofPerson };
    for (const [kind, make] of Object.entries(kinds)) {
      test(`a key ${kind}: the new one works, and the old one for a day more`, async () => {
        const owner = await make();
        const rolled = await owner.roll(owner.id);
        assert.equal(rolled.status, 201, rolled.text);
        const { apiKey, secret, replacedKey } = rolled.body;
        assert.notEqual(secret, owner.secret);
        assert.deepEqual([replacedKey.id, replacedKey.state, replacedKey.replacedBy], [owner.id, 'active', apiKey.id]);
        assert.equal(Math.round(secondsFrom(apiKey.createdAt, replacedKey.expiresAt)), DAY);
        assert.deepEqual([await statusOf(owner.secret), await statusOf(secret)], [200, 200]);
        const listed = await owner.list();
        assert.ok(!listed.text.includes(secret.slice(4, 20)) && !rolled.text.includes(owner.secret.slice(4, 20)));
        const before = aheadSeconds;
        aheadSeconds += DAY;
        assert.deepEqual([await statusOf(owner.secret), await statusOf(secret)], [401, 200]);
        aheadSeconds = before;
      });

      test(`a key ${kind}: the old one ends at once on request`, async () => {
        const owner = await make();
        const { replacedKey, secret } = (await owner.roll(owner.id, { endsInSeconds: 0 })).body;
        assert.equal(replacedKey.state, 'revoked');
        assert.deepEqual([await statusOf(owner.secret), await statusOf(secret)], [401, 200]);
      });

      test(`a key ${kind}: of two rolls at the same moment one makes a key`, async () => {
        const owner = await make();
        const answers = await Promise.all([owner.roll(owner.id), owner.roll(owner.id)]);
        assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409]);
        const { error } = answers.find(({ status }) => status === 409)?.body ?? {};
        assert.equal(error.code, 'api_key_rolled');
        assert.equal(error.details.replacedBy, answers.find(({ status }) => status === 201)?.body.apiKey.id);
        assert.equal((await owner.list()).body.items.length, 2);
      });

      test(`a key ${kind}: one that has ended is not rolled, and nothing is made`, async () => {
        const owner = await make();
        const next = (await owner.roll(owner.id, { endsInSeconds: 0, expiresAt: inDays(1) })).body.apiKey;
        const revoked = await owner.roll(owner.id);
        assert.deepEqual([revoked.status, revoked.body.error.message], [404, 'API key not found.']);
        const before = aheadSeconds;
        aheadSeconds += DAY;
        const expired = await owner.roll(next.id);
        aheadSeconds = before;
        assert.deepEqual([expired.status, expired.body.error.code], [409, 'api_key_expired']);
        assert.match(expired.body.error.message, /has expired, so it cannot be rolled/);
        assert.equal((await owner.list()).body.items.length, 2);
      });

      test(`a key ${kind}: the new one lives as long as the old one was made for`, async () => {
        const owner = await make();
        const first = (await owner.roll(owner.id, { endsInSeconds: 0, expiresAt: inDays(40), descriptor: 'b' })).body;
        aheadSeconds += DAY;
        const second = (await owner.roll(first.apiKey.id, { endsInSeconds: 60 * 60 })).body;
        assert.equal(second.apiKey.descriptor, 'b');
        assert.equal(Math.round(secondsFrom(second.apiKey.createdAt, second.apiKey.expiresAt) / DAY), 40);
        assert.equal(Math.round(secondsFrom(second.apiKey.createdAt, second.replacedKey.expiresAt)), 3600);
        aheadSeconds -= DAY;
      });

      test(`a key ${kind}: bad fields and foreign keys are refused, and change nothing`, async () => {
        const owner = await make();
        const other = await make();
        for (const body of [
          { endsInSeconds: -1 },
          { endsInSeconds: 31 * DAY },
          { endsInSeconds: 'soon' },
          { expiresAt: inDays(-1) },
          { descriptor: ' x' },
          { revokeKeyId: 'odd' },
          { secret: 'mine' },
        ]) {
          const { status, body: answer } = await owner.roll(owner.id, body);
          assert.equal(status, 422, JSON.stringify(body));
          assert.equal(answer.error.details[0].field, Object.keys(body)[0]);
        }
        assert.equal((await owner.roll(other.id)).status, 404);
        assert.equal((await owner.roll(owner.id, { revokeKeyId: other.id })).status, 404);
        const [key] = (await owner.list()).body.items;
        assert.deepEqual([key.state, key.replacedBy, key.expiresAt], ['active', null, null]);
        assert.equal(await statusOf(other.secret), 200);
      });
    }

    test('with two active keys the roll of a service account names both, and ends one with the roll', async () => {
      const owner = await ofAccount();
      const second = (await admin.post(owner.path, { descriptor: 'second' })).body;
      const refused = await owner.roll(owner.id);
      assert.deepEqual([refused.status, refused.body.error.code], [409, 'api_key_limit_reached']);
      const { activeKeys } = refused.body.error.details;
      assert.deepEqual(
        activeKeys.map(({ id }: { id: string }) => id),
        [owner.id, second.apiKey.id],
      );
      assert.ok(refused.body.error.message.includes(`"second" (${second.apiKey.id})`), refused.body.error.message);
      const rolled = await owner.roll(owner.id, { revokeKeyId: second.apiKey.id });
      assert.equal(rolled.status, 201, rolled.text);
      const { secret, apiKey } = rolled.body;
      assert.deepEqual(
        [await statusOf(owner.secret), await statusOf(second.secret), await statusOf(secret)],
        [200, 401, 200],
      );
      assert.equal((await owner.roll(apiKey.id, { revokeKeyId: apiKey.id })).status, 201, 'the old one itself');
      assert.equal(await statusOf(secret), 401);
    });

    test('the key that ends counts as active until then', async () => {
      const owner = await ofAccount();
      assert.equal((await owner.roll(owner.id, { endsInSeconds: 3600 })).status, 201);
      assert.equal((await admin.post(owner.path, { descriptor: 'third' })).status, 409);
      aheadSeconds += 3600;
      assert.equal((await admin.post(owner.path, { descriptor: 'third' })).status, 201);
      aheadSeconds -= 3600;
    });

    test('keys roll no key: members, keys of people and service accounts are refused', async () => {
      const owner = await ofAccount();
      const path = `${owner.path}/${owner.id}/roll`;
      const member = await person(server, `poor-${++count}@example.com`, 'member');
      const founder = await person(server, `fay-${++count}@example.com`, 'member');
      assert.equal((await founder.post('/organizations', { name: 'Far', slug: `far-${database}` })).status, 201);
      for (const caller of [member, founder, callerWith(server, owner.secret)]) {
        assert.equal((await caller.post(path, {})).status, 403);
      }
      const foreign = path.replace('/default/', `/far-${database}/`);
      assert.equal((await founder.post(foreign, {})).status, 404);
      const [own] = (await member.get('/me/api-keys')).body.items;
      assert.equal((await member.post(`/me/api-keys/${own.id}/roll`, {})).status, 403, 'a session is needed');
      assert.equal((await askPlatform(server, 'POST', `/me/api-keys/${own.id}/roll`, {})).status, 401);
    });

    test('an operator rolls a key of either kind by its id, and the audit names the owner and never the key', async () => {
      const { store, clock } = server.server;
      const context = () => createOperatorContext(store, clock.now(), server.server).change;
      for (const make of Object.values(kinds)) {
        const owner = await make();
        const { secret, replacedKey } = await rollKeyById(context(), owner.id, { endsInSeconds: 0 });
        assert.equal(replacedKey.state, 'revoked');
        assert.deepEqual([await statusOf(owner.secret), await statusOf(secret)], [401, 200]);
        await assert.rejects(rollKeyById(context(), owner.id, { endsInSeconds: 0 }), /API key not found/);
      }
      const owner = await ofAccount();
      const { secret } = (await owner.roll(owner.id)).body;
      const audit = await admin.get(`${organization}/audit?action=api_key.roll`);
      assert.ok(audit.body.items.length >= 2, audit.text);
      assert.ok(!audit.text.includes(owner.id) && !audit.text.includes(secret.slice(4, 20)));
    });

    function inDays(days: number): string {
      return new Date(Date.now() + (aheadSeconds + days * DAY) * 1000).toISOString();
    }
  });
}
