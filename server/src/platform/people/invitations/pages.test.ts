import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Browser, openBrowser } from '../../../../test/support/browser.ts';
import { type PlatformCaller, person } from '../../../../test/support/platform.ts';
import { databasesOfRun, startServer, type TestServer } from '../../../../test/support/server.ts';

const password = 'correct horse battery';

for (const database of databasesOfRun) {
  describe(`the page of an invitation on ${database}`, () => {
    let server: TestServer;
    let admin: PlatformCaller;
    before(async () => {
      server = await startServer({ database });
      admin = await person(server, 'ada@example.com', 'admin');
      await admin.post('/organizations', { name: 'Analytical <Engines>', slug: 'engines' });
    });
    after(() => server.stop());

    const invite = async (email: string, organization = 'engines') => {
      const { body } = await admin.post(`/organizations/${organization}/invitations`, { email, role: 'member' });
      return new URL(body.url).pathname;
    };
    const accountOf = async (browser: Browser) => (await browser.open('/signed-in')).text;

    test('a new person sees who invites to which organization, chooses a password, and becomes a member', async () => {
      const link = await invite('New@example.com');
      const browser = openBrowser(server);
      const page = await browser.open(link);
      assert.match(page.text, /Join Analytical &#60;Engines&#62;/);
      assert.match(page.text, /new@example\.com/);
      const short = await browser.post(link, { name: 'New', password: 'short' });
      assert.equal(short.status, 422);
      assert.match(short.text, /at least 12 characters/);
      const joined = await browser.post(link, { name: '', password });
      assert.equal(joined.status, 303);
      assert.match(await accountOf(browser), /Analytical &#60;Engines&#62;<\/dt><dd>Member/);
      assert.equal((await openBrowser(server).open(link)).status, 404, 'used');
      assert.equal((await openBrowser(server).post(link, { password })).status, 404);
      assert.equal((await openBrowser(server).open('/invitations/unknown')).status, 404);
    });

    test('a person with an account signs in and joins with it', async () => {
      const email = `both-${database}@example.com`;
      const browser = openBrowser(server);
      await browser.post(await invite(email), { password });
      const link = await invite(email, 'default');
      const signedOut = openBrowser(server);
      const asked = await signedOut.open(link);
      const signIn = /href="(\/sign-in\?[^"]*)"/.exec(asked.text)?.[1]?.replaceAll('&#38;', '&') ?? '';
      const taken = await signedOut.post(link, { password: 'another password of mine' });
      assert.equal(taken.status, 409, 'an invitation gives no access to an existing account');
      assert.match(taken.text, /Sign in to join/);
      const back = await signedOut.post(signIn, { email, password });
      assert.equal(back.headers['location'], link);
      assert.match((await signedOut.open(link)).text, /name="csrf_token"/);
      assert.equal((await signedOut.post(link, { csrf_token: 'wrong' })).status, 403);
      assert.equal((await signedOut.post(link, {})).status, 303);
      assert.match(await accountOf(signedOut), /Default<\/dt><dd>Member/);
    });

    test('a signed-in person cannot accept an invitation for another address', async () => {
      const browser = openBrowser(server);
      await browser.post(await invite(`one-${database}@example.com`), { password });
      const link = await invite(`other-${database}@example.com`, 'default');
      const page = await browser.open(link);
      assert.equal(page.status, 403);
      assert.match(page.text, new RegExp(`You are signed in as one-${database}@example.com`));
      assert.equal((await browser.post(link, {})).status, 403);
      assert.doesNotMatch(await accountOf(browser), /Default/);
      assert.equal(
        (await openBrowser(server).post(link, { password })).status,
        303,
        'the invitation can still be used',
      );
    });

    test('a revoked invitation says that it does not work', async () => {
      const email = `revoked-${database}@example.com`;
      const link = await invite(email);
      const listed = (await admin.get('/organizations/engines/invitations?limit=200')).body.items;
      const { id } = listed.find((one: { email: string }) => one.email === email);
      await admin.delete(`/organizations/engines/invitations/${id}`);
      const page = await openBrowser(server).open(link);
      assert.equal(page.status, 404);
      assert.match(page.text, /does not work/);
    });
  });
}
