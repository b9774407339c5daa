import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { callTool, ORGANIZATION, send, startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import type { PlatformCaller } from '../../../test/support/platform.ts';
import { databases } from '../../../test/support/server.ts';
import { newId } from '../../values/id.ts';
import { addSeconds } from '../../values/time.ts';

type Member = PlatformCaller & { readonly id: string };

for (const database of databases) {
  describe(`the inbox of an organization on ${database}`, () => {
    let gateway: TestGateway;
    let bob: Member;
    let editor: Member;

    before(async () => {
      gateway = await startGateway({ database });
      bob = await gateway.member('bob@example.com');
      editor = await gateway.member('eve@example.com');
    });
    after(() => gateway.stop());

    const inbox = async (who: PlatformCaller) => {
      const { status, body, text } = await who.get(`${ORGANIZATION}/views/inbox`);
      assert.equal(status, 200, text);
      return body;
    };
    const fail = async (slug: string) => {
      await send(gateway, slug, callTool('echo'), { key: gateway.admin.key });
      await gateway.server.recordsWritten();
    };
    const causeAt = async (slug: string) =>
      (await inbox(gateway.admin)).causes.find(({ server }: { server: { slug: string } }) => server.slug === slug);
    const pathOf = ({ id }: { id: string }) => `${ORGANIZATION}/server-failure-causes/${id}`;

    test('has requests for access for those who decide them, and invitations for administrators', async () => {
      await gateway.register('docs', { defaultRole: null });
      const asked = await bob.post(`${ORGANIZATION}/servers/docs/access-requests`, { reason: 'I write the handbook.' });
      assert.equal(asked.status, 201, asked.text);
      await gateway.admin.post(`${ORGANIZATION}/invitations`, { email: 'new@example.com' });
      const ofAdmin = await inbox(gateway.admin);
      assert.deepEqual(
        ofAdmin.accessRequests.map(({ userName }: { userName: string }) => userName),
        ['bob@example.com'],
      );
      assert.deepEqual(
        ofAdmin.invitations.map(({ email, state }: { email: string; state: string }) => [email, state]),
        [['new@example.com', 'pending']],
      );
      const ofBob = await inbox(bob);
      assert.deepEqual([ofBob.accessRequests, ofBob.invitations, ofBob.heldTools, ofBob.causes], [[], [], [], []]);
    });

    test('has the servers that hold tools back, until their tools are approved', async () => {
      const tools = ['search', 'send'].map((name) => ({ name, inputSchema: { type: 'object', properties: {} } }));
      gateway.upstream.answerWith(({ body, method }, response) => {
        if (method === 'GET')
          return void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
        const message = body === '' ? {} : JSON.parse(body);
        if (message.id === undefined) return void response.writeHead(202).end();
        const results: Record<string, object> = {
          initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'up' } },
          'tools/list': { tools },
        };
        const result = results[message.method];
        const answer = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer }));
      });
      await gateway.register('held');
      const path = `${ORGANIZATION}/servers/held`;
      assert.equal((await gateway.admin.post(`${path}/capabilities/refresh`, {})).status, 200);
      const approvals = async () => (await gateway.admin.get(`${path}/tool-approvals`)).body;
      const approve = async (names: readonly string[]) => {
        const { manifestVersion } = await approvals();
        const body = { enabled: true, manifestVersion, approve: names };
        const answer = await gateway.admin.put(`${path}/tool-approvals`, body);
        assert.equal(answer.status, 200, answer.text);
      };
      const names = (await approvals()).tools.map(({ name }: { name: string }) => name);
      await approve(names.slice(1));
      const held = async (who: PlatformCaller) =>
        (await inbox(who)).heldTools.map(({ server, tools }: { server: { slug: string }; tools: number }) => [
          server.slug,
          tools,
        ]);
      assert.deepEqual(await held(gateway.admin), [['held', 1]]);
      assert.deepEqual(await held(bob), []);
      await approve(names);
      assert.deepEqual(await held(gateway.admin), []);
    });

    test('has the failures of servers by their kind, which editors mute, resolve and own', async () => {
      const {
        body: { id },
      } = await gateway.register('away', {}, 'http://127.0.0.1:9/mcp');
      await gateway.admin.put(`${ORGANIZATION}/servers/away/grants/${editor.id}`, { role: 'editor' });
      await fail('away');
      await fail('away');
      const cause = await causeAt('away');
      assert.deepEqual([cause.server.id, cause.failure, cause.standing, cause.count], [id, 'connection', 'new', 2]);
      assert.match(cause.cure, /address/);
      const path = pathOf(cause);
      assert.equal((await bob.patch(path, { resolved: true })).status, 403);
      assert.equal((await bob.get(path)).status, 403);
      const owned = await editor.patch(path, { ownerId: bob.id, resolved: true });
      assert.deepEqual([owned.status, owned.body.ownerName, owned.body.standing], [200, 'bob@example.com', 'resolved']);
      assert.equal(await causeAt('away'), undefined);
      await fail('away');
      assert.equal((await causeAt('away')).standing, 'regressed');
      const muted = await editor.patch(path, { mutedFor: 1 });
      assert.equal(muted.body.standing, 'muted');
      const listed = async (shelf: string) =>
        (await editor.get(`${ORGANIZATION}/server-failure-causes?shelf=${shelf}`)).body.items.length;
      assert.deepEqual([await listed('open'), await listed('muted'), await listed('resolved')], [0, 1, 0]);
      await fail('away');
      assert.deepEqual([(await causeAt('away')).standing, (await causeAt('away')).count], ['regressed', 4]);
      const { items } = (await gateway.admin.get(`${ORGANIZATION}/audit?action=server_failure_cause.update`)).body;
      assert.equal(items.length, 2);
    });

    test('refuses changes with a reason that names the field', async () => {
      await gateway.register('wrong', {}, 'http://127.0.0.1:9/mcp');
      await fail('wrong');
      const path = pathOf(await causeAt('wrong'));
      const past = addSeconds(gateway.server.server.clock.now(), -60);
      for (const [body, field] of [
        [{ ownerId: newId() }, 'ownerId'],
        [{ mutedUntil: past }, 'mutedUntil'],
        [{ mutedFor: 0 }, 'mutedFor'],
      ] as const) {
        const answer = await gateway.admin.patch(path, body);
        assert.equal(answer.status, 422, answer.text);
        assert.ok(answer.text.includes(field), answer.text);
      }
      assert.equal((await gateway.admin.patch(pathOf({ id: newId() }), { resolved: true })).status, 404);
    });

    test('has no denied requests, and the causes of a server end with it', async () => {
      await gateway.register('gone', {}, 'http://127.0.0.1:9/mcp');
      await fail('gone');
      const cause = await causeAt('gone');
      await gateway.admin.delete(`${ORGANIZATION}/servers/gone`);
      assert.equal((await gateway.admin.get(pathOf(cause))).status, 404);
      await gateway.register('closed', { defaultRole: null });
      await send(gateway, 'closed', callTool('echo'), { key: bob.key });
      await gateway.server.recordsWritten();
      assert.equal(await causeAt('closed'), undefined);
    });
  });
}
