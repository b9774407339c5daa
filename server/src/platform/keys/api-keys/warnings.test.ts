/** Mails about keys that end soon, sent through a real mail server. Each pass runs at a time that the test gives. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type MailServer, startMailServer } from '../../../../test/support/mail-server.ts';
import { askPlatform, cookieOf, joinByInvitation, person } from '../../../../test/support/platform.ts';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { addSeconds, type Timestamp } from '../../../values/time.ts';
import { warnOfEndingKeys } from './warnings.ts';

const DAY = 86_400;

for (const database of databases) {
  describe(`warnings of keys that end soon on ${database}`, () => {
    let mails: MailServer;
    let server: TestServer;
    /** Where the passes run at once; the same server twice where a database has one. */
    let replicas: readonly TestServer[];
    let start: Timestamp;
    /** Refuses mails for now, as a mail server does that has too much to do. */
    let isBusy = false;
    let count = 0;
    before(async () => {
      mails = await startMailServer({
        onRcptTo: (_address, _session, done) =>
          done(isBusy ? Object.assign(new Error('Too busy'), { responseCode: 451 }) : null),
      });
      const config = mails.config();
      server = await startServer({ database, config });
      const { databaseUrl, home } = server.server.config;
      const other = () => startServer({ databaseUrl, config: { ...config, home } });
      replicas = [server, database === 'postgres' ? await other() : server];
      start = server.server.clock.now();
    });
    after(async () => {
      for (const replica of [...new Set(replicas)].reverse()) await replica.stop();
      await mails.stop();
    });

    const on = (day: number) => addSeconds(start, day * DAY);

    /** The mails to the address that a pass at this day sends, at both replicas at once. */
    async function mailed(to: string, day: number) {
      const before = mails.taken.length;
      await Promise.all(replicas.map((replica) => warnOfEndingKeys(replica.server, on(day))));
      return mails.taken.slice(before).filter((mail) => mail.to.includes(to));
    }
    const keysIn = ({ text }: { readonly text: string }) =>
      [...text.matchAll(/API key of (\S+) “(.*?)” expires on/g)].map(([, owner, name]) => `${owner} ${name}`);

    /** An organization of its own with one administrator. */
    async function team() {
      const slug = `team-${++count}`;
      const creator = await person(server, `creator-${count}@example.com`, 'member');
      const made = await creator.post('/organizations', { name: slug, slug });
      assert.equal(made.status, 201, made.text);
      const path = `/organizations/${slug}`;
      const account = async (name: string, endsOn?: number) => {
        const expiry = endsOn === undefined ? {} : { expiresAt: on(endsOn) };
        const answer = await creator.post(`${path}/service-accounts`, { name, role: 'member', ...expiry });
        assert.equal(answer.status, 201, answer.text);
        const { serviceAccount, apiKey } = answer.body;
        return `${path}/service-accounts/${serviceAccount.id}/api-keys/${apiKey.id}`;
      };
      return { slug, path, creator, account, to: `creator-${count}@example.com` };
    }

    test('the administrators are told of the key of a service account 14 and 3 days before its end, once each', async () => {
      const { slug, account, to } = await team();
      await account('ci', 20);
      const days = [5.9, 6.1, 6.2, 16.9, 17.1, 17.2, 19.9, 20.1];
      const sent: number[] = [];
      for (const day of days) sent.push((await mailed(to, day)).length);
      assert.deepEqual(sent, [0, 1, 0, 0, 1, 0, 0, 0]);
      const mail = await mails.mailTo(to);
      assert.deepEqual(keysIn(mail), ['ci initial key']);
      assert.equal(mail.subject, `An API key expires on ${on(20).slice(0, 10)}`);
      assert.ok(mail.text.includes(`http://signalbox/people?tab=keys&organization=${slug}`), mail.text);
    });

    test('a person is told of a personal key, and only once of one that was made 5 days before its end', async () => {
      const to = `grace-${++count}@example.com`;
      const admin = await person(server, `inviter-${count}@example.com`, 'admin');
      const joined = await joinByInvitation(server, admin, to, 'correct horse battery');
      const headers = { cookie: cookieOf(joined), 'x-csrf-token': joined.body.csrfToken as string };
      const key = { descriptor: 'laptop', expiresAt: on(5) };
      assert.equal((await askPlatform(server, 'POST', '/me/api-keys', key, headers)).status, 201);
      assert.deepEqual(await mailed(to, 1), []);
      const [mail] = await mailed(to, 2.1);
      assert.match(mail?.text ?? '', /^Your API key “laptop” expires on .*http:\/\/signalbox\/account\?tab=keys/s);
      assert.deepEqual(await mailed(to, 4), []);
    });

    test('one mail names all keys of an organization that end, the first to end first', async () => {
      const { account, to } = await team();
      await account('later', 16);
      await account('sooner', 15);
      const [mail, another] = await mailed(to, 3);
      assert.equal(another, undefined);
      assert.equal(mail?.subject, `2 API keys expire from ${on(15).slice(0, 10)} on`);
      assert.deepEqual(mail && keysIn(mail), ['sooner initial key', 'later initial key']);
    });

    test('a mail that the mail server does not take for now is sent by a later pass', async () => {
      const { account, to } = await team();
      await account('ci', 14.5);
      isBusy = true;
      assert.deepEqual(await mailed(to, 1), []);
      isBusy = false;
      assert.equal((await mailed(to, 1.1)).length, 1);
      assert.deepEqual(await mailed(to, 1.2), []);
    });

    test('nobody is told of a key that was rolled or revoked', async () => {
      const { creator, account, to } = await team();
      const [rolled, revoked] = [await account('rolled', 15), await account('revoked', 15)];
      const roll = await creator.post(`${rolled}/roll`, { expiresAt: on(100), endsInSeconds: 15 * DAY });
      assert.equal(roll.status, 201, roll.text);
      assert.equal((await creator.delete(revoked)).status, 204);
      assert.deepEqual(await mailed(to, 2), []);
    });

    test('an end by the greatest age that an organization accepts is told of too', async () => {
      const { path, creator, account, to } = await team();
      await account('ci');
      assert.equal((await creator.patch(path, { maxKeyAgeDays: 30 })).status, 200);
      assert.deepEqual(await mailed(to, 15.9), []);
      const [mail] = await mailed(to, 16.1);
      assert.deepEqual(mail && keysIn(mail), ['ci initial key']);
    });
  });
}
