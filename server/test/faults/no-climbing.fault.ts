/**
 * Actors with every kind of role send random changes, some with fields that would give more rights. Only an administrator
 * of its scope can give or take a right, and every organization keeps an administrator.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, NamedConflict } from '../../src/errors.ts';
import { createOperatorContext } from '../../src/platform/operator/operator.ts';
import { listUsers, removeUser } from '../../src/platform/operator/users.ts';
import { addOrganization } from '../../src/platform/organizations/operations.ts';
import { person } from '../support/platform.ts';
import { randomNumbers } from '../support/random.ts';
import { databases, startServer } from '../support/server.ts';
import { gather } from './climbing/cast.ts';
import { HOLES, runSequence } from './climbing/sequence.ts';
import { unexplained } from './climbing/standing.ts';
import { count, report } from './harness.ts';

const SEQUENCES = count(60, 4000);
const LENGTH = 25;
const ROUNDS = count(30, 1000);
/** Shown with a failure, so that the sequence can be repeated. */
const SEED = 20_260_101;
/** Sequences in which a planted hole must show. */
const MAX_HIDDEN = 40;

for (const database of databases) {
  test(`on ${database}, no sequence of changes gives an actor what its granter lacks`, async (t) => {
    const server = await startServer({ database });
    t.after(() => server.stop());
    const rival = await gather(server, 'rival');
    const statuses = new Map<number, number>();
    for (let index = 0; index < SEQUENCES; index++) {
      const cast = await gather(server, `org-${index}`);
      const random = randomNumbers(SEED + index);
      const sequence = await runSequence(server, cast, rival, { length: LENGTH, random });
      assert.equal(sequence.fault, undefined, `seed ${SEED + index}: ${sequence.fault}`);
      for (const [status, times] of sequence.statuses) statuses.set(status, (statuses.get(status) ?? 0) + times);
    }
    const done = [...statuses].reduce((sum, [status, times]) => sum + (status < 300 ? times : 0), 0);
    assert.ok(done > (SEQUENCES * LENGTH) / 10, 'too few changes succeeded for a meaningful test');
    report({
      test: '29',
      name: `changes by actors of every reach (${database})`,
      value: `${SEQUENCES * LENGTH} in ${SEQUENCES} sequences, ${done} made; 0 gave what the granter lacks`,
      limit: '0',
    });
  });

  test(`on ${database}, the test finds a server that does not check who may send a change`, async (t) => {
    const server = await startServer({ database });
    t.after(() => server.stop());
    const rival = await gather(server, 'rival');
    const found: string[] = [];
    for (const hole of HOLES) {
      for (let index = 0; index < MAX_HIDDEN && found.at(-1) !== hole; index++) {
        const cast = await gather(server, `${hole.toLowerCase()}-${index}`);
        const { fault } = await runSequence(server, cast, rival, {
          length: LENGTH,
          random: randomNumbers(index),
          hole,
        });
        if (fault) found.push(hole);
      }
    }
    assert.deepEqual(found, HOLES);
    report({
      test: '29',
      name: `planted holes that were found (${database})`,
      value: `${found.length} of ${HOLES.length}`,
    });
  });
}

test('an organization without an administrator is a fault, whoever caused it', () => {
  const admin = { kind: 'member', organization: 'o', scope: 'o', holder: 'ada', value: 'admin' } as const;
  assert.deepEqual(unexplained([admin], [{ ...admin, value: 'member' }], 'ada'), ['o has no administrator']);
});

for (const database of databases) {
  test(`on ${database}, administrators who remove each other concurrently leave one`, async (t) => {
    const server = await startServer({ database });
    t.after(() => server.stop());
    const context = () => createOperatorContext(server.server.store, server.server.clock.now(), server.server);
    let kept = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const slug = `org-${round}`;
      const emails = [0, 1, 2].map((index) => `admin-${index}-${round}@example.com`);
      await addOrganization(context().change, { slug, name: slug });
      const people = await Promise.all(emails.map((email) => person(server, email, 'admin', slug)));
      // Each removes the next, so that together they would remove all; by a request or, one of them, by a command.
      const ends = people.map((one, index) => {
        const next = (index + 1) % people.length;
        const member = `/organizations/${slug}/members/${people[next]!.id}`;
        const ways = [
          () => one.patch(member, { role: 'member' }),
          () => one.delete(member),
          () => removeUser(context(), emails[next]!).catch(ignoreRefusal),
        ];
        return ways[(round + index) % ways.length]!();
      });
      await Promise.all(ends);
      const users = await listUsers(context());
      const left = users.filter(({ organizations }) =>
        organizations.some((one) => one.slug === slug && one.role === 'admin'),
      );
      assert.ok(left.length > 0, `round ${round}`);
      kept += left.length;
    }
    report({
      test: '29',
      name: `administrators who end each other at once (${database})`,
      value: `${ROUNDS} rounds with 3; ${kept} left, at least 1 each time`,
    });
  });
}

/** The command refuses to remove the last administrator, or a person who was already removed. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ConfigError || error instanceof NamedConflict)) throw error;
}
