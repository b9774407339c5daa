import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  askPlatform,
  cookieOf,
  joinByInvitation,
  type PlatformCaller,
  startPlatform,
} from '../../../../test/support/platform.ts';
import { databasesOfRun, type TestServer } from '../../../../test/support/server.ts';

const password = 'correct horse battery staple';

for (const database of databasesOfRun) {
  describe(`sessions and invitations on ${database}`, () => {
    let server: TestServer;
    let admin: PlatformCaller;
    before(async () => {
      ({ server, admin } = await startPlatform(database));
    });
    after(() => server.stop());

    const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
      askPlatform(server, method, path, body, headers);

    /** A new person who accepts an invitation and is signed in. */
    const join = async (email: string) => {
      const accepted = await joinByInvitation(server, admin, email, password);
      return {
        cookie: cookieOf(accepted),
        csrf: accepted.body.csrfToken as string,
        token: accepted.token,
      };
    };

    test('an invited person chooses a password, becomes a member, and may sign in again', async () => {
      const { cookie, token } = await join('New@Example.com');
      const me = await send('GET', '/me', undefined, { cookie });
      assert.equal(me.body.user.email, 'new@example.com');
      assert.equal((await send('GET', '/me/organizations', undefined, { cookie })).body.items[0].role, 'member');
      assert.equal((await send('POST', `/invitations/${token}/accept`, { password })).status, 404, 'once only');
      const signedIn = await send('POST', '/session', { email: 'NEW@example.com', password });
      assert.equal(signedIn.status, 200);
      const attributes = String(signedIn.headers['set-cookie']);
      assert.match(attributes, /HttpOnly/);
      assert.match(attributes, /SameSite=Lax/);
      assert.doesNotMatch(attributes, /Secure/, 'plain http on this machine');
    });

    test('a change needs the CSRF token and must not come from another site', async () => {
      const { cookie, csrf } = await join(`csrf-${database}@example.com`);
      const create = (headers: Record<string, string>) =>
        send('POST', '/me/api-keys', { descriptor: 'x' }, { cookie, ...headers });
      assert.equal((await create({})).status, 403);
      assert.equal((await create({ 'x-csrf-token': 'wrong' })).status, 403);
      assert.equal((await create({ 'x-csrf-token': csrf, 'sec-fetch-site': 'cross-site' })).status, 403);
      assert.equal((await create({ 'x-csrf-token': csrf, origin: 'https://evil.example' })).status, 403);
      assert.equal((await create({ 'x-csrf-token': csrf, origin: 'no address' })).status, 403);
      const made = await create({ 'x-csrf-token': csrf, 'sec-fetch-site': 'same-origin' });
      assert.equal(made.status, 201);
      const byKey = await send(
        'POST',
        '/me/api-keys',
        { descriptor: 'y' },
        { authorization: `Bearer ${made.body.secret}` },
      );
      assert.equal(byKey.status, 403, 'a key cannot make a key');
      const signIn = { email: `csrf-${database}@example.com`, password };
      assert.equal((await send('POST', '/session', signIn, { 'sec-fetch-site': 'cross-site' })).status, 403);
    });

    test('a cookie gives no access after sign-out, not even a copy, and every session is new', async () => {
      const { cookie, csrf } = await join(`out-${database}@example.com`);
      const again = await send('POST', '/session', { email: `out-${database}@example.com`, password }, { cookie });
      assert.notEqual(cookieOf(again), cookie);
      assert.equal((await send('DELETE', '/session', undefined, { cookie, 'x-csrf-token': csrf })).status, 204);
      assert.equal((await send('GET', '/session', undefined, { cookie })).status, 401);
      assert.equal((await send('GET', '/session', undefined, { cookie: cookieOf(again) })).status, 200);
    });

    test('a wrong password and an unknown address get the same answer', async () => {
      await join(`alike-${database}@example.com`);
      const wrong = await send('POST', '/session', { email: `alike-${database}@example.com`, password: 'wrong' });
      const unknown = await send('POST', '/session', { email: 'nobody@example.com', password: 'wrong' });
      assert.equal(wrong.status, 401);
      assert.deepEqual([unknown.status, unknown.body], [wrong.status, wrong.body]);
      const operatorMade = await send('POST', '/session', { email: 'ada@example.com', password: '' });
      assert.equal(operatorMade.status, 401, 'no password fits an account without a password');
    });

    test('an invitation for another address, a revoked one and one of another organization are refused', async () => {
      const { cookie, csrf } = await join(`first-${database}@example.com`);
      const invite = async (email: string) =>
        (await admin.post('/organizations/default/invitations', { email, role: 'admin' })).body;
      const accept = (token: string, body: object, headers = {}) =>
        send('POST', `/invitations/${token}/accept`, body, headers);
      const forOther = await invite(`other-${database}@example.com`);
      assert.equal((await accept(forOther.token, {}, { cookie, 'x-csrf-token': csrf })).status, 403);
      assert.equal((await accept(forOther.token, { email: 'me@example.com', password })).status, 403);
      assert.equal((await accept(forOther.token, { password })).status, 200, 'a refused attempt does not use it up');
      const revoked = await invite(`revoked-${database}@example.com`);
      const path = `/organizations/default/invitations/${revoked.invitation.id}`;
      assert.equal((await admin.delete(path)).status, 204);
      assert.equal((await accept(revoked.token, { password })).status, 404);
      assert.equal((await accept('no-such-token', { password })).status, 404);
      const short = await accept((await invite(`short-${database}@example.com`)).token, { password: 'short' });
      assert.equal(short.status, 422);
      assert.ok(!short.text.includes('"short"'), 'a password is not repeated');
      const states = (await admin.get('/organizations/default/invitations?limit=200')).body.items;
      assert.ok(states.some(({ state }: { state: string }) => state === 'revoked'));
      assert.ok(!JSON.stringify(states).includes(revoked.token));
    });

    test('a member is not invited again, in any spelling of the address', async () => {
      const email = `again-${database}@example.com`;
      const invite = (address: string) => admin.post('/organizations/default/invitations', { email: address });
      await join(email);
      for (const address of [email, email.toUpperCase()]) {
        const again = await invite(address);
        assert.deepEqual([again.status, again.body.error.code], [409, 'already_member']);
      }
      assert.equal((await invite(`fresh-${email}`)).status, 201);
    });

    test('the audit records the actor and the action, without keys or passwords', async () => {
      const account = await admin.post('/organizations/default/service-accounts', { name: `audited-${database}` });
      const [newest] = (await admin.get('/organizations/default/audit?limit=1')).body.items;
      assert.equal(newest.actorName, 'ada@example.com');
      assert.equal(newest.targetType, 'service_account');
      const whole = await admin.get('/organizations/default/audit/export');
      const lines = whole.text.trimEnd().split('\n');
      assert.ok(lines.length > 5);
      for (const line of lines) assert.ok(JSON.parse(line).action);
      for (const secret of [account.body.secret, account.body.apiKey.id, password, admin.key]) {
        assert.ok(!whole.text.includes(secret));
      }
    });
  });
}
