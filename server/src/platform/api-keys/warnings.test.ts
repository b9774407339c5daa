/** Who is told by mail that a key ends soon, and when. The clock of the servers is moved; the mail server is a real one. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { timeAhead } from '../../../test/support/local-time.ts';
import { type MailServer, startMailServer } from '../../../test/support/mail-server.ts';
import {
  askPlatform,
  cookieOf,
  joinByInvitation,
  type PlatformCaller,
  person,
} from '../../../test/support/platform.ts';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { addSeconds } from '../../time.ts';
import { warnOfEndingKeys } from './warnings.ts';

const DAY = 86_400;
const ADMIN = 'ada@example.com';
const MEMBER = 'grace@example.com';
const organization = '/organizations/default';

for (const database of databases) {
  describe(`warnings of keys that end soon on ${database}`, () => {
    let mails: MailServer;
    let replicas: readonly TestServer[];
    let admin: PlatformCaller;
    let aheadSeconds = 0;
    /** Refuses mails for now, as a mail server does that is too busy. */
    let isBusy = false;
    let count = 0;
    before(async () => {
      mails = await startMailServer({
        onRcptTo: (_address, _session, done) =>
          done(isBusy ? Object.assign(new Error('Too busy'), { responseCode: 451 }) : null),
      });
      const local = timeAhead(() => aheadSeconds * 1000);
      const first = await startServer({ database, config: mails.config(), local });
      const second = await startServer({ database, config: mails.config(), local, databaseUrl: first.databaseUrl });
      replicas = [first, second];
      admin = await person(first, ADMIN, 'admin');
    });
    beforeEach(async () => {
      await mailed();
      mails.taken.splice(0);
    });
    after(async () => {
      for (const replica of replicas) await replica.stop();
      await mails.stop();
    });

    /** The mails of one pass at both replicas at once: subject, address and the first line of each. */
    async function mailed(): Promise<readonly string[]> {
      const before = mails.taken.length;
      await Promise.all(replicas.map(({ server }) => warnOfEndingKeys(server, server.clock.now())));
      return mails.taken.slice(before).map(({ to, text }) => `${to}: ${text.split('\n')[0]?.replace(/ on .*/, '')}`);
    }
    const endsIn = (days: number) => addSeconds(replicas[0]!.server.clock.now(), days * DAY);
    const passDays = (days: number) => {
      aheadSeconds += days * DAY;
    };

    async function account(days: number | undefined) {
      const name = `ci-${++count}`;
      const expiry = days === undefined ? {} : { expiresAt: endsIn(days) };
      const made = await admin.post(`${organization}/service-accounts`, { name, role: 'member', ...expiry });
      assert.equal(made.status, 201, made.text);
      return { name, path: `${organization}/service-accounts/${made.body.serviceAccount.id}/api-keys`, ...made.body };
    }
    const told = (name: string) => [`${ADMIN}: The API key of ${name} “initial key” expires`];

    test('the administrators are told of the key of a service account 14 and 3 days before it ends, once each', async () => {
      const { name } = await account(20);
      assert.deepEqual(await mailed(), []);
      passDays(6.1);
      assert.deepEqual(await mailed(), told(name));
      const [mail] = mails.taken;
      assert.match(mail?.text ?? '', /http:\/\/signalbox\/people\?tab=keys&organization=default/);
      assert.deepEqual(await mailed(), []);
      passDays(10);
      assert.deepEqual(await mailed(), []);
      passDays(1);
      assert.deepEqual(await mailed(), told(name));
      passDays(2.5);
      assert.deepEqual(await mailed(), []);
    });

    test('a person is told of a personal key, and of one that was made shortly before its end only once', async () => {
      const [server] = replicas as [TestServer];
      const joined = await joinByInvitation(server, admin, MEMBER, 'correct horse battery', 'member');
      const headers = { cookie: cookieOf(joined), 'x-csrf-token': joined.body.csrfToken as string };
      const key = { descriptor: 'laptop', expiresAt: endsIn(5) };
      const made = await askPlatform(server, 'POST', '/me/api-keys', key, headers);
      assert.equal(made.status, 201, made.text);
      assert.deepEqual(await mailed(), []);
      passDays(2.1);
      assert.deepEqual(await mailed(), [`${MEMBER}: Your API key “laptop” expires`]);
      assert.match(mails.taken.at(-1)?.text ?? '', /http:\/\/signalbox\/account\?tab=keys/);
      passDays(4);
    });

    test('one mail names all keys of an organization that end', async () => {
      const names = [await account(15), await account(16)].map(({ name }) => name);
      passDays(3);
      assert.equal((await mailed()).length, 1);
      assert.match(mails.taken[0]?.subject ?? '', /^2 API keys expire from /);
      assert.deepEqual(
        [...(mails.taken[0]?.text ?? '').matchAll(/The API key of (\S+) /g)].map(([, name]) => name),
        names,
      );
      passDays(30);
    });

    test('a mail that the mail server does not take for now is sent by a later pass', async () => {
      const { name } = await account(14.5);
      passDays(1);
      isBusy = true;
      assert.deepEqual(await mailed(), []);
      isBusy = false;
      assert.deepEqual(await mailed(), told(name));
      passDays(30);
    });

    test('nobody is told of a key that was rolled or revoked', async () => {
      const [rolled, revoked] = [await account(15), await account(15)];
      const roll = await admin.post(`${rolled.path}/${rolled.apiKey.id}/roll`, { expiresAt: endsIn(100) });
      assert.equal(roll.status, 201, roll.text);
      assert.equal((await admin.delete(`${revoked.path}/${revoked.apiKey.id}`)).status, 204);
      passDays(2);
      assert.deepEqual(await mailed(), []);
    });

    test('the end by the greatest age that an organization accepts is warned of too', async () => {
      const { name } = await account(undefined);
      passDays(1.5);
      assert.equal((await admin.patch(organization, { maxKeyAgeDays: 15 })).status, 200);
      const lines = await mailed();
      assert.equal(lines.length, 1, String(lines));
      assert.match(mails.taken[0]?.text ?? '', new RegExp(`The API key of ${name} “initial key” expires`));
    });
  });
}
