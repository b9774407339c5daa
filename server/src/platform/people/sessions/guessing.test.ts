import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import {
  askPlatform,
  cookieOf,
  joinByInvitation,
  type PlatformCaller,
  startPlatform,
} from '../../../../test/support/platform.ts';
import { type Answer, databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { platformStatement } from '../../../database/statement.ts';
import { TooManyRequests } from '../../../errors.ts';
import { nextTurn } from '../../../fairness/turns.ts';
import { beginSignIn } from '../../../identity/callers/sign-in-attempts.ts';
import { Attempts } from '../../../rates/attempts.ts';

const password = 'correct horse battery staple';
/** More than the limit of an address takes to be whole again. */
const LONG_SECONDS = 600;

const makeOlder = platformStatement<{ milliseconds: number }, unknown>((query, given) =>
  query.updateTable('rate').set({ full_until: sql<number>`full_until - ${given.milliseconds}` }),
);

for (const database of databases) {
  describe(`guessing on ${database}`, () => {
    let server: TestServer;
    let admin: PlatformCaller;
    before(async () => {
      ({ server, admin } = await startPlatform(database));
    });
    after(() => server.stop());

    const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
      askPlatform(server, method, path, body, headers);
    const signIn = (email: string, given: string, headers?: Record<string, string>) =>
      send('POST', '/session', { email, password: given }, headers);
    const evaluationsOf = async (work: () => Promise<unknown>) => {
      const before = server.server.passwords.evaluations;
      await work();
      return server.server.passwords.evaluations - before;
    };
    const deviceOf = ({ headers }: Answer) => {
      const [, device = ''] = headers['set-cookie'] as string[];
      assert.match(device, /^signalbox_device=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+$/);
      return device.split(';')[0] ?? '';
    };
    /** Creates an account and returns the cookie of its browser. */
    const join = async (email: string) => {
      const accepted = await joinByInvitation(server, admin, email, password);
      return deviceOf(accepted);
    };
    /** Acts as if all attempts so far had been made long ago. */
    const later = () =>
      server.server.store.platform.transaction((tx) => tx.run(makeOlder, { milliseconds: LONG_SECONDS * 1000 }));

    test('at most 10 of 400 concurrent guesses are checked, and the owner can still sign in', async () => {
      const email = `guessed-${database}@example.com`;
      const device = await join(email);
      let answers: Answer[] = [];
      const evaluations = await evaluationsOf(async () => {
        answers = await Promise.all(Array.from({ length: 400 }, (_, index) => signIn(email, `guess ${index}`)));
      });
      assert.ok(evaluations >= 1 && evaluations <= 10, `${evaluations} evaluations`);
      for (const { status, headers } of answers) {
        assert.ok(status === 401 || status === 429, String(status));
        if (status === 429) assert.ok(Number(headers['retry-after']) >= 1);
      }
      // Some of many concurrent attempts are refused before they count, so a few more are allowed now.
      for (let times = 0; times < 5; times++) await signIn(email, 'wrong');
      assert.equal((await signIn(email, password)).status, 429, 'this address waits, with any password');
      const known = await signIn(email, password, { cookie: device });
      assert.equal(known.status, 200, 'a browser that signed in before does not wait');
      assert.equal((known.headers['set-cookie'] as string[]).length, 1, 'it is already known');
      await later();
      assert.equal((await signIn(email, password)).status, 200, 'after the wait no client waits');
    });

    test('guesses at many accounts from one address count together', async () => {
      await later();
      const evaluations = await evaluationsOf(() =>
        Promise.all(Array.from({ length: 100 }, (_, index) => signIn(`victim-${index}@example.com`, 'guess'))),
      );
      assert.ok(evaluations <= 10, `${evaluations} evaluations`);
      await later();
    });

    test('guesses at one account from many addresses count together, also across replicas', async () => {
      const email = `shared-${database}@example.com`;
      const { store, clock } = server.server;
      const replicas = [new Attempts(store, clock), new Attempts(store, clock), new Attempts(store, clock)];
      const looked = await Promise.allSettled(
        Array.from({ length: 300 }, (_, index) => {
          const address = `198.51.${index % 250}.${index}`;
          return beginSignIn(replicas[index % 3]!, { address, email, knownDevice: undefined });
        }),
      );
      const allowed = looked.filter(({ status }) => status === 'fulfilled').length;
      assert.ok(allowed >= 1 && allowed <= 10, `${allowed} allowed`);
      const sameNetwork = `2001:db8:${database === 'sqlite' ? 1 : 2}`;
      const inNetwork = await Promise.allSettled(
        Array.from({ length: 100 }, (_, index) => {
          const address = `${sameNetwork}:0::${(index + 1).toString(16)}`;
          return beginSignIn(replicas[0]!, { address, email: `six-${index}@example.com`, knownDevice: undefined });
        }),
      );
      assert.ok(inNetwork.filter(({ status }) => status === 'fulfilled').length <= 10, 'one /64 is one address');
    });

    test('an address without failures is still checked when strangers have used up an account', async () => {
      const { attempts } = server.server;
      const email = `slow-${database}@example.com`;
      const from = (address: string) => beginSignIn(attempts, { address, email, knownDevice: undefined });
      for (let times = 0; times < 20; times++) await from(`203.0.113.${times % 2}`).catch(() => {});
      await assert.rejects(from('203.0.113.1'));
      await (await from('192.0.2.1')).takeBack();
      await (await from('192.0.2.1')).takeBack();
      await Promise.allSettled(Array.from({ length: 40 }, (_, index) => from(`198.51.100.${index}`)));
      const refusal = await from('192.0.2.1').catch((error: unknown) => error as TooManyRequests);
      assert.ok(refusal instanceof TooManyRequests && Number(refusal.headers['retry-after']) <= 10);
      await server.server.store.platform.transaction((tx) => tx.run(makeOlder, { milliseconds: 10_000 }));
      await (await from('192.0.2.1')).takeBack();
    });

    test('an attempt that the server is too busy to check does not count', async () => {
      const email = `refused-${database}@example.com`;
      await join(email);
      const { passwords } = server.server;
      let isBusy = true;
      const others = Array.from({ length: 36 }, async () => {
        while (isBusy) await passwords.verify('other', null, 'known').catch(() => nextTurn());
      });
      const statuses = [];
      for (let times = 0; times < 7; times++) statuses.push((await signIn(email, password)).status);
      isBusy = false;
      await Promise.all(others);
      assert.deepEqual(statuses, Array(7).fill(503));
      assert.equal((await signIn(email, password)).status, 200);
    });

    test('correct sign-ins are never slowed down', async () => {
      const email = `busy-${database}@example.com`;
      await join(email);
      for (let times = 0; times < 12; times++) assert.equal((await signIn(email, password)).status, 200);
    });

    test('a cookie of another browser, of another account or from elsewhere is not known', async () => {
      const email = `planted-${database}@example.com`;
      const own = await join(email);
      const foreign = await join(`planter-${database}@example.com`);
      for (const cookie of [foreign, 'signalbox_device=made-up']) {
        const answer = await signIn(email, password, { cookie });
        assert.notEqual(deviceOf(answer), cookie, 'a planted cookie is not adopted');
      }
      const opens = await send('GET', '/session', undefined, { cookie: own.replace('device', 'session') });
      assert.equal(opens.status, 401, 'it signs in no one');
      assert.equal((await send('GET', '/session', undefined, { cookie: own })).status, 401);
    });

    test('too many concurrent hashes are refused with a time to retry', async () => {
      const { passwords } = server.server;
      const answers = await Promise.allSettled(
        Array.from({ length: 60 }, () => passwords.verify('a guess', null, 'stranger')),
      );
      const refused = answers.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
      assert.ok(refused.length >= 60 - 26, `${refused.length} refused`);
      assert.deepEqual([refused[0]?.reason.status, refused[0]?.reason.headers['retry-after']], [503, '1']);
      const crowd = Array.from({ length: 60 }, () => passwords.verify('a guess', null, 'stranger').catch(() => false));
      assert.equal(await passwords.verify('a guess', null, 'known'), false, 'a known browser finds a place');
      await Promise.all(crowd);
    });

    test('an unknown link or code costs no hash, and is limited', async () => {
      await later();
      const { token } = (
        await admin.post('/organizations/default/invitations', { email: `late-${database}@example.com` })
      ).body;
      const statuses: number[] = [];
      const evaluations = await evaluationsOf(async () => {
        const tried = Array.from({ length: 60 }, (_, index) =>
          send('POST', `/invitations/guess-${index}/accept`, { password, name: 'Eve' }),
        );
        for (const { status } of await Promise.all(tried)) statuses.push(status);
      });
      assert.equal(evaluations, 0);
      assert.ok(statuses.filter((status) => status === 404).length <= 10);
      assert.ok(statuses.every((status) => status === 404 || status === 429));
      await later();
      assert.equal((await send('POST', `/invitations/${token}/accept`, { password })).status, 200);

      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const poll = (code: string) =>
        server.request(
          'POST',
          '/api/v0/oauth/device/token',
          `grant_type=urn:ietf:params:oauth:grant-type:device_code&client_id=test&device_code=${code}`,
          form,
        );
      const polled = await Promise.all(Array.from({ length: 40 }, (_, index) => poll(`guess-${index}`)));
      assert.ok(polled.filter(({ status }) => status === 400).length <= 10);
      assert.ok(polled.every(({ status }) => status === 400 || status === 429));
      const setUps = await Promise.all(
        Array.from({ length: 40 }, (_, index) => server.request('GET', `/setup?token=guess-${index}`)),
      );
      assert.ok(setUps.filter(({ status }) => status === 404).length <= 10);
      assert.ok(setUps.every(({ status }) => status === 404 || status === 429));
      await later();
    });

    test('a signed-in user cannot guess the codes of devices', async () => {
      await join(`coder-${database}@example.com`);
      const session = await signIn(`coder-${database}@example.com`, password);
      const headers = { cookie: cookieOf(session), 'x-csrf-token': session.body.csrfToken as string };
      const tried = await Promise.all(
        Array.from({ length: 40 }, () =>
          send('POST', '/oauth/device', { userCode: 'BCDF-GHJK', approve: true }, headers),
        ),
      );
      assert.ok(tried.filter(({ status }) => status === 404).length <= 10);
      assert.ok(tried.every(({ status }) => status === 404 || status === 429));
      await later();
    });
  });

  describe(`guessing the password of /api on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database, config: { apiAuth: 'basic', apiAuthString: 'admin:secret' } });
    });
    after(() => server.stop());
    const ask = (userPassword: string, remoteAddress: string) =>
      server.server.basicCredential.check(userPassword, 'admin:secret', remoteAddress).then(
        (isRight) => (isRight ? 200 : 401),
        (error: { status: number }) => error.status,
      );
    const basic = (userPassword: string) => ({
      authorization: `Basic ${Buffer.from(userPassword).toString('base64')}`,
    });

    test('guesses are limited, and clients with the right password continue from the same address', async () => {
      assert.equal((await server.get('/flows/', basic('admin:secret'))).status, 200);
      const guesses = await Promise.all(
        Array.from({ length: 200 }, (_, index) => server.get('/flows/', basic(`admin:guess-${index}`))),
      );
      assert.ok(guesses.every(({ status }) => status === 401 || status === 429));
      assert.ok(guesses.filter(({ status }) => status === 401).length <= 12);
      assert.ok(Number(guesses.find(({ status }) => status === 429)?.headers['retry-after']) >= 1);
      for (const header of ['', 'Bearer x', 'Basic', 'Digest username="admin"', 'null']) {
        assert.equal(
          (await server.get('/flows/', { authorization: header })).status,
          401,
          'a request without a password is not a guess',
        );
      }
      const right = await Promise.all(Array.from({ length: 50 }, () => server.get('/flows/', basic('admin:secret'))));
      assert.ok(right.every(({ status }) => status === 200));
    });

    test('an address that only guesses cannot recognize the right password', async () => {
      const address = '192.0.2.77';
      for (let times = 0; times < 10; times++) assert.equal(await ask('admin:wrong', address), 401);
      assert.equal(await ask('admin:wrong', address), 429);
      assert.equal(await ask('admin:secret', address), 429);
      assert.equal(await ask('admin:secret', '192.0.2.78'), 200, 'others are not slowed down');
    });
  });
}
