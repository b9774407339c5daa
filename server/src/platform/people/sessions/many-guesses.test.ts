/** Thousands of guesses: few are evaluated, few are remembered, and the owner signs in meanwhile. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { isFullRun } from '../../../../test/support/full-run.ts';
import { timeAt } from '../../../../test/support/local-time.ts';
import { askPlatform, joinByInvitation, person } from '../../../../test/support/platform.ts';
import { databases, startServer } from '../../../../test/support/server.ts';
import { platformStatement } from '../../../database/statement.ts';
import { TrustedProxies } from '../../../network/trusted-proxies.ts';
import { Attempts } from '../../../rates/attempts.ts';

const password = 'correct horse battery staple';
const GUESSES = isFullRun ? 5000 : 1000;
const AT_ONCE = 100;
/** What the limits let through at once. */
const MOST_EVALUATED = 20;
/** More than the limits take to be whole again. */
const LONG_MILLISECONDS = 600_000;

const countAttempts = platformStatement<Record<string, never>, { rows: number }>((query) =>
  query.selectFrom('rate').select(sql<number>`count(*)`.as('rows')),
);
const makeOlder = platformStatement<{ milliseconds: number }, unknown>((query, given) =>
  query.updateTable('rate').set({ full_until: sql<number>`full_until - ${given.milliseconds}` }),
);

for (const database of databases) {
  describe(`${2 * GUESSES} guesses on ${database}`, () => {
    test('at one account from many addresses, and at many accounts from one', async (t) => {
      // No time passes, so no place becomes free again.
      const config = { trustedProxies: new TrustedProxies(['127.0.0.1']) };
      const server = await startServer({ database, config, local: timeAt(0) });
      server.server.clock.stop();
      t.after(() => server.stop());
      const { platform } = server.server.store;
      const admin = await person(server, 'ada@example.com', 'admin');
      const email = 'owner@example.com';
      const joined = await joinByInvitation(server, admin, email, password);
      const device = String((joined.headers['set-cookie'] as string[])[1]).split(';')[0] ?? '';
      const signIn = (who: string, typed: string, headers: Record<string, string>) =>
        askPlatform(server, 'POST', '/session', { email: who, password: typed }, headers);
      const rows = async () => Number((await platform.reads().first(countAttempts))?.rows);

      const guesses: ((index: number) => ReturnType<typeof signIn>)[] = [
        (index) => signIn(email, `guess ${index}`, { 'x-forwarded-for': `198.${index >> 8}.${index & 255}.7` }),
        (index) => signIn(`victim-${index}@example.com`, 'guess', { 'x-forwarded-for': '203.0.113.9' }),
      ];
      for (const guess of guesses) {
        const before = { evaluations: server.server.passwords.evaluations, rows: await rows() };
        const statuses = new Set<number>();
        for (let sent = 0; sent < GUESSES; sent += AT_ONCE) {
          const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => guess(sent + index)));
          for (const { status } of answers) statuses.add(status);
        }
        const owner = await signIn(email, password, { cookie: device, 'x-forwarded-for': '192.0.2.1' });
        assert.equal(owner.status, 200, 'the owner signs in');
        const evaluated = server.server.passwords.evaluations - before.evaluations - 1;
        assert.ok(evaluated >= 1 && evaluated <= MOST_EVALUATED, `${evaluated} evaluated`);
        const remembered = (await rows()) - before.rows;
        assert.ok(remembered <= 3 * MOST_EVALUATED, `${remembered} rows`);
        assert.deepEqual([...statuses].sort(), [401, 429]);
      }

      await platform.transaction((tx) => tx.run(makeOlder, { milliseconds: LONG_MILLISECONDS }));
      // As after a restart: a process that counts already forgets once a minute.
      const attempts = new Attempts(server.server.store, server.server.clock);
      const limit = { name: 'test', atOnce: 1, everySeconds: 1 };
      await attempts.begin([{ limit, subject: 'the next attempt' }]);
      assert.equal(await rows(), 1, 'what limits nothing any more is forgotten with the next attempt');
    });
  });
}
