import assert from 'node:assert/strict';
import { after, describe, type TestContext, test } from 'node:test';
import {
  mailConfig,
  PASSWORD,
  privateAuthority,
  startBrokenMailServer,
  startMailServer,
} from '../../test/support/mail-server.ts';
import { startServer } from '../../test/support/server.ts';
import { senderOf, smtpServerOf } from '../settings/mail.ts';
import type { Letter } from './letter.ts';
import { invitationLetter } from './letter.ts';
import { probe } from './smtp.ts';

const letter: Letter = {
  kind: 'invitation',
  to: 'grace@example.com',
  subject: 'Hello',
  paragraphs: ['One', 'Two'],
  link: { label: 'Open', url: 'http://signalbox/x' },
  footer: 'End',
};

/** A Signalbox that sends through `config`, and the lines of its log. */
async function sending(context: TestContext, config: ReturnType<typeof mailConfig>) {
  const log: string[] = [];
  const server = await startServer({ config, onLogLine: (line) => log.push(line) });
  context.after(() => server.stop());
  const send = (given: Letter = letter) => server.server.mail.send(given, { organizationId: 'o' });
  return { server, send, log };
}

const credentials = `${encodeURIComponent('signalbox@mail')}:${encodeURIComponent(PASSWORD)}`;

describe('mail', () => {
  const authority = privateAuthority();
  const { ca, cert, key } = authority;
  const stops: (() => Promise<void>)[] = [];
  const started = async <Started extends { stop(): Promise<void> }>(server: Promise<Started>) => {
    const running = await server;
    stops.push(() => running.stop());
    return running;
  };
  after(async () => {
    for (const stop of stops) await stop();
  });

  test('a mail has a plain text and an HTML form, names its sender and asks for no automatic answer', async (context) => {
    const mails = await started(startMailServer());
    const { send } = await sending(context, mails.config());
    assert.deepEqual(await send(), { sent: true });
    const mail = await mails.mailTo(letter.to);
    assert.equal(mail.from, 'signalbox@example.com');
    assert.equal(mail.headers['from'], 'Signalbox <signalbox@example.com>');
    assert.equal(mail.headers['auto-submitted'], 'auto-generated');
    assert.equal(mail.text.trim(), 'One\n\nhttp://signalbox/x\n\nTwo\n\n-- \nEnd');
    assert.match(mail.html, /<a href="http:\/\/signalbox\/x"/);
  });

  for (const [name, scheme, secure] of [
    ['TLS from the start', 'smtps', true],
    ['STARTTLS', 'smtp', false],
  ] as const) {
    test(`${name} with the certificate of a private authority, and credentials`, async (context) => {
      const mails = await started(startMailServer({ secure, cert, key, authOptional: false }));
      const url = `${scheme}://${credentials}@127.0.0.1:${mails.port}`;
      const trusting = await sending(context, mails.config(url, ca));
      assert.deepEqual(await trusting.send(), { sent: true });
      const [mail] = mails.taken;
      assert.equal(mail?.isSecure, true);
      assert.equal(mail.user, 'signalbox@mail');
      const strange = await sending(context, mails.config(url));
      const refused = await strange.send();
      assert.deepEqual(refused, { sent: false, reason: SECURE, mayPass: false });
      assert.equal(mails.taken.length, 1);
    });
  }

  test('a mail server without STARTTLS gets neither the credentials nor a mail', async (context) => {
    const mails = await started(startMailServer());
    const { send } = await sending(context, mails.config(`smtp://${credentials}@127.0.0.1:${mails.port}`, ca));
    const refused = await send();
    assert.equal(refused.sent, false);
    assert.deepEqual(mails.taken, []);
  });

  test('a wrong password is told without the password, in no answer and no line of the log', async (context) => {
    const mails = await started(startMailServer({ secure: true, cert, key, authOptional: false }));
    const wrong = 'Pa55word%2Fof%20nobody';
    const config = mails.config(`smtps://signalbox:${wrong}@127.0.0.1:${mails.port}`, ca);
    const { send, log } = await sending(context, config);
    const refused = await send();
    assert.deepEqual(refused, {
      sent: false,
      reason: 'The mail server did not accept the credentials of this server (535).',
      mayPass: false,
    });
    assert.match(log.join('\n'), /"fault":"EAUTH .*535 Wrong password \*{8}/);
    const fault = await probe(config.mail);
    assert.match(fault?.detail ?? '', /535 Wrong password \*{8}/);
    for (const text of [...log, JSON.stringify(refused)]) assert.doesNotMatch(text, /Pa55word/);
  });

  test('a mail server that asks for no credentials gets no mail where credentials are set', async (context) => {
    const mails = await started(startMailServer());
    const { send } = await sending(context, mails.config(`smtp://${credentials}@127.0.0.1:${mails.port}?tls=none`));
    assert.equal((await send()).sent, false);
    assert.deepEqual(mails.taken, []);
  });

  test('a refused recipient and a refused sender are told', async (context) => {
    const refuse = (text: string) => Object.assign(new Error(text), { responseCode: 550 });
    const recipients = await started(
      startMailServer({ onRcptTo: (_address, _session, done) => done(refuse('No such user')) }),
    );
    const senders = await started(
      startMailServer({ onMailFrom: (_address, _session, done) => done(refuse('Not yours')) }),
    );
    const one = await sending(context, recipients.config());
    assert.deepEqual(await one.send(), {
      sent: false,
      reason: 'The mail server refused the address (550).',
      mayPass: false,
    });
    assert.match(one.log.join('\n'), /550 No such user/);
    const other = await sending(context, senders.config());
    assert.deepEqual(await other.send(), {
      sent: false,
      reason: 'The mail server refused the sender of this server (550).',
      mayPass: false,
    });
  });

  test('a mail server that closes in the middle, or is away, is told', async (context) => {
    const broken = await started(startBrokenMailServer((socket) => socket.end('220 hello\r\n')));
    const { send } = await sending(context, mailConfig(broken.url));
    assert.deepEqual(await send(), { sent: false, reason: 'The connection to the mail server failed.', mayPass: true });
    const gone = await startBrokenMailServer(() => {});
    await gone.stop();
    const away = await sending(context, mailConfig(gone.url));
    assert.deepEqual(await away.send(), {
      sent: false,
      reason: 'The connection to the mail server failed.',
      mayPass: true,
    });
  });

  test('a line without an end is cut off after some kilobytes', async (context) => {
    let written = 0;
    const endless = await started(
      startBrokenMailServer((socket) => {
        const piece = Buffer.alloc(64 * 1024, 'x');
        const write = () => {
          while (socket.writable && socket.write(piece)) written += piece.length;
        };
        socket.on('drain', write);
        socket.write('220-');
        write();
      }),
    );
    const { send } = await sending(context, mailConfig(endless.url));
    assert.equal((await send()).sent, false);
    assert.ok(written < 64 * 1024 * 1024, `${written} bytes were taken`);
  });

  test('a mail server that never answers meets a deadline', async (context) => {
    const silent = await started(startBrokenMailServer(() => {}));
    const { send } = await sending(context, mailConfig(silent.url));
    assert.deepEqual(await send(), { sent: false, reason: 'The mail server did not answer in time.', mayPass: true });
  });

  test('an address gets a bounded number of mails, and so does an organization', async (context) => {
    const mails = await started(startMailServer());
    const { mail } = mails.config();
    const { server, send } = await sending(context, { mail: { ...mail, perHour: 25 }, publicUrl: 'http://signalbox' });
    for (let count = 0; count < 20; count++) assert.deepEqual(await send(), { sent: true });
    const refused = await send();
    assert.match(JSON.stringify(refused), /Too many mails were sent .* Try again in 3 minutes\./);
    for (let count = 0; count < 5; count++) {
      assert.deepEqual(await send({ ...letter, to: `p${count}@example.com` }), { sent: true });
    }
    assert.equal((await send({ ...letter, to: 'last@example.com' })).sent, false);
    const other = await server.server.mail.send({ ...letter, to: 'last@example.com' }, { organizationId: 'other' });
    assert.deepEqual(other, { sent: true });
    assert.equal(mails.taken.length, 26);
  });

  test('names that people typed put nothing into the headers, the HTML or a link of a mail', async (context) => {
    const mails = await started(startMailServer());
    const { send } = await sending(context, mails.config());
    const hostile = [
      'Acme\r\nBcc: eve@example.com',
      'Acme\nSubject: other\n\nbody',
      '"Acme" <eve@example.com>, eve@example.com',
      '<script>alert(1)</script><a href="https://evil.example">',
      'Win at https://evil.example/now or www.evil.example',
      '\u202Eemca\u2028Bcc: eve@example.com\u0000',
      'Ünïcödé 株式会社 🚂',
      `${'x'.repeat(5000)}`,
    ];
    for (const [index, name] of hostile.entries()) {
      const to = `person${index}@example.com`;
      const facts = {
        to,
        organization: name,
        role: 'member',
        inviter: name,
        url: 'http://signalbox/i',
        days: 7,
      } as const;
      assert.deepEqual(await send(invitationLetter(facts)), { sent: true }, name);
      const mail = await mails.mailTo(to);
      assert.deepEqual(mail.to, [to]);
      assert.deepEqual(Object.keys(mail.headers).sort(), [...HEADERS].sort(), 'there is no header that somebody typed');
      assert.ok(mail.subject.length <= 200);
      assert.doesNotMatch(mail.html, /<script|href="https/);
      assert.doesNotMatch(mail.text, /https:\/\/|evil\.example/);
    }
    const kept = mails.taken.find(({ to }) => to.includes('person6@example.com'));
    assert.equal(kept?.subject, 'Invitation to Ünïcödé 株式会社 🚂 on Signalbox');
  });

  test('nothing is sent to an address that is more than one mailbox', async (context) => {
    const mails = await started(startMailServer());
    const { send } = await sending(context, mails.config());
    for (const to of [
      'a@example.com\r\nRCPT TO:<eve@example.com>',
      'a@example.com,eve@example.com',
      'a@example.com> NOTIFY=SUCCESS',
      '<a@example.com>',
      '"a b"@example.com',
      'a(comment)@example.com',
      'a@[127.0.0.1]',
      'a@@example.com',
      '@example.com',
      '',
    ]) {
      assert.deepEqual(await send({ ...letter, to }), {
        sent: false,
        reason: 'This server cannot send mail to such an address.',
        mayPass: false,
      });
    }
    assert.deepEqual(mails.taken, []);
  });

  test('the setting names a mail server, and nothing else', () => {
    const full = smtpServerOf('smtps://a%40b:p%3Aw@[::1]:2465');
    assert.deepEqual(full, { host: '::1', port: 2465, tls: 'start', user: 'a@b', password: 'p:w' });
    assert.equal(smtpServerOf('smtps://mail.example')?.port, 465);
    assert.deepEqual(smtpServerOf('smtp://mail.example'), {
      ...{ host: 'mail.example', port: 587, tls: 'starttls' },
      ...{ user: undefined, password: '' },
    });
    assert.equal(smtpServerOf('smtp://mail.example?tls=none')?.port, 25);
    for (const wrong of [
      ...['mail.example', 'http://mail.example', 'smtp://', 'smtp://mail.example/path', 'smtp://user@mail.example'],
      ...['smtp://mail.example?tls=maybe', 'smtps://mail.example?tls=none', 'smtp://mail.example?logger=true'],
      ...['smtp://mail.example?tls=none&tls=none', 'smtp://%zz:x@mail.example', 'smtp://mail.example#x'],
    ]) {
      assert.equal(smtpServerOf(wrong), undefined, wrong);
    }
    assert.deepEqual(senderOf('"Our Signalbox" <a@example.com>'), { name: 'Our Signalbox', address: 'a@example.com' });
    assert.deepEqual(senderOf('a@example.com'), { name: '', address: 'a@example.com' });
    for (const wrong of ['Signalbox', 'a b@example.com', 'a@example.com, b@example.com', 'x <a@example.com> y']) {
      assert.equal(senderOf(wrong), undefined, wrong);
    }
  });
});

const SECURE = 'There was no secure connection to the mail server.';
const HEADERS = [...['from', 'to', 'subject', 'date', 'message-id', 'mime-version', 'content-type', 'auto-submitted']];
