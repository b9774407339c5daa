import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { callerWith, type PlatformCaller, person } from '../../../../test/support/platform.ts';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';

const accounts = '/organizations/default/service-accounts';

for (const database of databases) {
  describe(`service accounts on ${database}`, () => {
    let server: TestServer;
    let admin: PlatformCaller;
    before(async () => {
      server = await startServer({ database, config: { apiAuth: 'key' } });
      admin = await person(server, 'ada@example.com', 'admin');
    });
    after(() => server.stop());

    const create = async (name: string, more: object = {}) =>
      (await admin.post(accounts, { name, ...more })).body as {
        serviceAccount: { id: string };
        apiKey: { id: string };
        secret: string;
      };

    test('a new account has one key, whose secret is never shown again', async () => {
      const made = await admin.post(accounts, { name: 'ci', description: 'builds', descriptor: 'pipeline' });
      assert.equal(made.status, 201);
      const { serviceAccount, apiKey, secret } = made.body;
      assert.deepEqual(
        { name: serviceAccount.name, role: serviceAccount.role, state: serviceAccount.state },
        { name: 'ci', role: 'member', state: 'active' },
      );
      assert.equal(apiKey.descriptor, 'pipeline');
      const lists = await Promise.all([
        admin.get(accounts),
        admin.get(`${accounts}/${serviceAccount.id}`),
        admin.get(`${accounts}/${serviceAccount.id}/api-keys`),
      ]);
      for (const { status, text } of lists) {
        assert.equal(status, 200);
        assert.ok(!text.includes(secret.slice(4, 20)), 'no answer repeats the secret');
      }
      const me = await callerWith(server, secret).get('/me');
      assert.equal(me.body.serviceAccount.id, serviceAccount.id);
      assert.equal(me.body.user, null);
    });

    test('a third active key is refused and the error names the two existing ones, also under concurrent requests', async () => {
      const { serviceAccount } = await create('rotating');
      const keys = `${accounts}/${serviceAccount.id}/api-keys`;
      const answers = await Promise.all([
        admin.post(keys, { descriptor: 'second' }),
        admin.post(keys, { descriptor: 'third' }),
      ]);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409]);
      const refused = answers.find(({ status }) => status === 409)?.body.error;
      assert.equal(refused.code, 'api_key_limit_reached');
      assert.equal(refused.details.activeKeys.length, 2);
      assert.ok(!JSON.stringify(refused).includes('sbx_'));
      const [oldest] = refused.details.activeKeys;
      assert.equal((await admin.delete(`${keys}/${oldest.id}`)).status, 204);
      assert.equal((await admin.post(keys, { descriptor: 'fourth' })).status, 201);
    });

    test('a revoked key is refused at the next request, and stays in the list', async () => {
      const { serviceAccount, apiKey, secret } = await create('revoked');
      const caller = callerWith(server, secret);
      assert.equal((await caller.get('/me')).status, 200);
      const key = `${accounts}/${serviceAccount.id}/api-keys/${apiKey.id}`;
      assert.equal((await admin.delete(key)).status, 204);
      assert.equal((await caller.get('/me')).status, 401);
      const listed = (await admin.get(`${accounts}/${serviceAccount.id}/api-keys`)).body.items;
      assert.equal(listed[0].state, 'revoked');
      assert.ok(listed[0].revokedAt);
    });

    test('a suspended account is refused until it is resumed, a deleted one always', async () => {
      const { serviceAccount, secret } = await create('paused', { role: 'admin' });
      const caller = callerWith(server, secret);
      assert.equal((await caller.get(accounts)).status, 200);
      await admin.post(`${accounts}/${serviceAccount.id}/suspend`);
      assert.equal((await caller.get(accounts)).status, 403);
      assert.equal((await caller.get('/me')).status, 403);
      await admin.post(`${accounts}/${serviceAccount.id}/resume`);
      assert.equal((await caller.get(accounts)).status, 200);
      assert.equal((await admin.delete(`${accounts}/${serviceAccount.id}`)).status, 204);
      assert.equal((await caller.get(accounts)).status, 403);
    });

    test('members cannot manage accounts, and strangers do not learn that the organization exists', async () => {
      const member = await person(server, 'member@example.com', 'member');
      assert.equal((await member.get(accounts)).status, 403);
      assert.equal((await member.post(accounts, { name: 'mine' })).status, 403);
      const founder = await person(server, 'founder@example.com', 'member');
      await founder.post('/organizations', { name: 'Elsewhere', slug: 'elsewhere' });
      const theirs = '/organizations/elsewhere/service-accounts';
      assert.equal((await founder.get(theirs)).status, 200);
      const unknown = await admin.get('/organizations/nowhere/service-accounts');
      const foreign = await admin.get(theirs);
      assert.equal(foreign.status, 403);
      assert.deepEqual(foreign.body, unknown.body);
      const { serviceAccount } = await create('hidden');
      assert.equal((await founder.get(`${theirs}/${serviceAccount.id}`)).status, 404);
    });

    test('lists are paged by an opaque cursor, and an invalid cursor is refused by name', async () => {
      for (const name of ['page-1', 'page-2', 'page-3']) await create(name);
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await admin.get(`${accounts}?limit=2${cursor ? `&cursor=${cursor}` : ''}`);
        assert.ok(page.body.items.length <= 2);
        seen.push(...page.body.items.map(({ id }: { id: string }) => id));
        cursor = page.body.meta.nextCursor;
      } while (cursor);
      assert.equal(new Set(seen).size, seen.length);
      assert.deepEqual(seen, seen.toSorted());
      const broken = await admin.get(`${accounts}?cursor=zzz`);
      assert.equal(broken.status, 422);
      assert.equal(broken.body.error.details[0].field, 'cursor');
    });

    test('privileged and unknown fields are refused', async () => {
      const answer = await admin.post(accounts, { name: 'x', state: 'active', id: 'mine' });
      assert.equal(answer.status, 422);
      assert.deepEqual(
        answer.body.error.details.map(({ field }: { field: string }) => field),
        ['state', 'id'],
      );
    });
  });
}
