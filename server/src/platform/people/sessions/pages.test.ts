import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openBrowser } from '../../../../test/support/browser.ts';
import { databasesOfRun, startServer, type TestServer } from '../../../../test/support/server.ts';
import { platformStatement } from '../../../database/statement.ts';
import { hashOfSecret } from '../../../encryption/secret-hash.ts';
import { addSeconds, type Timestamp } from '../../../values/time.ts';
import { offerSetUp } from '../set-up/operations.ts';

const email = 'ada@example.com';
const password = 'correct horse battery';

for (const database of databasesOfRun) {
  describe(`the pages of sign-in on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
      const token = await offerSetUp(server.server.store, server.server.clock.now());
      await openBrowser(server).post(`/setup?token=${token}`, { name: 'Ada', email, password });
    });
    after(() => server.stop());

    test('a page that needs a session asks for sign-in and returns', async () => {
      const browser = openBrowser(server);
      const asked = await browser.open('/signed-in?tab=keys&x=%2F');
      assert.equal(asked.status, 303);
      const signIn = String(asked.headers['location']);
      assert.match(signIn, /^\/sign-in\?next=/);
      assert.equal((await browser.open(signIn)).status, 200);
      const signedIn = await browser.post(signIn, { email: ' ADA@example.com ', password });
      assert.equal(signedIn.headers['location'], '/signed-in?tab=keys&x=%2F');
      assert.equal((await browser.open('/signed-in')).status, 200);
      assert.equal((await browser.open(signIn)).headers['location'], '/signed-in?tab=keys&x=%2F', 'already signed in');
    });

    test('sign-in redirects to no other site, in any spelling of the address', async () => {
      const elsewhere = [
        'https://evil.example/',
        '//evil.example',
        '/\\evil.example',
        '\\\\evil.example',
        '/\t/evil.example',
        '/\n/evil.example',
        '/.//evil.example',
        '/x/..//evil.example',
        'javascript:alert(1)',
        'evil.example',
        '',
        ' //evil.example',
        '/%0d%0aLocation: x\r\nSet-Cookie: a=b',
      ];
      for (const next of elsewhere) {
        const answer = await openBrowser(server).post(`/sign-in?${new URLSearchParams({ next })}`, { email, password });
        assert.equal(answer.status, 303);
        assert.equal(answer.headers['location'], '/', next);
      }
    });

    test('a wrong password and an unknown address get the same answer, and the input is escaped', async () => {
      const browser = openBrowser(server);
      const wrong = await browser.post('/sign-in', { email: 'x@example.com', password: 'wrong' });
      const unknown = await browser.post('/sign-in', { email: 'y@example.com', password: 'wrong' });
      assert.equal(wrong.status, 401);
      assert.equal(wrong.text.replace('x@', 'y@'), unknown.text);
      const script = '"><script>alert(1)</script>';
      const typed = await browser.post('/sign-in', { email: script, password: script });
      assert.ok(!typed.text.includes('<script>'));
      assert.equal((await browser.post('/sign-in', {})).status, 401);
    });

    test('guesses are delayed, on the pages and at the API together', async () => {
      const browser = openBrowser(server);
      const guessed = 'guessed@example.com';
      for (let count = 0; count < 5; count++) await browser.post('/sign-in', { email: guessed, password: 'wrong' });
      const refused = await browser.post('/sign-in', { email: guessed, password: 'wrong' });
      assert.equal(refused.status, 429);
      assert.ok(Number(refused.headers['retry-after']) >= 1);
      const body = JSON.stringify({ email: guessed, password: 'wrong' });
      const json = { 'content-type': 'application/json' };
      assert.equal((await server.request('POST', '/api/v0/session', body, json)).status, 429);
    });

    test('a form of another site, or without an origin, has no effect', async () => {
      const foreign: Record<string, string>[] = [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { origin: 'https://evil.example' },
        { origin: 'null' },
      ];
      for (const headers of foreign) {
        const answer = await openBrowser(server).post('/sign-in', { email, password }, headers);
        assert.equal(answer.status, 403, JSON.stringify(headers));
        assert.equal(answer.headers['set-cookie'], undefined);
      }
      const form = new URLSearchParams({ email, password }).toString();
      assert.equal((await server.request('POST', '/sign-in', form)).status, 403, 'not a browser');
    });

    test('signing out needs the token of the session, and ends every copy of the cookie', async () => {
      const browser = openBrowser(server);
      await browser.post('/sign-in', { email, password });
      assert.equal((await browser.post('/sign-out', { csrf_token: 'wrong' })).status, 403);
      assert.equal((await browser.post('/sign-out', { csrf_token: '' })).status, 403);
      assert.equal((await browser.open('/signed-in')).status, 200);
      const copy = openBrowser(server);
      for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
      const out = await browser.post('/sign-out', {});
      assert.equal(out.headers['location'], '/sign-in?after=sign-out');
      assert.deepEqual([...browser.cookies.keys()], ['signalbox_device'], 'it gives no access');
      assert.equal((await copy.open('/signed-in')).status, 303);
    });

    test('every sign-in starts a new session, and a planted cookie identifies no one', async () => {
      const planted = openBrowser(server);
      planted.cookies.set('signalbox_session', 'planted');
      await planted.post('/sign-in', { email, password });
      assert.notEqual(planted.cookies.get('signalbox_session'), 'planted');
      const attacker = openBrowser(server);
      attacker.cookies.set('signalbox_session', 'planted');
      assert.equal((await attacker.open('/signed-in')).status, 303);
    });

    test('an API key gives access to no page', async () => {
      const browser = openBrowser(server);
      await browser.post('/sign-in', { email, password });
      const cookie = `signalbox_session=${browser.cookies.get('signalbox_session')}`;
      const session = await server.request('GET', '/api/v0/session', undefined, { cookie });
      const made = await server.request('POST', '/api/v0/me/api-keys', '{"descriptor":"x"}', {
        cookie,
        'x-csrf-token': session.body.csrfToken,
        'content-type': 'application/json',
      });
      const authorization = `Bearer ${made.body.secret}`;
      assert.equal((await server.request('GET', '/signed-in', undefined, { authorization })).status, 303);
      const asCookie = { cookie: `signalbox_session=${made.body.secret}` };
      assert.equal((await server.request('GET', '/signed-in', undefined, asCookie)).status, 303);
    });

    test('pages are never framed or stored, load nothing and reveal their address to no other site', async () => {
      const browser = openBrowser(server);
      const pages = [await browser.open('/sign-in'), await browser.open('/setup?token=x')];
      await browser.post('/sign-in', { email, password });
      pages.push(await browser.open('/signed-in'));
      for (const { headers, text } of pages) {
        const policy = String(headers['content-security-policy']);
        assert.match(policy, /default-src 'none'/);
        assert.match(policy, /frame-ancestors 'none'/);
        assert.match(policy, /form-action 'self'/);
        assert.doesNotMatch(policy, /unsafe|script-src|\*/);
        assert.equal(headers['x-frame-options'], 'DENY');
        assert.equal(headers['cache-control'], 'no-store');
        assert.equal(headers['referrer-policy'], 'same-origin');
        assert.doesNotMatch(text, /<script|(?:src|href)="https?:/);
      }
    });

    test('a session records its last use, without a write at each request', async () => {
      const browser = openBrowser(server);
      await browser.post('/sign-in', { email, password });
      const { store, clock } = server.server;
      const id = hashOfSecret(browser.cookies.get('signalbox_session') ?? '');
      const find = platformStatement<{ id: string }, { last_seen_at: Timestamp }>((query, given) =>
        query.selectFrom('session').select('last_seen_at').where('id', '=', given.id),
      );
      const setBack = platformStatement<{ id: string; at: Timestamp }, unknown>((query, given) =>
        query.updateTable('session').set({ last_seen_at: given.at }).where('id', '=', given.id),
      );
      const seen = async () => (await store.platform.reads().first(find, { id }))?.last_seen_at ?? '';
      const openAfter = async (seconds: number) => {
        const at = addSeconds(clock.now(), -seconds);
        await store.platform.transaction((tx) => tx.run(setBack, { id, at }));
        await browser.open('/signed-in');
        return { moved: (await seen()) > at };
      };
      assert.deepEqual(await openAfter(60), { moved: false });
      assert.deepEqual(await openAfter(301), { moved: true });
    });

    test('behind a proxy that hides the host, the public address counts', async () => {
      const proxied = await startServer({ database, config: { publicUrl: 'https://signalbox.example' } });
      const token = await offerSetUp(proxied.server.store, proxied.server.clock.now());
      const made = await openBrowser(proxied).post(
        `/setup?token=${token}`,
        { name: 'Ada', email, password },
        { origin: 'https://signalbox.example' },
      );
      assert.equal(made.status, 303);
      assert.match(String(made.headers['set-cookie']), /Secure/);
      await proxied.stop();
    });
  });
}
