import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openBrowser } from '../../../../test/support/browser.ts';
import {
  type MailServer,
  mailConfig,
  startBrokenMailServer,
  startMailServer,
} from '../../../../test/support/mail-server.ts';
import { type PlatformCaller, startPlatform } from '../../../../test/support/platform.ts';
import { databases, type TestServer } from '../../../../test/support/server.ts';

const invitations = '/organizations/default/invitations';

for (const database of databases) {
  describe(`mails of invitations on ${database}`, () => {
    let mails: MailServer;
    let server: TestServer;
    let admin: PlatformCaller;
    const log: string[] = [];
    before(async () => {
      mails = await startMailServer();
      const config = { ...mails.config(), basePath: '/base', apiAuth: 'key' as const };
      ({ server, admin } = await startPlatform(database, { config, onLogLine: (line) => log.push(line) }));
    });
    after(async () => {
      await server.stop();
      await mails.stop();
    });

    test('the person gets the link, follows it and joins; whoever invites sees the same link', async () => {
      const email = 'Grace@Example.com';
      const { status, body } = await admin.post(invitations, { email, role: 'member' });
      assert.equal(status, 201);
      assert.deepEqual(body.mail, { sent: true, reason: null });
      const mail = await mails.mailTo('grace@example.com');
      assert.equal(mail.subject, 'Invitation to Default on Signalbox');
      assert.match(mail.text, /^ada@example\.com invites you to join Default on Signalbox as a member\./);
      const link = /http:\S+/.exec(mail.text)?.[0] ?? '';
      assert.equal(link, body.url);
      assert.match(link, /^http:\/\/signalbox\/base\/invitations\//);
      assert.ok(mail.html.includes(`href="${link}"`));
      const path = new URL(link).pathname.replace('/base', '');
      const browser = openBrowser(server);
      assert.match((await browser.open(path)).text, /Join Default/);
      assert.equal((await browser.post(path, { name: 'Grace', password: 'correct horse battery' })).status, 303);
      const members = (await admin.get('/organizations/default/members')).body.items;
      assert.ok(members.some((one: { email: string }) => one.email === 'grace@example.com'));
      const token = path.split('/').at(-1) ?? '';
      assert.ok(!log.join('\n').includes(token), 'no line of the log holds the token');
    });

    test('the Host header of a request decides nothing in a mail', async () => {
      const headers = {
        authorization: `Bearer ${admin.key}`,
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
      };
      const body = JSON.stringify({ email: 'host@example.com' });
      const answer = await server.request('POST', `/api/v0${invitations}`, body, {
        ...headers,
        'content-type': 'application/json',
      });
      assert.equal(answer.status, 201, answer.text);
      const mail = await mails.mailTo('host@example.com');
      assert.doesNotMatch(mail.raw, /evil/);
    });

    test('one address is invited by mail a bounded number of times, and each invitation stands', async () => {
      const answers = [];
      for (let count = 0; count < 21; count++)
        answers.push(await admin.post(invitations, { email: 'tired@example.com' }));
      assert.ok(answers.every(({ status }) => status === 201));
      assert.deepEqual(
        answers.map(({ body }) => body.mail.sent),
        [...Array(20).fill(true), false],
      );
      assert.match(answers.at(-1)?.body.mail.reason, /^Too many mails were sent/);
      assert.equal(mails.taken.filter(({ to }) => to.includes('tired@example.com')).length, 20);
    });
  });
}

test('an invitation stands where the mail server is broken: the answer says why, and has the link', async () => {
  const broken = await startBrokenMailServer((socket) => socket.end('554 no\r\n'));
  const { server, admin } = await startPlatform('sqlite', { config: mailConfig(broken.url) });
  const { status, body } = await admin.post(invitations, { email: 'grace@example.com' });
  assert.equal(status, 201);
  assert.equal(body.mail.sent, false);
  assert.match(body.mail.reason, /^The (mail server|connection to the mail server) .*\.$/);
  assert.equal((await openBrowser(server).open(new URL(body.url).pathname)).status, 200);
  await server.stop();
  await broken.stop();
});

test('without a mail server an invitation has its link, and tells of no mail', async () => {
  const { server, admin } = await startPlatform('sqlite');
  const { body } = await admin.post(invitations, { email: 'grace@example.com' });
  assert.equal(body.mail, null);
  assert.match(body.url, /\/invitations\//);
  await server.stop();
});
