import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { callTool, ORGANIZATION, send, startGateway, type TestGateway } from '../../../../test/support/gateway.ts';
import { type PlatformCaller, person } from '../../../../test/support/platform.ts';
import { databasesOfRun } from '../../../../test/support/server.ts';
import { platformStatement } from '../../../database/statement.ts';
import { addSeconds, type Timestamp } from '../../../values/time.ts';

const REQUESTS = `${ORGANIZATION}/access-requests`;
type Member = PlatformCaller & { readonly id: string };

const setUpdated = platformStatement<{ id: string; updated: Timestamp }, unknown>((query, given) =>
  query.updateTable('access_request').set({ updated: given.updated }).where('id', '=', given.id),
);

for (const database of databasesOfRun) {
  describe(`requests for access to a server on ${database}`, () => {
    let gateway: TestGateway;
    let bob: Member;
    let owner: Member;

    before(async () => {
      gateway = await startGateway({ database });
      bob = await gateway.member('bob@example.com');
      owner = await gateway.member('owner@example.com');
      await gateway.register('docs', { defaultRole: null });
      await gateway.register('hidden', { defaultRole: null, visibility: 'concealed' });
      await gateway.register('open');
      const { id } = (await gateway.admin.get(`${ORGANIZATION}/servers/docs`)).body;
      await gateway.admin.put(`${ORGANIZATION}/servers/${id}/grants/${owner.id}`, { role: 'admin' });
    });
    after(() => gateway.stop());

    const ask = (who: PlatformCaller, slug = 'docs', reason = 'I write the handbook.') =>
      who.post(`${ORGANIZATION}/servers/${slug}/access-requests`, { reason });
    const list = async (who: PlatformCaller, query = '') => (await who.get(`${REQUESTS}${query}`)).body.items;
    const statusOfCall = async (who: PlatformCaller) =>
      (await send(gateway, 'docs', callTool('echo'), { key: who.key })).status;
    const letPass = (id: string, seconds: number) => {
      const { store, clock } = gateway.server.server;
      const updated = addSeconds(clock.now(), -seconds);
      return store.platform.transaction((tx) => tx.run(setUpdated, { id, updated }));
    };
    const actions = async (action: string) =>
      (await gateway.admin.get(`${ORGANIZATION}/audit?action=${action}`)).body.items;

    test('a person asks, an administrator of the server approves, and the next call works', async () => {
      assert.equal(await statusOfCall(bob), 403);
      const asked = await ask(bob);
      assert.equal(asked.status, 201, asked.text);
      assert.equal((await ask(bob)).body.error.code, 'request_open');
      const [seen, ...others] = await list(owner, '?state=open');
      assert.deepEqual(
        [seen.userName, seen.reason, seen.server.slug],
        ['bob@example.com', 'I write the handbook.', 'docs'],
      );
      assert.deepEqual(others, []);
      const approve = `${REQUESTS}/${asked.body.id}/approve`;
      assert.equal((await bob.post(approve, { role: 'admin' })).status, 403);
      const approved = await owner.post(approve, { role: 'viewer' });
      assert.equal(approved.status, 200, approved.text);
      assert.deepEqual([approved.body.state, approved.body.decidedBy], ['approved', 'owner@example.com']);
      assert.equal(await statusOfCall(bob), 200);
      assert.equal((await owner.post(approve, {})).body.error.code, 'request_closed');
      assert.equal((await ask(bob)).body.error.code, 'has_access');
      assert.equal((await actions('access_request.approve'))[0].details.userName, 'bob@example.com');
      assert.equal((await actions('access_request.create'))[0].targetName, 'docs');
    });

    test('a refusal says why, and the same question has to wait for a day', async () => {
      const carl = await gateway.member('carl@example.com');
      const { id } = (await ask(carl)).body;
      const refuse = (reason: string) => owner.post(`${REQUESTS}/${id}/refuse`, { reason });
      assert.equal((await refuse('  ')).status, 422);
      assert.equal((await refuse('Ask for the public one.')).status, 200);
      const [own] = await list(carl, '?own=true');
      assert.deepEqual([own.state, own.answer], ['refused', 'Ask for the public one.']);
      assert.equal(await statusOfCall(carl), 403);
      const again = await ask(carl);
      assert.equal(again.status, 429);
      assert.ok(Number(again.headers['retry-after']) > 80_000);
      await letPass(id, 24 * 3600 + 1);
      assert.equal((await ask(carl)).status, 201);
      assert.equal((await list(carl, '?own=true&server=docs')).length, 1);
    });

    test('who may not know of a server cannot ask, and texts and numbers are bounded', async () => {
      assert.equal((await ask(bob, 'hidden')).status, 404);
      assert.equal((await ask(bob, 'open')).body.error.code, 'has_access');
      const dora = await gateway.member('dora@example.com');
      for (const reason of ['', ' \n', 'x'.repeat(1001), 'a\u0007b']) {
        assert.equal((await ask(dora, 'docs', reason)).status, 422, JSON.stringify(reason));
      }
      assert.equal((await dora.get(`${REQUESTS}?server=docs`)).status, 403);
      assert.deepEqual(await list(dora), []);
      for (let count = 0; count < 21; count++) {
        await gateway.register(`many-${count}`, { defaultRole: null }, 'http://127.0.0.1:9/mcp');
      }
      for (let count = 0; count < 20; count++) assert.equal((await ask(dora, `many-${count}`)).status, 201);
      assert.equal((await ask(dora, 'many-20')).body.error.code, 'too_many_open_requests');
      const [first] = await list(dora, '?own=true&server=many-0');
      assert.equal((await bob.delete(`${REQUESTS}/${first.id}`)).status, 404);
      assert.equal((await dora.delete(`${REQUESTS}/${first.id}`)).status, 204);
      assert.equal((await dora.delete(`${REQUESTS}/${first.id}`)).status, 409);
      assert.equal((await ask(dora, 'many-20')).status, 201);
      const page = (await gateway.admin.get(`${REQUESTS}?state=open&limit=15`)).body;
      const next = (await gateway.admin.get(`${REQUESTS}?state=open&limit=15&cursor=${page.meta.nextCursor}`)).body;
      assert.equal(new Set([...page.items, ...next.items].map(({ id }: { id: string }) => id)).size, 21);
    });

    test('a request ends with the membership and with the server, and a grant answers it', async () => {
      const eve = await gateway.member('eve@example.com');
      const finn = await person(gateway.server, 'finn@example.com', 'member');
      await ask(eve);
      const { id } = (await ask(finn)).body;
      await gateway.admin.put(`${ORGANIZATION}/servers/docs/grants/${eve.id}`, { role: 'editor' });
      assert.deepEqual(
        (await list(eve, '?own=true')).map(({ state, role }: { state: string; role: string }) => [state, role]),
        [['approved', 'editor']],
      );
      await gateway.admin.delete(`${ORGANIZATION}/members/${finn.id}`);
      assert.equal((await owner.post(`${REQUESTS}/${id}/approve`, {})).status, 404);
      await gateway.admin.delete(`${ORGANIZATION}/servers/docs`);
      assert.deepEqual(await list(eve, '?own=true'), []);
    });

    test('a service account is told who can help', async () => {
      const made = await gateway.admin.post(`${ORGANIZATION}/service-accounts`, { name: 'robot', descriptor: 'k' });
      await gateway.register('later', { defaultRole: null });
      const answer = await gateway.request(
        'POST',
        `/api/v0${ORGANIZATION}/servers/later/access-requests`,
        JSON.stringify({ reason: 'please' }),
        { authorization: `Bearer ${made.body.secret}`, 'content-type': 'application/json' },
      );
      assert.equal(answer.status, 403);
      assert.match(answer.text, /administrator of the server can grant/);
    });
  });
}
