import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Browser, openBrowser } from '../../../test/support/browser.ts';
import { callerWith, person } from '../../../test/support/platform.ts';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { offerSetUp } from '../set-up/operations.ts';

const path = '/account/keys';
const account = { email: 'ada@example.com', password: 'correct horse battery' };

for (const database of databases) {
  describe(`the page of one's own keys on ${database}`, () => {
    let server: TestServer;
    let browser: Browser;
    before(async () => {
      server = await startServer({ database, config: { apiAuth: 'key', publicUrl: 'https://signalbox.example' } });
      browser = openBrowser(server);
      const token = await offerSetUp(server.server.store, server.server.clock.now());
      const origin = { origin: 'https://signalbox.example' };
      await browser.post(`/setup?token=${token}`, { name: 'Ada', ...account }, origin);
    });
    after(() => server.stop());

    const secretIn = (text: string) => /<pre id="key">(sbx_\w+)</.exec(text)?.[1] ?? '';

    test('a key is made, shown once with what to copy, opens both addresses, and is revoked', async () => {
      assert.match((await browser.open('/account')).text, /href="\/account\/keys"/);
      assert.match((await browser.open(path)).text, /You have no key/);
      const made = await browser.post(path, { descriptor: ' <b>laptop</b> ' });
      assert.equal(made.status, 201);
      assert.equal(made.headers['cache-control'], 'no-store');
      assert.ok(!made.text.includes('<b>'));
      const secret = secretIn(made.text);
      const blocks = [...made.text.matchAll(/<pre (?:id="server|class="workspace)-settings">([^<]*)</g)];
      const [forServer = [], forWorkspace = []] = blocks.map(([, text = '']) => text.split('\n'));
      assert.deepEqual(forServer, [
        'export PREFECT_API_URL=https://signalbox.example/api',
        `export PREFECT_API_AUTH_STRING=${secret}`,
      ]);
      assert.match(
        forWorkspace[0] ?? '',
        /^export PREFECT_API_URL=https:\/\/signalbox\.example\/api\/accounts\/[-\w]+\/workspaces\/[-\w]+$/,
      );
      assert.deepEqual(forWorkspace.slice(1), [
        `export PREFECT_API_KEY=${secret}`,
        'export PREFECT_CLOUD_API_URL=https://signalbox.example/api',
      ]);
      const address = new URL((forWorkspace[0] ?? '').replace('export PREFECT_API_URL=', '')).pathname;
      const auth = { basic: `Basic ${btoa(`:${secret}`)}`, bearer: `Bearer ${secret}` };
      const opens = async (url: string, authorization: string) =>
        (
          await server.request('POST', `${url}/flows/filter`, '{}', {
            authorization,
            'content-type': 'application/json',
          })
        ).status;
      assert.equal(await opens(address, auth.bearer), 200);
      assert.equal(await opens('/api', auth.bearer), 200);

      const listed = await browser.open(path);
      assert.ok(!listed.text.includes(secret.slice(8)), 'it is shown once');
      assert.match(listed.text, /&#60;b&#62;laptop[\s\S]*created \d{4}-/);
      const revoke = /action="(\/account\/keys\/[-\w]+\/revoke)"/.exec(listed.text)?.[1] ?? '';
      const done = await browser.post(revoke, {});
      assert.deepEqual([done.status, done.headers['location']], [303, path]);
      assert.equal(await opens('/api', auth.bearer), 401);
      assert.equal((await browser.open(revoke)).headers['location'], path);
      assert.equal((await browser.post(revoke, {})).status, 404, 'revoked already');
      assert.match((await browser.open(path)).text, /You have no key/);
    });

    test('a descriptor that does not fit is told, and nothing is made', async () => {
      for (const descriptor of ['', '   ', 'x'.repeat(201), 'line\u0007']) {
        const refused = await browser.post(path, { descriptor });
        assert.equal(refused.status, 422);
        assert.match(refused.text, /Say what the key is for/);
      }
      assert.match((await browser.open(path)).text, /You have no key/);
    });

    test('only a session makes or revokes one, with its token, from this site, and only its own', async () => {
      const other = await person(server, 'grace@example.com', 'admin');
      const [{ id }] = (await other.get('/me/api-keys')).body.items;
      const stranger = openBrowser(server);
      const headers = { authorization: `Bearer ${other.key}` };
      const asked = await stranger.post(path, { descriptor: 'x' }, headers);
      assert.match(String(asked.headers['location']), /^\/sign-in/, 'a key opens no page');
      await browser.open(path);
      assert.equal((await browser.post(path, { descriptor: 'x', csrf_token: 'wrong' })).status, 403);
      assert.equal((await browser.post(path, { descriptor: 'x' }, { 'sec-fetch-site': 'cross-site' })).status, 403);
      assert.equal((await browser.post(path, { descriptor: 'x' }, { origin: 'https://evil.example' })).status, 403);
      for (const key of [id, 'x', '%2e%2e']) {
        assert.equal((await browser.post(`${path}/${key}/revoke`, {})).status, 404, key);
      }
      assert.equal((await callerWith(server, other.key).get('/me')).status, 200);
      assert.match((await browser.open(path)).text, /You have no key/);
    });
  });
}
