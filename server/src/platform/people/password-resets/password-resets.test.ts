import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openBrowser } from '../../../../test/support/browser.ts';
import {
  type MailServer,
  mailConfig,
  startBrokenMailServer,
  startMailServer,
} from '../../../../test/support/mail-server.ts';
import {
  askPlatform,
  cookieOf,
  joinByInvitation,
  type PlatformCaller,
  startPlatform,
} from '../../../../test/support/platform.ts';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { until } from '../../../../test/support/until.ts';
import { platformStatement } from '../../../database/statement.ts';
import { addSeconds } from '../../../values/time.ts';
import { createOperatorContext } from '../../operator/operator.ts';
import { changePassword, changeUserState } from '../../operator/users.ts';
import { RESET_SECONDS } from './operations.ts';

const ask = '/forgotten-password';
const password = 'correct horse battery';
const next = 'another staple entirely';

/** Links that are this old have expired. */
const age = platformStatement<{ expires_at: string }, unknown>((query, given) =>
  query.updateTable('password_reset').set({ expires_at: given.expires_at as never }),
);

for (const database of databases) {
  describe(`a forgotten password on ${database}`, () => {
    let mails: MailServer;
    let server: TestServer;
    let admin: PlatformCaller;
    const log: string[] = [];
    let people = 0;
    before(async () => {
      mails = await startMailServer();
      const options = { config: mails.config(), onLogLine: (line: string) => log.push(line) };
      ({ server, admin } = await startPlatform(database, options));
    });
    after(async () => {
      await server.stop();
      await mails.stop();
    });

    /** A new member, and a client of an address of its own, whose limits nobody else uses up. */
    async function newPerson() {
      people += 1;
      const email = `person${people}@example.com`;
      const joined = await joinByInvitation(server, admin, email, password);
      await server.server.store.platform.transaction((tx) => tx.run(forgetLimits, {}));
      return { email, cookie: cookieOf(joined), browser: openBrowser(server) };
    }

    const pathOf = (text: string) => new URL(/http:\S+/.exec(text)?.[0] ?? '').pathname;
    /** The mail of a reset: the first one is the invitation. */
    const resetMail = (email: string, count = 1) => mails.mailTo(email, count + 1);
    const operator = () => createOperatorContext(server.server.store, server.server.clock.now(), server.server);

    test('the link of the mail sets a new password once, signs in, and ends what came before', async () => {
      const { email, cookie, browser } = await newPerson();
      assert.match((await browser.open('/sign-in')).text, /href="\/forgotten-password"/);
      const asked = await browser.post(ask, { email: ` ${email.toUpperCase()} ` });
      assert.equal(asked.status, 200);
      assert.match(asked.text, /Check your mailbox/);
      const mail = await resetMail(email);
      assert.equal(mail.subject, 'A new password for Signalbox');
      assert.match(mail.text, /within 30 minutes/);
      const path = pathOf(mail.text);
      assert.match((await browser.open(path)).text, /Choose a new password/);
      assert.equal((await browser.open(path)).status, 200, 'a program that looks at links uses none up');
      assert.match((await browser.post(path, { password: 'short' })).text, /at least 12 characters/i);
      const done = await browser.post(path, { password: next });
      assert.equal(done.status, 303);
      assert.equal(done.headers['location'], '/');
      assert.equal((await browser.open('/signed-in')).status, 200, 'the browser is signed in');
      assert.equal(
        (await askPlatform(server, 'GET', '/me', undefined, { cookie })).status,
        401,
        'earlier sessions end',
      );
      assert.equal((await openBrowser(server).open(path)).status, 404);
      assert.equal((await openBrowser(server).post(path, { password: 'yet another password' })).status, 404);
      assert.equal((await openBrowser(server).post('/sign-in', { email, password })).status, 401);
      assert.equal((await openBrowser(server).post('/sign-in', { email, password: next })).status, 303);
      const entries = await server.server.store.platform.reads().all(audited, { email });
      const actions = entries.map(({ action, actor_name }) => `${action} by ${actor_name}`);
      assert.deepEqual(
        actions.filter((one) => one.startsWith('user.')),
        ['user.password_reset by system', `user.password by ${email}`],
      );
      assert.ok(!log.join('\n').includes(path.split('/').at(-1) ?? ''), 'no line of the log holds the token');
    });

    test('the answer is the same for an address without an account, to which nothing is sent', async () => {
      const { email, browser } = await newPerson();
      const [known, unknown] = [
        await browser.post(ask, { email }),
        await browser.post(ask, { email: 'no@example.com' }),
      ];
      await resetMail(email);
      assert.equal(known.status, unknown.status);
      assert.equal(known.text.replaceAll(email, 'X'), unknown.text.replaceAll('no@example.com', 'X'));
      assert.ok(!mails.taken.some(({ to }) => to.includes('no@example.com')));
    });

    test('a suspended person gets no link, and an earlier one opens nothing', async () => {
      const { email, browser } = await newPerson();
      await browser.post(ask, { email });
      const path = pathOf((await resetMail(email)).text);
      await changeUserState(operator(), email, 'suspended');
      assert.equal((await browser.open(path)).status, 404);
      assert.equal((await browser.post(path, { password: next })).status, 404);
    });

    test('a link ends with another change of the password, and after half an hour', async () => {
      const { email, browser } = await newPerson();
      await browser.post(ask, { email });
      const first = pathOf((await resetMail(email)).text);
      await changePassword(operator(), email, 'chosen by an operator');
      assert.equal((await browser.post(first, { password: next })).status, 404);
      await browser.post(ask, { email });
      const second = pathOf((await resetMail(email, 2)).text);
      const now = server.server.clock.now();
      await server.server.store.platform.transaction((tx) => tx.run(age, { expires_at: addSeconds(now, -1) }));
      assert.equal((await browser.open(second)).status, 404);
      assert.equal((await browser.post(second, { password: next })).status, 404);
      assert.ok(RESET_SECONDS <= 3600);
    });

    test('of two who use a link at the same moment, one sets the password', async () => {
      const { email, browser } = await newPerson();
      await browser.post(ask, { email });
      const path = pathOf((await resetMail(email)).text);
      const answers = await Promise.all(
        [1, 2].map((one) => openBrowser(server).post(path, { password: `${next} ${one}` })),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 404]);
    });

    test('an address may ask a few times, alike whether it has an account', async () => {
      const { email } = await newPerson();
      for (const asked of [email, 'absent@example.com']) {
        await server.server.store.platform.transaction((tx) => tx.run(forgetLimits, {}));
        const answers = [];
        for (let count = 0; count < 4; count++) answers.push(await openBrowser(server).post(ask, { email: asked }));
        assert.deepEqual(
          answers.map(({ status }) => status),
          [200, 200, 200, 429],
          asked,
        );
      }
    });

    test('a form of another site asks for nothing', async () => {
      const { email, browser } = await newPerson();
      const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
      assert.equal((await browser.post(ask, { email }, headers)).status, 403);
    });
  });
}

const forgetLimits = platformStatement<Record<string, never>, unknown>((query) => query.deleteFrom('rate'));
const audited = platformStatement<{ email: string }, { action: string; actor_name: string }>((query, given) =>
  query
    .selectFrom('audit_entry')
    .select(['action', 'actor_name'])
    .where('target_name', '=', given.email)
    .orderBy('occurred'),
);

test('a mail server that is away for a moment gets the mail at a later attempt', async () => {
  let refusals = 0;
  const mails = await startMailServer({
    onConnect: (_session, done) => {
      refusals += 1;
      if (refusals === 1) return done(Object.assign(new Error('Come back later'), { responseCode: 421 }));
      done();
    },
  });
  const { server } = await startPlatform('sqlite', { config: mails.config() });
  await openBrowser(server).post(ask, { email: 'ada@example.com' });
  await mails.mailTo('ada@example.com');
  assert.equal(refusals, 2);
  await server.stop();
  await mails.stop();
});

test('the page answers before a mail server that never does', async () => {
  const connected: true[] = [];
  const silent = await startBrokenMailServer(() => connected.push(true));
  const { server } = await startPlatform('sqlite', { config: mailConfig(silent.url) });
  const asked = await openBrowser(server).post(ask, { email: 'ada@example.com' });
  assert.equal(asked.status, 200);
  assert.deepEqual(connected, [], 'the mail server is not asked before the answer');
  await until('the connection to the mail server', () => connected.length > 0);
  await server.stop();
  await silent.stop();
});

test('without a mail server there is no such page, and no link to it', async () => {
  const server = await startServer();
  const browser = openBrowser(server);
  assert.doesNotMatch((await browser.open('/sign-in')).text, /forgotten/);
  const page = await browser.open(ask);
  assert.equal(page.status, 404);
  assert.match(page.text, /This server sends no mail/);
  assert.equal((await browser.post(ask, { email: 'ada@example.com' })).status, 404);
  await server.stop();
});
