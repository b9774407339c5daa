import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Browser, openBrowser } from '../../../../test/support/browser.ts';
import {
  clientId,
  clientSecret,
  type IdentityProvider,
  type Person,
  startIdentityProvider,
} from '../../../../test/support/identity-provider.ts';
import { callerWith, type PlatformCaller, person } from '../../../../test/support/platform.ts';
import { databasesOfRun, startServer, type TestServer } from '../../../../test/support/server.ts';
import type { OidcConfig } from '../../../config.ts';

const callback = '/sign-in/oidc/callback';

for (const database of databasesOfRun) {
  describe(`sign-in through an identity provider on ${database}`, () => {
    let provider: IdentityProvider;
    let oidc: OidcConfig;
    let server: TestServer;
    let admin: PlatformCaller;
    before(async () => {
      provider = await startIdentityProvider(`http://signalbox${callback}`);
      oidc = {
        issuer: provider.issuer,
        clientId,
        clientSecret,
        label: 'Example <ID>',
        scopes: 'openid email profile',
        emailDomains: [],
        groupsClaim: 'groups',
        groupRoles: [],
        newUsers: 'invited',
      };
      server = await startServer({ database, config: { oidc } });
      admin = await person(server, 'ada@example.com', 'admin');
    });
    after(async () => {
      await server.stop();
      await provider.stop();
    });

    /** Goes to the provider as this person; returns the path to which it sends the browser back. */
    const goAs = async (browser: Browser, who: Person, next?: string) => {
      provider.person = who;
      const query = next === undefined ? '' : `?${new URLSearchParams({ next })}`;
      const begun = await browser.open(`/sign-in/oidc${query}`);
      assert.equal(begun.status, 303, begun.text);
      const { pathname, search } = new URL(await provider.visit(String(begun.headers['location'])));
      return pathname + search;
    };
    const signInAs = async (browser: Browser, who: Person, next?: string) =>
      browser.open(await goAs(browser, who, next));
    const verified = (sub: string, email: string): Person => ({ sub, email, email_verified: true, name: 'Some One' });

    test('a verified address signs in its user, and the subject stays linked when the address changes', async () => {
      const browser = openBrowser(server);
      const page = await browser.open('/sign-in?next=%2Faccount');
      assert.match(page.text, /Sign in with Example &#60;ID&#62;/);
      assert.match(page.text, /href="\/sign-in\/oidc\?next=%2Faccount"/);
      const signedIn = await signInAs(browser, verified('ada', 'Ada@Example.com'), '/signed-in');
      assert.equal(signedIn.status, 303, signedIn.text);
      assert.equal(signedIn.headers['location'], '/signed-in');
      assert.match((await browser.open('/signed-in')).text, /ada@example\.com[\s\S]*Administrator/);
      const renamed = openBrowser(server);
      await signInAs(renamed, verified('ada', 'countess@example.com'));
      assert.match((await renamed.open('/signed-in')).text, /ada@example\.com/);
      assert.equal((await admin.get('/me')).status, 200, 'the account keeps its keys');
    });

    test('an unknown person is refused, and accepted once invited', async () => {
      const email = `guest-${database}@example.com`;
      const browser = openBrowser(server);
      const refused = await signInAs(browser, verified('guest', email));
      assert.equal(refused.status, 403);
      assert.match(refused.text, /There is no account for/);
      assert.equal((await browser.open('/signed-in')).status, 303);
      const { body } = await admin.post('/organizations/default/invitations', { email });
      const link = new URL(body.url).pathname;
      assert.match((await browser.open(link)).text, /Sign in with Example/);
      const back = await signInAs(browser, verified('guest', email), link);
      assert.equal(back.headers['location'], link);
      assert.match((await browser.open(link)).text, /name="csrf_token"/);
      await browser.post(link, {});
      assert.match((await browser.open('/signed-in')).text, /Default<\/dt><dd>Member/);
    });

    test('an address that the provider has not verified signs in no one', async () => {
      const doubtful: Person[] = [
        { sub: 'eve-1', email: 'ada@example.com', email_verified: false },
        { sub: 'eve-2', email: 'ada@example.com' },
        { sub: 'eve-3' },
        { sub: 'eve-4', email: 'ada@example.com', email_verified: 'true' as unknown as boolean },
      ];
      for (const who of doubtful) {
        const browser = openBrowser(server);
        const refused = await signInAs(browser, who);
        assert.equal(refused.status, 403, who.sub);
        assert.match(refused.text, /has not verified/);
        assert.equal((await browser.open('/signed-in')).status, 303);
      }
    });

    test('parameters of another sign-in are refused', async () => {
      const browser = openBrowser(server);
      const back = await goAs(browser, verified('ada', 'ada@example.com'));
      const stranger = openBrowser(server);
      assert.equal((await stranger.open(back)).status, 403, 'started in another browser');
      const other = openBrowser(server);
      await goAs(other, verified('ada', 'ada@example.com'));
      assert.equal((await other.open(back)).status, 403, 'the state of another sign-in');
      const tampered = openBrowser(server);
      await goAs(tampered, verified('ada', 'ada@example.com'));
      for (const name of tampered.cookies.keys()) tampered.cookies.set(name, 'eyJzdGF0ZSI6IngifQ');
      assert.equal((await tampered.open(back)).status, 403, 'a cookie from elsewhere');
      const address = new URL(back, 'http://signalbox');
      for (const [name, value] of [
        ['state', 'x'],
        ['iss', 'https://evil.example'],
        ['code', 'x'],
      ] as const) {
        const again = openBrowser(server);
        const changed = new URL(await goAs(again, verified('ada', 'ada@example.com')), address);
        changed.searchParams.set(name, value);
        assert.equal((await again.open(changed.pathname + changed.search)).status, 403, name);
        assert.equal((await again.open('/signed-in')).status, 303);
      }
      assert.equal((await browser.open(`${callback}?error=access_denied&state=x`)).status, 403);
      assert.equal((await openBrowser(server).open(callback)).status, 403);
    });

    test('sign-ins that a browser begins in two tabs both succeed, in any order, and a refusal ends none of them', async () => {
      for (const order of [
        [0, 1],
        [1, 0],
      ]) {
        const browser = openBrowser(server);
        const tabs = [];
        for (const next of ['/one', '/two']) tabs.push(await goAs(browser, verified('ada', 'ada@example.com'), next));
        assert.equal((await browser.open(`${callback}?error=access_denied&state=x`)).status, 403);
        for (const tab of order) {
          const { status, headers } = await browser.open(tabs[tab] ?? '');
          assert.deepEqual([status, headers['location']], [303, ['/one', '/two'][tab]]);
        }
        assert.deepEqual([...browser.cookies.keys()], ['signalbox_session', 'signalbox_device']);
      }
    });

    test('a browser that begins many sign-ins keeps the newest', async () => {
      const browser = openBrowser(server);
      const begun = [];
      for (let tab = 0; tab < 20; tab++) begun.push(await goAs(browser, verified('ada', 'ada@example.com')));
      assert.equal(browser.cookies.size, 5);
      assert.equal((await browser.open(begun.at(-6) ?? '')).status, 403);
      for (const back of begun.slice(-5)) assert.equal((await browser.open(back)).status, 303);
    });

    test('a code is accepted once, also with a copy of the cookie', async () => {
      const browser = openBrowser(server);
      const back = await goAs(browser, verified('ada', 'ada@example.com'));
      const copy = openBrowser(server);
      for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
      assert.equal((await browser.open(back)).status, 303);
      assert.equal((await browser.open(back)).status, 403);
      assert.equal((await copy.open(back)).status, 403);
      assert.equal((await copy.open('/signed-in')).status, 303);
    });

    test('a provider with another issuer, or without an answer, is not used', async () => {
      for (const issuer of [provider.issuer.replace('127.0.0.1', 'localhost'), 'http://127.0.0.1:1']) {
        const mistaken = await startServer({ database, config: { oidc: { ...oidc, issuer } } });
        const refused = await openBrowser(mistaken).open('/sign-in/oidc');
        assert.equal(refused.status, 503);
        assert.match(refused.text, /cannot be reached, or does not match the configuration/);
        await mistaken.stop();
      }
    });

    test('allowed domains are a setting, and another setting admits all their people as members', async () => {
      const open = await startServer({
        database,
        config: { oidc: { ...oidc, emailDomains: ['corp.example'], newUsers: 'members' } },
      });
      const browser = openBrowser(open);
      assert.equal((await signInAs(browser, verified('x', 'x@corp.example.evil'))).status, 403);
      assert.equal((await signInAs(browser, verified('y', 'corp.example@evil.example'))).status, 403);
      const joined = await signInAs(browser, verified('z', 'Zoe@Corp.example'));
      assert.equal(joined.status, 303, joined.text);
      assert.match((await browser.open('/signed-in')).text, /Some One[\s\S]*Default<\/dt><dd>Member/);
      await open.stop();
    });

    test('groups of the provider give roles at each sign-in, and the last administrator stays', async () => {
      const place = { organization: 'default' } as const;
      const groupRoles = [
        { ...place, group: 'cn=leads,ou=teams', role: 'admin' },
        { ...place, group: 'engineers', role: 'member' },
        { organization: 'nowhere', group: 'engineers', role: 'admin' },
      ] as const;
      const mapped = await startServer({ database, config: { oidc: { ...oidc, groupRoles } } });
      const root = await person(mapped, 'root@example.com', 'admin');
      const members = async () => {
        const { items } = (await root.get('/organizations/default/members')).body;
        return new Map(items.map(({ email, role }: { email: string; role: string }) => [email, role]));
      };
      const signInWith = async (name: string, groups: readonly string[]) => {
        const browser = openBrowser(mapped);
        await signInAs(browser, { ...verified(name, `${name}@example.com`), groups });
        return browser.open('/signed-in');
      };
      const roleWith = async (groups: readonly string[]) => {
        assert.equal((await signInWith('lea', groups)).status, 200);
        return (await members()).get('lea@example.com');
      };
      assert.equal((await signInWith('stranger', ['others'])).status, 303, 'no group, no account');
      assert.equal(await roleWith(['engineers']), 'member', 'a group admits without an invitation');
      assert.equal(await roleWith(['engineers', 'cn=leads,ou=teams']), 'admin', 'the highest role');
      assert.equal(await roleWith(['ENGINEERS', 'others']), undefined, 'the groups are gone');
      assert.equal(await roleWith(['cn=leads,ou=teams']), 'admin');
      const { items } = (await root.get('/organizations/default/audit')).body;
      const seen = items.filter(({ targetName }: { targetName: string }) => targetName === 'lea@example.com');
      assert.deepEqual(
        seen.map(({ action, details }: { action: string; details: object }) => [action, details]).reverse(),
        [
          ['member.create', { role: 'member', source: 'identity provider' }],
          ['member.update', { role: 'admin', source: 'identity provider' }],
          ['member.remove', { source: 'identity provider' }],
          ['member.create', { role: 'admin', source: 'identity provider' }],
        ],
      );
      const isAdministrator = /Default<\/dt><dd>Administrator/;
      assert.doesNotMatch((await signInWith('root', [])).text, isAdministrator, 'another one is left');
      assert.match((await signInWith('lea', [])).text, isAdministrator, 'the last one stays');
      await mapped.stop();
    });

    test("an account that joined by an invitation to another person's address is not shared with the owner of that address", async () => {
      const email = `victim-${database}@example.com`;
      const password = 'correct horse battery';
      const { body } = await admin.post('/organizations/default/invitations', { email });
      const thief = openBrowser(server);
      await thief.post(new URL(body.url).pathname, { password });
      const cookie = `signalbox_session=${thief.cookies.get('signalbox_session')}`;
      const { csrfToken } = (await server.request('GET', '/api/v0/session', undefined, { cookie })).body;
      const headers = { cookie, 'x-csrf-token': csrfToken, 'content-type': 'application/json' };
      const key = (await server.request('POST', '/api/v0/me/api-keys', '{"descriptor":"x"}', headers)).body.secret;
      const post = (path: string, fields: Record<string, string>) =>
        server.request('POST', `/api/v0/oauth/device/${path}`, new URLSearchParams(fields).toString(), {
          'content-type': 'application/x-www-form-urlencoded',
        });
      const device = (await post('authorization', { client_id: 'test' })).body;
      const approval = JSON.stringify({ userCode: device.user_code, approve: true });
      assert.equal((await server.request('POST', '/api/v0/oauth/device', approval, headers)).status, 204);
      const owner = openBrowser(server);
      assert.equal((await signInAs(owner, verified('victim', email))).status, 303);
      const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
      const polled = await post('token', { grant_type, client_id: 'test', device_code: device.device_code });
      assert.equal(polled.body.access_token, undefined, 'the approved device');
      assert.equal((await owner.open('/signed-in')).status, 200);
      assert.equal((await thief.open('/signed-in')).status, 303, 'the session');
      assert.equal((await callerWith(server, key).get('/me')).status, 401, 'the key');
      assert.equal((await openBrowser(server).post('/sign-in', { email, password })).status, 401, 'the password');
    });

    test('a server without a provider has no such page', async () => {
      const plain = await startServer({ database });
      assert.equal((await openBrowser(plain).open('/sign-in/oidc')).status, 404);
      assert.equal((await openBrowser(plain).open(callback)).status, 404);
      assert.doesNotMatch((await openBrowser(plain).open('/sign-in')).text, /oidc/);
      await plain.stop();
    });
  });
}
