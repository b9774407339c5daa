/** Sign-ins through a provider that does not answer, or answers a byte at a time. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, type TestContext, test } from 'node:test';
import { openBrowser } from '../../../../test/support/browser.ts';
import { goBack, LyingProvider, optionsOf } from '../../../../test/support/lying-provider.ts';
import { askPlatform, joinByInvitation, person } from '../../../../test/support/platform.ts';
import { startServer } from '../../../../test/support/server.ts';
import { until } from '../../../../test/support/until.ts';

/** What one request to the provider may take. */
const PATIENCE_MILLISECONDS = 10_000;
/** Sign-ins of one client that wait for the provider at the same time. */
const PLACES = 20;
const ada = { sub: 'ada', email: 'ada@example.com', email_verified: true, name: 'Ada' };

const hang = () => {};
const drip = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 100);
  response.once('close', () => clearInterval(timer));
};

async function start(t: TestContext) {
  const deadlines: { milliseconds: number; end: AbortController }[] = [];
  t.mock.method(AbortSignal, 'timeout', (milliseconds: number) => {
    const end = new AbortController();
    deadlines.push({ milliseconds, end });
    return end.signal;
  });
  const provider = await LyingProvider.start();
  const server = await startServer({ config: optionsOf(provider) });
  t.after(async () => {
    await server.stop();
    await provider.stop();
  });
  provider.person = ada;
  const admin = await person(server, 'ada@example.com', 'admin');
  /** Answers a path slowly from now on; tells how many requests for it are waiting. */
  const slowDown = (path: string, slowly: (response: ServerResponse) => void) => {
    const waiting = { now: 0, most: 0 };
    provider.lies = {
      answer: (asked, response) => {
        if (asked !== path) return false;
        waiting.most = Math.max(waiting.most, ++waiting.now);
        response.once('close', () => waiting.now--);
        slowly(response);
        return true;
      },
    };
    return waiting;
  };
  /** Lets the time pass that one request may take, once so many wait. */
  const wait = async (waiting: { now: number }, count: number) => {
    await until('all have asked the provider', () => waiting.now === count);
    const late = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
    for (const { milliseconds, end } of deadlines) if (milliseconds === PATIENCE_MILLISECONDS) end.abort(late);
  };
  return { provider, server, admin, slowDown, wait };
}

describe('a provider that is slow', () => {
  for (const [name, slowly] of Object.entries({ hang, drip })) {
    test(`${name}: a client's sign-ins wait in a bounded number, each once, and others go on`, async (t) => {
      const { provider, server, admin, slowDown, wait } = await start(t);
      const [email, password] = ['bob@example.com', 'correct horse battery staple'];
      await joinByInvitation(server, admin, email, password);
      const browsers = Array.from({ length: PLACES + 10 }, () => openBrowser(server));
      const returning = await Promise.all(browsers.map((browser) => goBack(provider, browser)));
      const waiting = slowDown('/token', slowly);
      const arrivals = browsers.map((browser, index) => browser.open(returning[index] ?? ''));
      assert.equal((await askPlatform(server, 'POST', '/session', { email, password })).status, 200);
      await wait(waiting, PLACES);
      const answers = await Promise.all(arrivals);
      const refused = answers.filter(({ status }) => status === 503);
      assert.equal(refused.length, browsers.length - PLACES);
      for (const { headers } of refused) assert.equal(headers['retry-after'], '1');
      const given = answers.filter(({ status }) => status === 403);
      assert.equal(given.length, PLACES, 'the others are told that the provider did not confirm');
      assert.equal(waiting.most, PLACES);
      await until('every request to the provider has ended', () => waiting.now === 0 || undefined);
      provider.lies = {};
      const browser = openBrowser(server);
      assert.equal((await browser.open(await goBack(provider, browser))).status, 303, 'the places are free again');
    });

    test(`${name}: its description is asked for once at a time, and has a deadline`, async (t) => {
      const { server, slowDown, wait } = await start(t);
      const waiting = slowDown('/.well-known/openid-configuration', slowly);
      const begun = Promise.all(Array.from({ length: 10 }, () => openBrowser(server).open('/sign-in/oidc')));
      await wait(waiting, 1);
      assert.deepEqual(new Set((await begun).map(({ status }) => status)), new Set([503]));
      assert.equal(waiting.most, 1);
    });

    for (const path of ['/jwks', '/userinfo']) {
      test(`${name}: ${path} has a deadline`, async (t) => {
        const { provider, server, slowDown, wait } = await start(t);
        provider.tellsInToken = false;
        const browser = openBrowser(server);
        const back = await goBack(provider, browser);
        const waiting = slowDown(path, slowly);
        const opened = browser.open(back);
        await wait(waiting, 1);
        assert.equal((await opened).status, 403);
      });
    }
  }
});
