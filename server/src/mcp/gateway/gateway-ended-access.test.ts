/** Whoever has just been let through, and so is known to the gateway, is refused at the very next request. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  callTool,
  ORGANIZATION,
  openStream,
  send,
  startGateway,
  type TestGateway,
} from '../../../test/support/gateway.ts';
import { timeAhead } from '../../../test/support/local-time.ts';
import { databasesOfRun } from '../../../test/support/server.ts';
import { listKeys, revokeKeyById } from '../../platform/operator/keys.ts';
import { removeUser } from '../../platform/operator/users.ts';
import { type Operator, openOperator } from '../../process/server.ts';
import { addSeconds } from '../../values/time.ts';

/** PostgreSQL is asked for each request: nothing is kept there. */
const ROUNDS = { sqlite: 12, postgres: 2 };

for (const database of databasesOfRun) {
  describe(`access that ends between two requests on ${database}`, () => {
    let gateway: TestGateway;
    /** Commands beside the server, with connections of their own. */
    let operator: Operator;
    let members = 0;
    let aheadSeconds = 0;

    before(async () => {
      gateway = await startGateway({ database, local: timeAhead(() => aheadSeconds * 1000) });
      operator = await openOperator(gateway.server.server.config);
      assert.equal((await gateway.register('open')).status, 201);
      assert.equal((await gateway.register('closed', { defaultRole: null })).status, 201);
    });
    after(async () => {
      await operator.close();
      await gateway.stop();
    });

    const callers = async (slug: string, key: string, count = 1) => {
      const answers = await Promise.all(
        Array.from({ length: count }, () => send(gateway, slug, callTool('echo'), { key })),
      );
      return answers.map(({ status }) => status);
    };

    /** `end` takes the access away from a caller; the requests after it get `status`. */
    async function endsAtOnce(
      slug: string,
      status: number,
      end: (caller: Awaited<ReturnType<TestGateway['member']>>, email: string) => Promise<void>,
      begin: (id: string) => Promise<unknown> = async () => {},
    ): Promise<void> {
      for (let round = 0; round < ROUNDS[database]; round++) {
        const email = `member-${++members}@example.com`;
        const caller = await gateway.member(email);
        await begin(caller.id);
        // The first use of a key is noted in the database: the ones after it find nothing new there.
        for (let use = 0; use < 3; use++) assert.deepEqual(await callers(slug, caller.key), [200]);
        await end(caller, email);
        assert.deepEqual(await callers(slug, caller.key, 3), [status, status, status], `round ${round}`);
      }
    }

    const answered = (expected: number) => (answer: { status: number; text: string }) =>
      assert.equal(answer.status, expected, answer.text);

    test('a key that its owner revokes over the API', () =>
      endsAtOnce('open', 401, (caller) => caller.delete('/me/api-key').then(answered(204))));

    test('a key that expires, although nobody changes anything, and the stream that it opened', async () => {
      for (let round = 0; round < ROUNDS[database]; round++) {
        const expiresAt = addSeconds(gateway.server.server.clock.now(), 60);
        const account = { name: `expiring-${round}`, role: 'admin', expiresAt };
        const { secret } = (await gateway.admin.post(`${ORGANIZATION}/service-accounts`, account)).body;
        for (let use = 0; use < 3; use++) assert.deepEqual(await callers('open', secret), [200]);
        const stream = await openStream(gateway, 'open', { key: secret });
        assert.equal(stream.status, 200);
        aheadSeconds += 61;
        assert.deepEqual(await callers('open', secret, 3), [401, 401, 401], `round ${round}`);
        await stream.ended;
      }
    });

    test('a key that a command revokes', () =>
      endsAtOnce('open', 401, async (_caller, email) => {
        const { change } = operator.context();
        const key = (await listKeys(change, 'all')).find(({ owner }) => owner === email);
        await revokeKeyById(change, key?.id ?? '');
      }));

    test('a grant that is removed', () =>
      endsAtOnce(
        'closed',
        403,
        ({ id }) => gateway.admin.delete(`${ORGANIZATION}/servers/closed/grants/${id}`).then(answered(204)),
        (id) =>
          gateway.admin.put(`${ORGANIZATION}/servers/closed/grants/${id}`, { role: 'viewer' }).then(answered(204)),
      ));

    test('a member who is removed', () =>
      endsAtOnce('open', 403, ({ id }) => gateway.admin.delete(`${ORGANIZATION}/members/${id}`).then(answered(204))));

    test('an account that a command ends', () =>
      endsAtOnce('open', 401, async (_caller, email) => {
        await removeUser(operator.context(), email);
      }));

    test('a policy that changes, for those who lose and those who gain by it', async () => {
      const { key } = await gateway.member('ruled@example.com');
      for (let round = 0; round < ROUNDS[database]; round++) {
        const effect = round % 2 === 0 ? 'allow' : 'deny';
        await gateway.allow('open', { capability: 'tool', pattern: 'echo', effect });
        const status = effect === 'allow' ? 200 : 403;
        assert.deepEqual(await callers('open', key, 3), [status, status, status], `round ${round}`);
      }
    });

    test('the default role of a server that is taken away and given again', async () => {
      const { key } = await gateway.member('defaulted@example.com');
      await gateway.register('changing');
      for (let round = 0; round < ROUNDS[database]; round++) {
        const defaultRole = round % 2 === 0 ? null : 'viewer';
        await gateway.admin.patch(`${ORGANIZATION}/servers/changing`, { defaultRole }).then(answered(200));
        const status = defaultRole === null ? 403 : 200;
        assert.deepEqual(await callers('changing', key, 3), [status, status, status], `round ${round}`);
      }
    });
  });
}
