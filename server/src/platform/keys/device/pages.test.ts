import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Browser, openBrowser } from '../../../../test/support/browser.ts';
import { callerWith } from '../../../../test/support/platform.ts';
import { databasesOfRun, startServer, type TestServer } from '../../../../test/support/server.ts';
import { offerSetUp } from '../../people/set-up/operations.ts';

const email = 'ada@example.com';
const password = 'correct horse battery';
const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';

for (const database of databasesOfRun) {
  describe(`the pages that approve devices on ${database}`, () => {
    let server: TestServer;
    let browser: Browser;
    before(async () => {
      server = await startServer({ database });
      browser = openBrowser(server);
      const token = await offerSetUp(server.server.store, server.server.clock.now());
      await browser.post(`/setup?token=${token}`, { name: 'Ada', email, password });
    });
    after(() => server.stop());

    const form = (path: string, fields: Record<string, string>) =>
      server.request('POST', `/api/v0/oauth/device/${path}`, new URLSearchParams(fields).toString(), {
        'content-type': 'application/x-www-form-urlencoded',
      });
    const begin = async (more: Record<string, string> = {}) =>
      (await form('authorization', { client_id: 'fastmcp-cli', device_name: '<b>laptop</b>', ...more })).body;
    const poll = async (device_code: string) =>
      (await form('token', { grant_type, client_id: 'fastmcp-cli', device_code })).body;
    const pageOf = (device: { verification_uri_complete: string }) => {
      const { pathname, search } = new URL(device.verification_uri_complete);
      return pathname + search;
    };

    test('a person sees which device asks and approves it, and the device acts as that person', async () => {
      const device = await begin({ platform: 'linux', architecture: 'arm64', client_version: '4.1' });
      const page = await browser.open(pageOf(device));
      assert.equal(page.status, 200);
      for (const text of [device.user_code, 'linux arm64', 'fastmcp-cli 4.1', '127.0.0.1', email]) {
        assert.ok(page.text.includes(text), text);
      }
      assert.ok(page.text.includes('&#60;b&#62;laptop') && !page.text.includes('<b>laptop'));
      const decided = await browser.post('/oauth/device', { user_code: device.user_code, decision: 'approve' });
      assert.match(decided.text, /Approved/);
      const { access_token } = await poll(device.device_code);
      assert.equal((await callerWith(server, access_token).get('/me')).body.user.email, email);
      assert.equal((await browser.open(pageOf(device))).status, 404, 'a code is decided once');
    });

    test('a person who is not signed in signs in first, and the code is kept', async () => {
      const device = await begin();
      const stranger = openBrowser(server);
      const asked = await stranger.open(pageOf(device));
      assert.equal(asked.status, 303);
      const signedIn = await stranger.post(String(asked.headers['location']), { email, password });
      assert.equal(signedIn.headers['location'], pageOf(device));
      assert.equal((await openBrowser(server).post('/oauth/device', { decision: 'approve' })).status, 303);
      assert.equal((await poll(device.device_code)).error, 'authorization_pending');
    });

    test('a refusal, a form without its token or from another site, and an unknown code approve no device', async () => {
      const device = await begin();
      const fields = { user_code: device.user_code, decision: 'approve' };
      await browser.open(pageOf(device));
      assert.equal((await browser.post('/oauth/device', { ...fields, csrf_token: 'x' })).status, 403);
      assert.equal((await browser.post('/oauth/device', fields, { origin: 'https://evil.example' })).status, 403);
      assert.equal((await browser.post('/oauth/device', fields, { 'sec-fetch-site': 'cross-site' })).status, 403);
      assert.equal((await poll(device.device_code)).error, 'authorization_pending');
      await browser.post('/oauth/device', { ...fields, decision: 'deny' });
      assert.equal((await poll(device.device_code)).error, 'access_denied');
      const unknown = await browser.open('/oauth/device?user_code=BBBB-BBBB');
      assert.equal(unknown.status, 404);
      assert.match(unknown.text, /unknown, used, or expired/);
      assert.equal((await browser.post('/oauth/device', { decision: 'approve' })).status, 404);
      assert.match((await browser.open('/oauth/device')).text, /Type the code/);
    });

    test('a terminal gets the key only at an address of this machine', async () => {
      const callback = 'http://localhost:43210';
      const address = `/auth/client?${new URLSearchParams({ callback })}`;
      assert.match((await browser.open(address)).text, /http:\/\/localhost:43210/);
      const approved = await browser.post(address, { decision: 'approve' });
      const key = /sbx_\w+/.exec(approved.text)?.[0] ?? '';
      assert.equal((await callerWith(server, key).get('/me')).body.user.email, email);
      const policy = String(approved.headers['content-security-policy']);
      assert.match(policy, /connect-src 'self' http:\/\/localhost:43210;/);
      const denied = await browser.post(address, { decision: 'deny' });
      assert.ok(!denied.text.includes('sbx_'));
      assert.match(denied.text, /data-target="http:\/\/localhost:43210\/failure"/);
      const elsewhere = [
        '',
        'http://localhost',
        'https://localhost:1',
        'http://localhost:1/path',
        'http://localhost:1@evil.example',
        'http://localhost:1 https://evil.example',
        'http://localhost.evil.example:1',
        'http://evil.example:1',
        'http://LOCALHOST:1',
        "http://localhost:1; script-src 'unsafe-inline'",
        'http://localhost:1\n',
      ];
      for (const wrong of elsewhere) {
        const page = `/auth/client?${new URLSearchParams({ callback: wrong })}`;
        const refused = await browser.open(page);
        assert.equal(refused.status, 400, wrong);
        assert.match(refused.text, /<h1>No program to sign in<\/h1>/);
        const posted = await browser.post(page, { decision: 'approve' });
        assert.equal(posted.status, 400, wrong);
        assert.ok(!posted.text.includes('sbx_'));
      }
    });
  });
}
