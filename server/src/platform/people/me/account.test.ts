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
  describe(`a person's own account on ${database}`, () => {
    let server: TestServer;
    let admin: PlatformCaller;
    before(async () => {
      ({ server, admin } = await startPlatform(database));
    });
    after(() => server.stop());

    const sessionOf = (answer: Parameters<typeof cookieOf>[0]) => {
      const headers = { cookie: cookieOf(answer), 'x-csrf-token': answer.body.csrfToken as string };
      const ask = (method: string, path: string, body?: unknown) => askPlatform(server, method, path, body, headers);
      return Object.assign(ask, { csrfToken: headers['x-csrf-token'] });
    };
    const join = async (email: string) => sessionOf(await joinByInvitation(server, admin, email, password));
    const signIn = (email: string, typed: string) =>
      askPlatform(server, 'POST', '/session', { email, password: typed });

    test('a person changes the name, and a key cannot', async () => {
      const ask = await join('name@example.com');
      const changed = await ask('PATCH', '/me/account', { name: 'Grace Hopper' });
      assert.equal(changed.body.user.name, 'Grace Hopper');
      assert.equal((await ask('GET', '/me/access')).body.user.name, 'Grace Hopper');
      assert.equal((await ask('PATCH', '/me/account', { name: null })).body.user.name, null);
      assert.equal((await ask('PATCH', '/me/account', { name: ' x' })).status, 422);
      assert.equal((await admin.patch('/me/account', { name: 'x' })).status, 403);
    });

    test('a new password works, the old one does not, and other browsers are signed out', async () => {
      const email = 'password@example.com';
      const here = await join(email);
      const there = sessionOf(await signIn(email, password));
      const key = (await here('POST', '/me/api-keys', { descriptor: 'laptop' })).body.secret;
      const next = 'a ship in port is safe';
      const change = { currentPassword: password, newPassword: next };
      assert.equal((await here('PUT', '/me/password', { ...change, currentPassword: 'wrong' })).status, 403);
      assert.equal((await here('PUT', '/me/password', { ...change, newPassword: 'short' })).status, 422);
      assert.equal((await there('GET', '/me/account')).status, 200);
      const changed = await here('PUT', '/me/password', change);
      assert.equal(changed.status, 204);
      assert.equal((await there('GET', '/me/account')).status, 401);
      assert.equal((await here('GET', '/me/account')).status, 401, 'a copy of the old cookie opens nothing');
      const renewed = sessionOf({ ...changed, body: { csrfToken: here.csrfToken } });
      assert.equal((await renewed('GET', '/me/account')).body.sessions.length, 1);
      assert.equal((await renewed('PATCH', '/me/account', { name: 'Ada' })).status, 200, 'open pages go on');
      assert.equal((await signIn(email, password)).status, 401);
      assert.equal((await signIn(email, next)).status, 200);
      const authorization = `Bearer ${key}`;
      assert.equal(
        (await askPlatform(server, 'GET', '/me', undefined, { authorization })).status,
        200,
        'keys stay valid',
      );
    });

    test('guesses of the current password are delayed', async () => {
      const ask = await join('guess@example.com');
      const guess = { currentPassword: 'wrong', newPassword: password };
      const statuses = [];
      for (let count = 0; count < 8; count++) statuses.push((await ask('PUT', '/me/password', guess)).status);
      assert.equal(statuses[0], 403);
      assert.equal(statuses.at(-1), 429);
    });

    test("sessions are listed and ended, one or all others, and never another person's", async () => {
      const email = 'sessions@example.com';
      const here = await join(email);
      const [second, third] = [sessionOf(await signIn(email, password)), sessionOf(await signIn(email, password))];
      const { sessions } = (await here('GET', '/me/account')).body as {
        sessions: { id: string; isCurrent: boolean }[];
      };
      assert.equal(sessions.length, 3);
      assert.equal(sessions.filter(({ isCurrent }) => isCurrent).length, 1);
      const own = (await second('GET', '/me/account')).body.sessions as typeof sessions;
      const secondId = own.find(({ isCurrent }) => isCurrent)?.id;
      const stranger = await join('stranger@example.com');
      assert.equal((await stranger('DELETE', `/me/sessions/${secondId}`)).status, 404);
      assert.equal((await here('DELETE', `/me/sessions/${secondId}`)).status, 204);
      assert.equal((await second('GET', '/me/account')).status, 401);
      assert.equal((await here('DELETE', '/me/sessions')).status, 204);
      assert.equal((await third('GET', '/me/account')).status, 401);
      assert.equal((await here('GET', '/me/account')).body.sessions.length, 1);
    });
  });
}
