/**
 * Sign-ins through a provider that lies, through a browser that sends something else back, and through both at a bad
 * moment.
 */
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { after, afterEach, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openBrowser } from '../../../../test/support/browser.ts';
import { clientId, clientSecret, type Person } from '../../../../test/support/identity-provider.ts';
import { goBack, type Lies, LyingProvider, optionsOf } from '../../../../test/support/lying-provider.ts';
import { type PlatformCaller, person } from '../../../../test/support/platform.ts';
import { type Answer, databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { TrustedProxies } from '../../../network/trusted-proxies.ts';
import { createOperatorContext } from '../../operator/operator.ts';
import { unlinkUserOfAddress } from '../../operator/users.ts';

const callback = '/sign-in/oidc/callback';
const ada: Person = { sub: 'ada', email: 'ada@example.com', email_verified: true, name: 'Ada' };
const now = () => Math.floor(Date.now() / 1000);
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ellipticKey = generateKeyPairSync('ec', { namedCurve: 'P-256' });

async function signIn(provider: LyingProvider, server: TestServer, who: Person, lies: Lies = {}): Promise<Answer> {
  Object.assign(provider, { person: who, lies });
  const browser = openBrowser(server);
  const answer = await browser.open(await goBack(provider, browser));
  assert.equal(browser.cookies.has('signalbox_session'), answer.status === 303);
  return answer;
}

const withClaims = (changes: Record<string, unknown>): Lies => ({ claims: (honest) => ({ ...honest, ...changes }) });
const withoutClaim = (name: string): Lies => ({ claims: ({ [name]: _, ...rest }) => rest });
const withHead = (changes: Record<string, unknown>, signature?: Lies['signature']): Lies => ({
  head: (honest) => ({ ...honest, ...changes }),
  ...(signature ? { signature } : {}),
});
const hmac = (key: string) => (input: string) => createHmac('sha256', key).update(input).digest('base64url');
const signedBy = (key: typeof stranger.privateKey) => (input: string) =>
  sign('sha256', Buffer.from(input), key).toString('base64url');
const withTokens = (changes: Record<string, unknown>): Lies => ({ tokens: (honest) => ({ ...honest, ...changes }) });
const at =
  (wanted: string, answer: (response: ServerResponse) => unknown): NonNullable<Lies['answer']> =>
  (path, response) => {
    if (path !== wanted) return false;
    answer(response);
    return true;
  };
const answering = (path: string, status: number, text: string, type = 'application/json', headers = {}): Lies => ({
  answer: at(path, (response) => response.writeHead(status, { 'content-type': type, ...headers }).end(text)),
});
const huge = JSON.stringify({ filler: 'x'.repeat(2_000_000) });
const bomb = (path: string): Lies => ({
  answer: at(path, (response) =>
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      .end(gzipSync(`{"filler":"${' '.repeat(20_000_000)}"}`)),
  ),
});
const back = (change: (parameters: URLSearchParams) => void): Lies => ({ back: change });

/** The lies, by what is wrong. `provider` is read at the time of the lie. */
const liesAtSignIn = (provider: LyingProvider): Record<string, Lies> => ({
  'no state': back((given) => given.delete('state')),
  'an empty state': back((given) => given.set('state', '')),
  'another state': back((given) => given.set('state', 'x')),
  'two states': back((given) => given.append('state', given.get('state') ?? '')),
  'no code': back((given) => given.delete('code')),
  'an unknown code': back((given) => given.set('code', 'x')),
  'two codes': back((given) => given.append('code', 'x')),
  'an error and a code': back((given) => given.set('error', 'access_denied')),
  'another issuer in the address': back((given) => given.set('iss', 'https://evil.example')),
  'no issuer in the address, where the provider says that it names itself': back((given) => given.delete('iss')),
  'an answer for another flow': back((given) => given.set('response', 'x.y.z')),
  'no nonce': withoutClaim('nonce'),
  'another nonce': withClaims({ nonce: 'x' }),
  'a nonce that is a list': withClaims({ nonce: ['x'] }),
  'no issuer': withoutClaim('iss'),
  'another issuer': withClaims({ iss: 'https://evil.example' }),
  'the issuer with a slash': withClaims({ iss: `${provider.issuer}/` }),
  'no audience': withoutClaim('aud'),
  'another audience': withClaims({ aud: 'other' }),
  'an audience of none': withClaims({ aud: [] }),
  'an audience of others': withClaims({ aud: ['a', 'b'] }),
  'an audience that begins like ours': withClaims({ aud: `${clientId}2` }),
  'several audiences and no authorized party': withClaims({ aud: [clientId, 'other'] }),
  'another authorized party': withClaims({ aud: [clientId, 'other'], azp: 'other' }),
  'another authorized party of our audience': withClaims({ azp: 'other' }),
  expired: withClaims({ exp: now() - 3600 }),
  'no expiry': withoutClaim('exp'),
  'an expiry that is text': withClaims({ exp: '9999999999' }),
  'no time of issue': withoutClaim('iat'),
  'a time of issue that is text': withClaims({ iat: 'now' }),
  'issued in the future': withClaims({ iat: now() + 3600, exp: now() + 7200 }),
  'not valid yet': withClaims({ nbf: now() + 3600 }),
  'the hash of another access token': withClaims({ at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' }),
  'no subject': withoutClaim('sub'),
  'an empty subject': withClaims({ sub: '' }),
  'a subject that is a number': withClaims({ sub: 1 }),
  'a subject that is too long': withClaims({ sub: 'x'.repeat(256) }),
  'a subject with a zero byte': withClaims({ sub: 'ada\0' }),
  'algorithm none': withHead({ alg: 'none' }, () => ''),
  'algorithm none, in capitals, with a signature': withHead({ alg: 'NONE' }),
  'signed with the client secret': withHead({ alg: 'HS256' }, hmac(clientSecret)),
  'signed with the public key as a secret': withHead(
    { alg: 'HS256' },
    hmac(provider.publicKey.export({ type: 'spki', format: 'pem' }).toString()),
  ),
  'another algorithm of the same key': withHead({ alg: 'RS512' }, (input) =>
    sign('sha512', Buffer.from(input), provider.privateKey).toString('base64url'),
  ),
  'an elliptic algorithm': withHead({ alg: 'ES256' }, (input) =>
    sign('sha256', Buffer.from(input), { key: ellipticKey.privateKey, dsaEncoding: 'ieee-p1363' }).toString(
      'base64url',
    ),
  ),
  'no algorithm': withHead({ alg: undefined }),
  'the key of somebody else': { signature: signedBy(stranger.privateKey) },
  'a key that nobody publishes': withHead({ kid: 'x' }, signedBy(stranger.privateKey)),
  'a key that the token brings along': withHead(
    { jwk: stranger.publicKey.export({ format: 'jwk' }) },
    signedBy(stranger.privateKey),
  ),
  'keys at an address that the token names': withHead(
    { jku: `${provider.issuer}/jwks`, kid: 'x' },
    signedBy(stranger.privateKey),
  ),
  'an extension that must be understood': withHead({ crit: ['exp'], exp: 1 }),
  'no signature': { signature: () => '' },
  'a short signature': { signature: (_, honest) => honest.slice(0, 20) },
  'claims that were changed after signing': {
    idToken: (honest) => {
      const [head, , signature] = honest.split('.');
      const claims = { iss: provider.issuer, aud: clientId, iat: now(), exp: now() + 300, sub: 'eve' };
      return `${head}.${encoded(claims)}.${signature}`;
    },
  },
  'two parts': { idToken: (honest) => honest.split('.').slice(0, 2).join('.') },
  'five parts': { idToken: (honest) => `${honest}..` },
  'no ID token': withTokens({ id_token: undefined }),
  'an empty ID token': withTokens({ id_token: '' }),
  'an ID token that is an object': withTokens({ id_token: {} }),
  'no access token': withTokens({ access_token: undefined }),
  'another type of token': withTokens({ token_type: 'mac' }),
  'an error in place of tokens': answering('/token', 400, '{"error":"invalid_grant"}'),
  'a refused client': answering('/token', 401, '{"error":"invalid_client"}', 'application/json', {
    'www-authenticate': 'Basic realm="x"',
  }),
  'tokens with a failure': answering('/token', 500, '{}'),
  'a page in place of tokens': answering('/token', 200, '<html></html>', 'text/html'),
  'text that is not JSON': answering('/token', 200, '{"access_token":'),
  'a list in place of tokens': answering('/token', 200, '[]'),
  'nothing in place of tokens': answering('/token', 204, ''),
  'tokens elsewhere': answering('/token', 307, '', 'text/plain', { location: `${provider.issuer}/jwks` }),
  'tokens in two megabytes': answering('/token', 200, huge),
  'tokens in a bomb': bomb('/token'),
  'a connection that ends': { answer: at('/token', (response) => response.destroy()) },
});

/** Lies of `/userinfo` about claims that the ID token omits. */
const liesOfUserinfo: Record<string, Lies> = {
  'another person': { userinfo: (honest) => ({ ...honest, sub: 'eve' }) },
  'no person': { userinfo: ({ sub: _, ...rest }) => rest },
  'an address that is not verified': { userinfo: (honest) => ({ ...honest, email_verified: false }) },
  'an address that is verified in words': { userinfo: (honest) => ({ ...honest, email_verified: 'true' }) },
  'a list of addresses': { userinfo: (honest) => ({ ...honest, email: ['ada@example.com'] }) },
  'another issuer': { userinfo: () => ({ sub: 'ada', iss: 'https://evil.example' }) },
  'a page': answering('/userinfo', 200, '<html></html>', 'text/html'),
  'a failure': answering('/userinfo', 500, '{}'),
  'two megabytes': answering('/userinfo', 200, huge),
  'a bomb': bomb('/userinfo'),
};

for (const database of databases) {
  describe(`a provider that lies, on ${database}`, () => {
    let provider: LyingProvider;
    let server: TestServer;
    let admin: PlatformCaller;
    before(async () => {
      provider = await LyingProvider.start();
      server = await startServer({ database, config: optionsOf(provider) });
      admin = await person(server, 'ada@example.com', 'admin');
    });
    after(async () => {
      await server.stop();
      await provider.stop();
    });
    afterEach(() => Object.assign(provider, { lies: {}, tellsInToken: true }));

    const invite = async (email: string) => {
      const made = await admin.post('/organizations/default/invitations', { email });
      assert.equal(made.status, 201, made.text);
    };

    test('each lie about a sign-in is refused, and true answers before and after it are accepted', async () => {
      const lies = Object.entries(liesAtSignIn(provider));
      assert.ok(lies.length >= 60);
      assert.equal((await signIn(provider, server, ada)).status, 303);
      for (const [name, lie] of lies) {
        const { status, text } = await signIn(provider, server, ada, lie);
        assert.equal(status, 403, `${name}: ${text}`);
        assert.match(text, /did not confirm the sign-in|did not begin in this browser/, name);
      }
      assert.equal((await signIn(provider, server, ada)).status, 303);
      assert.deepEqual(provider.faults, [], "the server's requests for each code were correct");
    });

    const hour = 3600;
    const shared = database === 'postgres' ? test : test.skip;
    shared('a machine whose clock is wrong accepts a token that counts now, and no other', async (t) => {
      const issued = now();
      const at = (seconds: number) => withClaims({ iat: issued + seconds, exp: issued + seconds + 300 });
      for (const wrong of [hour, -hour]) {
        const right = Date.now;
        const clock = t.mock.method(Date, 'now', () => right() + wrong * 1000);
        assert.equal((await signIn(provider, server, ada, at(0))).status, 303, `${wrong} s ahead`);
        assert.equal((await signIn(provider, server, ada, at(wrong))).status, 403, 'by the clock of the machine');
        clock.mock.restore();
      }
    });

    test('each lie of the userinfo endpoint is refused', async () => {
      provider.tellsInToken = false;
      assert.equal((await signIn(provider, server, ada)).status, 303);
      const eve = { ...ada, sub: `eve-${database}` };
      for (const [name, lie] of Object.entries(liesOfUserinfo)) {
        const { status, text } = await signIn(provider, server, eve, lie);
        assert.equal(status, 403, `${name}: ${text}`);
      }
    });

    test('an address that only resembles another signs in no one', async () => {
      const addresses = [
        'ad\u0061@example.com\0',
        'ada@example.com ',
        ' ada@example.com',
        'ada@example.com,eve@evil.example',
      ];
      await invite('mike@example.com');
      for (const email of [
        ...addresses,
        'mi\u212ae@example.com',
        'a da@example.com',
        `${'a'.repeat(300)}@example.com`,
      ]) {
        const { status, text } = await signIn(provider, server, { ...ada, sub: `odd ${email.length}`, email });
        assert.equal(status, 403, `${JSON.stringify(email)}: ${text}`);
      }
    });

    test('a name may contain any characters', async () => {
      const email = `named-${database}@example.com`;
      await invite(email);
      const name = `\0<b>${'😀'.repeat(150)}\n`;
      assert.equal((await signIn(provider, server, { ...ada, sub: `named-${database}`, email, name })).status, 303);
    });

    test('an address that the provider reassigned does not give access to the account', async () => {
      const email = `reused-${database}@example.com`;
      await invite(email);
      assert.equal((await signIn(provider, server, { ...ada, sub: `first-${database}`, email })).status, 303);
      const second = await signIn(provider, server, { ...ada, sub: `second-${database}`, email });
      assert.equal(second.status, 403);
      assert.match(second.text, /belongs to another person at the identity provider/);
      const changed = { ...ada, sub: `first-${database}`, email: 'ada@example.com' };
      assert.equal((await signIn(provider, server, changed)).status, 303, 'the first person keeps the account');
      const { store, clock } = server.server;
      await unlinkUserOfAddress(createOperatorContext(store, clock.now(), server.server), email);
      assert.equal((await signIn(provider, server, { ...ada, sub: `second-${database}`, email })).status, 303);
      assert.equal((await signIn(provider, server, changed)).status, 403, 'an operator unlinked the first person');
    });

    test('one of two people with the same address at the same time gets the account', async () => {
      for (let round = 0; round < 5; round++) {
        const email = `twins-${round}-${database}@example.com`;
        await invite(email);
        const comings = [0, 1, 2, 3].map(async (index) => {
          const browser = openBrowser(server);
          provider.person = { ...ada, sub: `twin-${index % 2}-${round}-${database}`, email };
          const begun = await browser.open('/sign-in/oidc');
          provider.person = { ...ada, sub: `twin-${index % 2}-${round}-${database}`, email };
          const { pathname, search } = new URL(provider.visit(String(begun.headers['location'])));
          return { index, browser, address: pathname + search };
        });
        const ready = await Promise.all(comings);
        const answers = await Promise.all(
          ready.map(async ({ index, browser, address }) => ({ index, answer: await browser.open(address) })),
        );
        const let_in = answers.filter(({ answer }) => answer.status === 303).map(({ index }) => index % 2);
        assert.equal(new Set(let_in).size, 1, answers.map(({ answer }) => answer.text).join('\n'));
        assert.equal(let_in.length, 2, 'the same person may sign in twice at once');
        assert.ok(answers.every(({ answer }) => [303, 403].includes(answer.status)));
      }
    });

    test('a browser is redirected to addresses of this server only', async () => {
      Object.assign(provider, { person: ada, lies: {} });
      const elsewhere = [
        '//evil.example',
        '/\\evil.example',
        'https://evil.example',
        'javascript:alert(1)',
        '/\t/evil.example',
      ];
      for (const next of [...elsewhere, '/..//evil.example', 'evil.example', '/%0a//evil.example\n', '']) {
        const browser = openBrowser(server);
        const { status, headers } = await browser.open(await goBack(provider, browser, next));
        assert.equal(status, 303);
        const { origin, pathname } = new URL(String(headers['location']), 'http://signalbox');
        assert.equal(origin, 'http://signalbox', next);
        assert.ok(!pathname.startsWith('//'), next);
      }
    });

    test('a refused sign-in leaves no account', async (t) => {
      const open = await startServer({ database, config: optionsOf(provider, { newUsers: 'members' }) });
      t.after(() => open.stop());
      const owner = await person(open, 'owner@example.com', 'admin');
      for (const lie of [withClaims({ nonce: 'x' }), withClaims({ email_verified: false }), withClaims({ sub: '' })]) {
        assert.equal((await signIn(provider, open, ada, lie)).status, 403);
      }
      const members = async () => (await owner.get('/organizations/default/members')).body.items.length;
      assert.equal(await members(), 1);
      assert.equal((await signIn(provider, open, ada)).status, 303);
      assert.equal(await members(), 2);
    });

    test('behind a proxy with a path and https, the redirect address is correct, and no cookie travels in plain text', async (t) => {
      const trustedProxies = new TrustedProxies(['127.0.0.1']);
      const proxied = await startServer({ database, config: { ...optionsOf(provider), trustedProxies } });
      t.after(() => proxied.stop());
      await person(proxied, 'ada@example.com', 'admin');
      const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-prefix': '/signalbox', host: 'signalbox' };
      Object.assign(provider, { person: ada, lies: {} });
      const begun = await proxied.request('GET', '/sign-in/oidc?next=%2Faccount', undefined, headers);
      const [underWay = ''] = [begun.headers['set-cookie'] ?? []].flat().map(String);
      assert.match(
        underWay,
        /^signalbox_oidc_[\w-]+=[\w-]+; Path=\/signalbox\/sign-in\/oidc; HttpOnly; SameSite=Lax; Max-Age=600; Secure$/,
      );
      const returned = new URL(provider.visit(String(begun.headers['location'])));
      assert.equal(returned.origin + returned.pathname, `https://signalbox/signalbox${callback}`);
      const cookie = underWay.split(';')[0] ?? '';
      const arrived = await proxied.request('GET', callback + returned.search, undefined, { ...headers, cookie });
      assert.equal(arrived.status, 303, arrived.text);
      assert.equal(arrived.headers['location'], '/signalbox/account');
      assert.deepEqual(provider.faults, []);
      const set = [arrived.headers['set-cookie'] ?? []].flat().map(String);
      assert.deepEqual(
        set.map((line) => line.split('=', 1)[0]),
        ['signalbox_session', 'signalbox_device', cookie.split('=', 1)[0]],
      );
      for (const line of set) {
        assert.match(line, /; HttpOnly; SameSite=Lax; Max-Age=\d+; Secure$/);
        assert.doesNotMatch(line, /Domain/i);
      }
      const plain = await openBrowser(proxied).open('/sign-in/oidc');
      assert.doesNotMatch(String(plain.headers['set-cookie']), /Secure/, 'a plain http request gets an http address');
    });
  });
}

describe('a provider that lies about itself', () => {
  let provider: LyingProvider;
  let server: TestServer;
  before(async () => {
    provider = await LyingProvider.start();
    server = await startServer({ config: optionsOf(provider) });
    await person(server, 'ada@example.com', 'admin');
  });
  after(async () => {
    await server.stop();
    await provider.stop();
  });

  /** Acts like a restart: the server keeps what it knows of the provider with its settings object. */
  const forget = () => Object.assign(server.server, { config: { ...server.server.config, ...optionsOf(provider) } });
  /** The answer of a server that first reaches the provider while the provider lies. */
  const meet = async (lies: Lies) => {
    forget();
    Object.assign(provider, { person: ada, lies });
    const browser = openBrowser(server);
    const begun = await browser.open('/sign-in/oidc');
    if (begun.status !== 303) return begun;
    const { pathname, search } = new URL(provider.visit(String(begun.headers['location'])));
    return browser.open(pathname + search);
  };
  const describing = (changes: Record<string, unknown>): Lies => ({
    discovery: (honest) => ({ ...honest, ...changes }),
  });

  test('is not used, or signs in no one', async () => {
    const description = '/.well-known/openid-configuration';
    const publicJwk = (kid?: string) => ({ ...stranger.publicKey.export({ format: 'jwk' }), kid, use: 'sig' });
    const lies: Record<string, Lies> = {
      'another issuer': describing({ issuer: 'https://evil.example' }),
      'no issuer': describing({ issuer: undefined }),
      'no page to sign in at': describing({ authorization_endpoint: undefined }),
      'a script as the page to sign in at': describing({ authorization_endpoint: 'javascript:alert(1)' }),
      'a path as the page to sign in at': describing({ authorization_endpoint: '/authorize' }),
      'no endpoint for tokens': describing({ token_endpoint: undefined }),
      'an endpoint for tokens that is a file': describing({ token_endpoint: 'file:///etc/passwd' }),
      'no keys': describing({ jwks_uri: undefined }),
      'keys in a file': describing({ jwks_uri: 'file:///etc/passwd' }),
      'only algorithm none': {
        ...describing({ id_token_signing_alg_values_supported: ['none'] }),
        ...withHead({ alg: 'none' }, () => ''),
      },
      'only a shared secret': {
        ...describing({ id_token_signing_alg_values_supported: ['HS256'] }),
        ...withHead({ alg: 'HS256' }, hmac(clientSecret)),
      },
      'a description that is a page': answering(description, 200, '<html></html>', 'text/html'),
      'a description that is a list': answering(description, 200, '[]'),
      'a description elsewhere': answering(description, 302, '', 'text/plain', { location: '/elsewhere' }),
      'a description that fails': answering(description, 500, '{}'),
      'a description in two megabytes': answering(description, 200, huge),
      'a description in a bomb': bomb(description),
      'keys that are none': { keys: () => [] },
      'keys of somebody else': { keys: () => [publicJwk()] },
      'two keys and a token that names neither': {
        keys: (honest) => [...honest.map((key) => ({ ...key, kid: 'a' })), publicJwk('b')],
        head: ({ kid: _, ...rest }) => rest,
      },
      'a key for encryption': { keys: (honest) => honest.map((key) => ({ ...key, use: 'enc' })) },
      'a shared secret among the keys': {
        keys: () => [{ kty: 'oct', k: Buffer.from('secret').toString('base64url') }],
        ...withHead({ alg: 'HS256' }, hmac('secret')),
      },
      'keys that are a page': answering('/jwks', 200, '<html></html>', 'text/html'),
      'keys in two megabytes': answering('/jwks', 200, huge),
      'keys that fail': answering('/jwks', 500, '{}'),
    };
    for (const [name, lie] of Object.entries(lies)) {
      const { status, text } = await meet(lie);
      assert.ok(status === 503 || status === 403, `${name}: ${status}`);
      assert.doesNotMatch(text, /at .*\.ts:|passwd/, name);
    }
    assert.equal((await meet({})).status, 303);
  });

  test('a provider that failed is asked again at the next sign-in', async () => {
    forget();
    provider.lies = answering('/.well-known/openid-configuration', 500, '{}');
    assert.equal((await openBrowser(server).open('/sign-in/oidc')).status, 503);
    provider.lies = {};
    assert.equal((await openBrowser(server).open('/sign-in/oidc')).status, 303);
  });

  test('a provider may change its signing key, and the former key expires', async (t) => {
    forget();
    assert.equal((await signIn(provider, server, ada)).status, 303);
    const former = provider.privateKey;
    provider.rotate();
    // An unknown key causes a new fetch once the keys are a minute old.
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 61_000 });
    assert.equal((await signIn(provider, server, ada)).status, 303, 'the new key is fetched');
    assert.equal((await signIn(provider, server, ada, { signature: signedBy(former) })).status, 403);
  });
});
