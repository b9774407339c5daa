import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { askPlatform, joinByInvitation, person, startPlatform } from '../../../../test/support/platform.ts';
import { databases, type TestServer } from '../../../../test/support/server.ts';
import { createOperatorContext } from '../../operator/operator.ts';
import { changePassword, changeUserState } from '../../operator/users.ts';
import { identities } from '../oidc/queries.ts';

const password = 'correct horse battery staple';

for (const database of databases) {
  describe(`suspending a person on ${database}`, () => {
    let server: TestServer;
    let admin: Awaited<ReturnType<typeof person>>;
    before(async () => {
      ({ server, admin } = await startPlatform(database));
    });
    after(() => server.stop());

    const signIn = (email: string) => askPlatform(server, 'POST', '/session', { email, password });
    const operator = () => createOperatorContext(server.server.store, server.server.clock.now(), server.server);
    const audited = async (action: string) => {
      const { sql } = await import('kysely');
      const { platformQuery } = await import('../../../database/statement.ts');
      const entries = platformQuery<{ action: string }, { actor_name: string }>(
        (_, given) => sql`select actor_name from audit_entry where action = ${given.action} order by id`,
      );
      return (await server.server.store.platform.reads().all(entries, { action })).map(({ actor_name }) => actor_name);
    };

    test('sessions and keys end, and the person cannot sign in until the account is active again', async () => {
      const email = 'bob@example.com';
      const joined = await joinByInvitation(server, admin, email, password);
      const { id } = joined.body.user;
      const bob = await person(server, 'bob-with-key@example.com', 'member');
      const suspended = await admin.post(`/users/${id}/suspend`);
      assert.equal(suspended.status, 200, suspended.text);
      assert.equal(suspended.body.state, 'suspended');
      assert.equal((await signIn(email)).status, 401);
      await changePassword(operator(), email, password);
      assert.equal((await signIn(email)).status, 401, 'a new password does not lift it');
      const back = await admin.post(`/users/${id}/reactivate`);
      assert.equal(back.body.state, 'active');
      assert.equal((await signIn(email)).status, 200);
      assert.equal((await bob.get('/me')).status, 200);
      await admin.post(`/users/${bob.id}/suspend`);
      assert.equal((await bob.get('/me')).status, 401);
      await admin.post(`/users/${bob.id}/reactivate`);
      assert.equal((await bob.get('/me')).status, 401, 'a revoked key stays revoked');
    });

    test('the last administrator cannot be suspended, and members may not suspend', async () => {
      const carol = await person(server, 'carol@example.com', 'member');
      const last = await admin.post(`/users/${admin.id}/suspend`);
      assert.equal(last.status, 409);
      assert.equal(last.body.error.code, 'last_admin');
      for (const verb of ['suspend', 'reactivate']) {
        assert.equal((await carol.post(`/users/${carol.id}/${verb}`)).status, 403);
      }
    });

    test('the command does the same, and the audit names the operator', async () => {
      const dave = await person(server, 'dave@example.com', 'member');
      await changeUserState(operator(), 'Dave@example.com', 'suspended');
      assert.equal((await dave.get('/me')).status, 401);
      assert.equal((await audited('user.suspend')).at(-1), 'operator');
      assert.ok((await audited('user.reactivate')).length >= 2);
      await assert.rejects(changeUserState(operator(), 'nobody@example.com', 'suspended'), /no user/);
    });

    test('an operator unlinks a person from the identity provider, and the list of members says who is linked', async () => {
      const erin = await person(server, 'erin@example.com', 'member');
      const other = await person(server, 'frank@example.com', 'member');
      const identity = { issuer: 'https://id.example.com', subject: 'erin', user_id: erin.id };
      const { store, clock } = server.server;
      await store.platform.transaction((tx) => identities.insert(tx, { ...identity, created: clock.now() }));
      const listed = async () => {
        const { items } = (await admin.get('/organizations/default/members?limit=100')).body;
        const member = items.find(({ id }: { id: string }) => id === erin.id);
        return { isLinked: member.isLinked, state: member.state };
      };
      assert.deepEqual(await listed(), { isLinked: true, state: 'active' });
      assert.equal((await other.post(`/users/${erin.id}/unlink`)).status, 403);
      assert.equal((await erin.get('/me')).status, 200);
      const unlinked = await admin.post(`/users/${erin.id}/unlink`);
      assert.equal(unlinked.status, 200, unlinked.text);
      assert.equal((await erin.get('/me')).status, 401, 'keys end');
      assert.equal((await audited('user.unlink')).length, 1);
      const again = await admin.post(`/users/${erin.id}/unlink`);
      assert.equal(again.status, 409);
      assert.equal(again.body.error.code, 'not_linked');
      await admin.post(`/users/${erin.id}/suspend`);
      assert.deepEqual(await listed(), { isLinked: false, state: 'suspended' });
    });

    test('two administrators who suspend each other concurrently leave one', async () => {
      for (let round = 0; round < 5; round++) {
        const other = await person(server, `admin-${round}@example.com`, 'admin');
        const answers = await Promise.all([
          admin.post(`/users/${other.id}/suspend`),
          other.post(`/users/${admin.id}/suspend`),
        ]);
        const done = answers.filter(({ status }) => status === 200);
        assert.equal(done.length, 1, answers.map(({ text }) => text).join());
        if (answers[0]?.status !== 200) {
          await other.post(`/users/${admin.id}/reactivate`);
          return;
        }
      }
    });
  });
}
