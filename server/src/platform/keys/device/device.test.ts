import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { callerWith, type PlatformCaller, person } from '../../../../test/support/platform.ts';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { until } from '../../../../test/support/until.ts';
import { TrustedProxies } from '../../../network/trusted-proxies.ts';

const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';

for (const database of databases) {
  describe(`device sign-in on ${database}`, () => {
    let server: TestServer;
    let admin: PlatformCaller;
    let browser: Record<string, string>;
    before(async () => {
      server = await startServer({ database });
      admin = await person(server, 'ada@example.com', 'admin');
      const invited = await admin.post('/organizations/default/invitations', { email: 'max@example.com' });
      const accepted = await server.request(
        'POST',
        `/api/v0/invitations/${invited.body.token}/accept`,
        JSON.stringify({ password: 'correct horse battery' }),
        { 'content-type': 'application/json' },
      );
      const cookie = String(accepted.headers['set-cookie']).split(';')[0] ?? '';
      browser = { cookie, 'x-csrf-token': accepted.body.csrfToken, 'content-type': 'application/json' };
    });
    after(() => server.stop());

    const form = (path: string, fields: Record<string, string>) =>
      server.request('POST', `/api/v0/oauth/device/${path}`, new URLSearchParams(fields).toString(), {
        'content-type': 'application/x-www-form-urlencoded',
      });
    const begin = async () =>
      (await form('authorization', { client_id: 'fastmcp-cli', device_name: 'laptop', platform: 'linux' })).body;
    const poll = (device_code: string) => form('token', { grant_type, client_id: 'fastmcp-cli', device_code });
    const decide = (userCode: string, approve: boolean) =>
      server.request('POST', '/api/v0/oauth/device', JSON.stringify({ userCode, approve }), browser);

    test('one client can start a limited number of sign-ins, and others are unaffected', async () => {
      const proxied = await startServer({ database, config: { trustedProxies: new TrustedProxies(['127.0.0.1']) } });
      const beginFrom = async (address: string) => {
        const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': address };
        return (await proxied.request('POST', '/api/v0/oauth/device/authorization', 'client_id=fastmcp-cli', headers))
          .status;
      };
      for (let index = 0; index < 20; index += 1) assert.equal(await beginFrom(`2001:db8::${index}`), 200);
      assert.equal(await beginFrom('2001:db8::ffff'), 429, 'its network reached the limit');
      assert.equal(await beginFrom('2001:db8:0:1::1'), 200);
      assert.equal(await beginFrom('198.51.100.7'), 200);
      const statuses = new Set<number>();
      for (let index = 0; index < 101; index += 1) statuses.add(await beginFrom(`2001:db8:7:${index}::1`));
      assert.deepEqual([...statuses], [200, 429], 'one customer may have many networks');
      assert.equal(await beginFrom('2001:db8:8::1'), 200);
      await proxied.stop();
    });

    test('a device gets a personal key once its code is approved, and only once', async () => {
      const device = await begin();
      assert.match(device.user_code, /^[B-Z]{4}-[B-Z]{4}$/);
      assert.ok(device.verification_uri_complete.endsWith(`/oauth/device?user_code=${device.user_code}`));
      assert.equal((await poll(device.device_code)).body.error, 'authorization_pending');
      assert.equal((await poll(device.device_code)).body.error, 'slow_down');
      const shown = await server.request(
        'GET',
        `/api/v0/oauth/device?userCode=${device.user_code}`,
        undefined,
        browser,
      );
      assert.equal(shown.body.deviceName, 'laptop');
      assert.equal((await decide(device.user_code.toLowerCase().replace('-', ''), true)).status, 204);
      const polls = await Promise.all([poll(device.device_code), poll(device.device_code)]);
      assert.deepEqual(polls.map(({ status }) => status).sort(), [200, 400]);
      const token = polls.find(({ status }) => status === 200)?.body;
      assert.equal(token.token_type, 'Bearer');
      const me = await callerWith(server, token.access_token).get('/me');
      assert.equal(me.body.user.email, 'max@example.com');
      assert.equal((await callerWith(server, token.access_token).delete('/me/api-key')).status, 204);
      assert.equal((await callerWith(server, token.access_token).get('/me')).status, 401);
    });

    test('a device that polls at the moment of its approval gets its key at the next poll', async () => {
      const device = await begin();
      // On PostgreSQL the approval and then the poll wait for the row that another transaction holds.
      const other = database === 'postgres' ? new pg.Client(server.server.config.databaseUrl) : undefined;
      const waiting = async () =>
        (
          await other?.query(
            `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
          )
        )?.rowCount ?? 0;
      await other?.connect();
      await other?.query('begin');
      await other?.query('select 1 from device_authorization where user_code = $1 for update', [device.user_code]);
      const approving = decide(device.user_code, true);
      if (other) await until('the approval waits', async () => (await waiting()) === 1);
      const polling = poll(device.device_code);
      if (other) await until('the poll waits too', async () => (await waiting()) === 2);
      await other?.query('commit');
      await other?.end();
      assert.equal((await approving).status, 204);
      const polls = [await polling, await poll(device.device_code)];
      const keys = polls.flatMap(({ body }) => body.access_token ?? []);
      assert.equal(keys.length, 1, JSON.stringify(polls.map(({ body }) => body.error)));
      assert.equal((await callerWith(server, keys[0]).get('/me')).body.user.email, 'max@example.com');
    });

    test('a refused code, an unknown code and another grant get different errors', async () => {
      const device = await begin();
      assert.equal((await decide(device.user_code, false)).status, 204);
      assert.equal((await poll(device.device_code)).body.error, 'access_denied');
      assert.equal((await poll('unknown')).body.error, 'expired_token');
      const other = await form('token', { grant_type: 'password', client_id: 'x', device_code: 'y' });
      assert.equal(other.body.error, 'unsupported_grant_type');
      assert.equal((await decide(device.user_code, true)).status, 404, 'a code is decided once');
    });

    test('neither a key nor a browser without its CSRF token can approve a device', async () => {
      const device = await begin();
      assert.equal((await admin.post('/oauth/device', { userCode: device.user_code, approve: true })).status, 403);
      const { cookie = '' } = browser;
      const body = JSON.stringify({ userCode: device.user_code, approve: true });
      const headers = { cookie, 'content-type': 'application/json' };
      assert.equal((await server.request('POST', '/api/v0/oauth/device', body, headers)).status, 403);
      assert.equal((await poll(device.device_code)).body.error, 'authorization_pending');
    });
  });
}
