import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { callTool, ORGANIZATION, send, startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { databases } from '../../../test/support/server.ts';

for (const database of databases) {
  describe(`the first MCP server on ${database}`, () => {
    let gateway: TestGateway;
    let workspace: string;

    before(async () => {
      gateway = await startGateway({ database });
      workspace = (await gateway.admin.get(`${ORGANIZATION}/workspaces`)).body.items[0].id;
    });
    after(() => gateway.stop());

    const read = async (caller = gateway.admin) =>
      (await caller.get(`${ORGANIZATION}/views/first-servers?workspace=${workspace}`)).body;
    const home = async () => (await gateway.server.get('/views/home')).body.first_hour;

    test('it arrives when a server answers, and the first call after it', async () => {
      const begun = await read();
      assert.equal(begun.builtin.slug, 'orchestration-default');
      assert.deepEqual([begun.server, begun.call, begun.refusesPrivateTargets], [null, null, false]);
      assert.match(begun.hosting, /^off/);

      await gateway.register('away', {}, 'http://127.0.0.1:9/mcp');
      assert.match((await read()).server.manifestError, /refused/);
      await gateway.register('docs');
      const { server } = await read();
      assert.deepEqual([server.slug, server.kind, server.manifestError], ['docs', 'external', null]);
      assert.ok(server.manifestReadAt);

      const member = await gateway.member('member@example.com');
      await send(gateway, 'docs', callTool('echo'), { key: member.key });
      await gateway.server.recordsWritten();
      const { call } = await read();
      assert.deepEqual([call.server, call.capability], ['docs', 'echo']);
      assert.equal((await read(member)).call, null, 'a viewer does not see the calls of others');
      assert.equal(await home(), true, 'the steps of flows have not arrived');
    });

    test('it says that private addresses are refused', async () => {
      const strict = await startGateway({ database, config: { allowPrivateTargets: false } });
      try {
        const { body } = await strict.admin.get(`${ORGANIZATION}/views/first-servers`);
        assert.deepEqual([body.refusesPrivateTargets, body.builtin], [true, null]);
        await strict.register('docs');
        const after = await strict.admin.get(`${ORGANIZATION}/views/first-servers`);
        assert.match(after.body.server.manifestError, /SIGNALBOX_ALLOWED_PRIVATE_NETWORKS/);
      } finally {
        await strict.stop();
      }
    });

    test('the policy of the sample goes with it, and rules of others stay', async () => {
      const path = `${ORGANIZATION}/workspaces/${workspace}/sample-policy`;
      const policy = `${ORGANIZATION}/servers/orchestration-default/policy`;
      const rules = async () => (await gateway.admin.get(policy)).body.rules;
      assert.equal((await gateway.admin.put(path, {})).status, 204);
      assert.equal((await read()).samplePolicy, true);
      const loaded = await rules();
      assert.ok(
        loaded.some(
          ({ pattern, effect }: Record<string, string>) => pattern === 'cancel_flow_run' && effect === 'deny',
        ),
      );
      assert.equal((await gateway.admin.delete(path)).status, 204);
      assert.deepEqual([await rules(), (await read()).samplePolicy], [[], false]);

      await gateway.admin.put(path, {});
      const own = { role: 'viewer', actorId: null, capability: 'tool', pattern: 'get_*', effect: 'allow' };
      await gateway.admin.put(policy, { rules: [own] });
      assert.equal((await read()).samplePolicy, false);
      await gateway.admin.delete(path);
      assert.deepEqual(
        (await rules()).map(({ pattern }: { pattern: string }) => pattern),
        ['get_*'],
      );
      await gateway.admin.put(path, {});
      assert.equal((await rules()).length, 1, 'a server that has rules keeps them');

      const member = await gateway.member('viewer@example.com');
      for (const refused of [await member.put(path, {}), await member.delete(path)]) {
        assert.ok([403, 404].includes(refused.status), refused.text);
      }
    });
  });
}
