import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  askPlatform,
  cookieOf,
  joinByInvitation,
  type PlatformCaller,
  startPlatform,
} from '../../../../test/support/platform.ts';
import { databases, type TestServer } from '../../../../test/support/server.ts';
import { createPlatformContext } from '../../../context/platform-context.ts';
import { columnsOf, type TableName, tables } from '../../../database/tables/tables.ts';
import { identifySession } from '../../../identity/callers/identify-caller.ts';
import { createPersonalKey } from '../../keys/api-keys/operations.ts';
import { decideOnDevice } from '../../keys/device/operations.ts';
import { createOperatorContext } from '../../operator/operator.ts';
import { changePassword, removeUser } from '../../operator/users.ts';
import { users } from '../../users/queries.ts';
import { acceptInvitation } from '../invitations/operations.ts';
import { endAccess, endings } from './end-access.ts';

/** Tables that hold a secret or name a user, but give no access as a user. */
const otherwise: Partial<Record<TableName, string>> = {
  mcp_failure_cause: 'an owner is only named; whoever owns a cause may do nothing more',
  user_account: 'the password, which whoever ends the access sets or drops',
  user_identity: 'the identity at a provider, which proves the owner',
  membership: 'what a user may do, not who is one',
  invitation: 'makes a member of who is signed in, or a new account',
  mcp_server: 'what the gateway shows to an upstream, in no place that takes it from a caller',
  oauth_token: 'ends with the row of oauth_connection that it refers to',
  oauth_flow: 'a sign-in under way; what a person allowed in it is a row of oauth_connection',
  mcp_request: 'a record of what was asked',
  access_request: 'asks for access and gives none; an administrator decides about the account',
  set_up_link: 'stands only where nobody can sign in',
};

/** Columns by which a row could be a credential or belong to a user. */
const TELLING = /(^|_)(hash|token|secret|code|password|credential|cookie|user_id|owner_id)($|_)/;
/** Hashes and codes of content, of programs and of answers. */
const CONTENT = /(content|schema|checksum|file|status|exit)_?(hash|code)|^(checksum|hash_key|input_hash)/;

test("each table that could give access is handled when a user's access ends, or is listed as harmless", () => {
  const suspects = (Object.keys(tables) as TableName[]).filter(
    (name) =>
      !('workspace' in tables[name]) && columnsOf(name).some((column) => TELLING.test(column) && !CONTENT.test(column)),
  );
  for (const name of ['session', 'api_key', 'device_authorization', 'known_device', 'oauth_connection'] as const) {
    assert.ok(suspects.includes(name), name);
  }
  const unknown = suspects.filter((name) => !endings[name] && !otherwise[name]);
  assert.deepEqual(unknown, [], 'end it in end-access.ts, or state here why it gives no access');
});

const password = 'correct horse battery staple';

for (const database of databases) {
  describe(`the credentials of a person, on ${database}`, () => {
    let server: TestServer;
    let admin: PlatformCaller;
    before(async () => {
      ({ server, admin } = await startPlatform(database));
    });
    after(() => server.stop());

    const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
      askPlatform(server, method, path, body, headers);
    const form = (path: string, fields: Record<string, string>) =>
      server.request('POST', `/api/v0${path}`, new URLSearchParams(fields).toString(), {
        'content-type': 'application/x-www-form-urlencoded',
      });
    const poll = (device_code: string) =>
      form('/oauth/device/token', {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        client_id: 'test',
        device_code,
      });

    /** A session, a key, a browser that is known, and a device that is approved and has not polled. */
    const obtain = async (email: string) => {
      const joined = await joinByInvitation(server, admin, email, password);
      const own = { cookie: cookieOf(joined), 'x-csrf-token': joined.body.csrfToken as string };
      const key = (await send('POST', '/me/api-keys', { descriptor: 'laptop' }, own)).body.secret as string;
      const device = (await form('/oauth/device/authorization', { client_id: 'test' })).body;
      const decided = await send('POST', '/oauth/device', { userCode: device.user_code, approve: true }, own);
      assert.equal(decided.status, 204);
      assert.equal((await send('GET', '/me', undefined, { authorization: `Bearer ${key}` })).status, 200);
      return { own, key, deviceCode: device.device_code as string };
    };
    const rowsOf = async (email: string) => {
      const { store } = server.server;
      const { sql } = await import('kysely');
      const { platformQuery } = await import('../../../database/statement.ts');
      const count = platformQuery<{ email: string }, { rows: number }>(
        (_, given) => sql`select
          (select count(*) from session where user_id = u.id)
          + (select count(*) from known_device where user_id = u.id)
          + (select count(*) from device_authorization where user_id = u.id)
          + (select count(*) from api_key where owner_id = u.id and revoked_at is null) as rows
          from user_account u where u.email = ${given.email}`,
      );
      return Number((await store.platform.reads().first(count, { email }))?.rows);
    };

    test('a new password ends all of them, and so does the removal of the person', async () => {
      const context = () => createOperatorContext(server.server.store, server.server.clock.now(), server.server);
      const ways: [string, (email: string) => Promise<void>][] = [
        ['password', (email) => changePassword(context(), email, 'another horse battery')],
        ['remove', (email) => removeUser(context(), email)],
      ];
      for (const [name, end] of ways) {
        const email = `${name}-${database}@example.com`;
        const { own, key, deviceCode } = await obtain(email);
        assert.equal(await rowsOf(email), 4);
        await end(email);
        assert.equal((await send('GET', '/session', undefined, own)).status, 401, name);
        assert.equal((await send('GET', '/me', undefined, { authorization: `Bearer ${key}` })).status, 401, name);
        assert.equal((await poll(deviceCode)).body.error, 'expired_token', name);
        assert.ok(!((await rowsOf(email)) > 0), name);
        assert.equal((await send('POST', '/session', { email, password })).status, 401, name);
      }
    });

    test('a pending sign-in with the former password fails', async () => {
      const email = `under-way-${database}@example.com`;
      await obtain(email);
      const { passwords, store } = server.server;
      const password_hash = await passwords.hash('another horse battery');
      // The sign-in waits behind these, long after it has read the account.
      const crowd = Array.from({ length: 12 }, () => passwords.verify('a guess', null, 'known'));
      const signingIn = send('POST', '/session', { email, password });
      await Promise.all(crowd.slice(0, 4));
      await store.platform.transaction(async (tx) => {
        const { id = '' } = (await users.first(tx, { email })) ?? {};
        const now = server.server.clock.now();
        await users.change(tx, { id }, { name: null, password_hash, proven_at: now, updated: now });
        await endAccess(tx, id, now);
      });
      assert.equal((await signingIn).status, 401);
      await Promise.all(crowd);
      assert.ok(!((await rowsOf(email)) > 0), 'no session is left');
    });

    test('a request that was admitted before the end creates nothing that outlives it', async () => {
      const email = `late-${database}@example.com`;
      const { own } = await obtain(email);
      const { store, clock } = server.server;
      const now = clock.now();
      const caller = await identifySession(store.platform.reads(), own.cookie.split('=')[1] ?? '', now);
      assert.ok(caller);
      const device = (await form('/oauth/device/authorization', { client_id: 'test' })).body;
      const { token } = (await admin.post('/organizations/default/invitations', { email: `x${email}` })).body;
      await changePassword(createOperatorContext(store, now, server.server), email, 'another horse battery');
      const context = { ...createPlatformContext(server.server, undefined, '', ''), caller };
      const ended = { status: 401, message: /session has ended/ };
      await assert.rejects(createPersonalKey(context, { descriptor: 'late' }), ended);
      await assert.rejects(decideOnDevice(context, { userCode: device.user_code, approve: true }), ended);
      await assert.rejects(acceptInvitation(context, token, { name: null }), ended);
      assert.equal(await rowsOf(email), 0);
    });
  });
}
