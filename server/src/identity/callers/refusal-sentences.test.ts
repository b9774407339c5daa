import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { person } from '../../../test/support/platform.ts';
import { databases, startServer } from '../../../test/support/server.ts';
import { newApiKey } from '../keys/api-keys.ts';

const hosted = '/api/accounts/00000000-0000-4000-8000-000000000001/workspaces/00000000-0000-4000-8000-000000000002';
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

for (const database of databases) {
  describe(`a refused client on ${database}`, () => {
    test('learns which settings hold the credential of the address that it called', async (t) => {
      const told: Record<string, string> = {};
      for (const apiAuth of ['key', 'basic'] as const) {
        const apiAuthString = apiAuth === 'basic' ? 'admin:secret' : '';
        const server = await startServer({ database, config: { apiAuth, apiAuthString } });
        t.after(() => server.stop());
        const unknown = newApiKey().secret;
        for (const [address, path] of Object.entries({ self: '/api/flows/filter', hosted: `${hosted}/flows/filter` })) {
          const texts = new Set<string>();
          for (const authorization of [undefined, `Bearer ${unknown}`, basic('admin:wrong'), basic(unknown)]) {
            const { status, text } = await server.request('POST', path, '{}', authorization ? { authorization } : {});
            assert.equal(status, 401, text);
            assert.ok(!text.includes(unknown) && !text.includes('secret'));
            texts.add(text);
          }
          assert.equal(texts.size, 1, 'a missing and a wrong credential are not told apart');
          told[`${apiAuth} ${address}`] = JSON.parse([...texts][0] ?? '').exception_message;
        }
      }
      assert.match(told['key self'] ?? '', /^Unauthorized\. .*valid API key\. .*PREFECT_API_AUTH_STRING to it.*Bearer/);
      assert.match(
        told['basic self'] ?? '',
        /^Unauthorized\. .*does not accept API keys\. .*PREFECT_API_AUTH_STRING=user:password/,
      );
      assert.match(told['key hosted'] ?? '', /^Unauthorized\. .*PREFECT_API_KEY to it, and PREFECT_CLOUD_API_URL/);
      assert.equal(told['basic hosted'], told['key hosted']);
    });

    test('learns which roles allow what it tried, and which role it has', async (t) => {
      const server = await startServer({ database, config: { apiAuth: 'key' } });
      t.after(() => server.stop());
      const admin = await person(server, 'ada@example.com', 'admin');
      const bob = await person(server, 'bob@example.com', 'member');
      const list = (await admin.get('/organizations/default/workspaces')).body.items;
      const workspace = `/organizations/default/workspaces/${list[0].id}`;
      const write = async () =>
        (
          await server.request('POST', '/api/flows/', '{"name":"f"}', {
            authorization: `Bearer ${bob.key}`,
            'content-type': 'application/json',
          })
        ).text;
      const sentence = (role: string) =>
        `Forbidden. flows:write requires the role editor or admin in this workspace; you have ${role}. An administrator can grant it.`;
      assert.deepEqual(JSON.parse(await write()), { detail: sentence('none') });
      await admin.put(`${workspace}/grants/${bob.id}`, { role: 'viewer' });
      assert.deepEqual(JSON.parse(await write()), { detail: sentence('viewer') });
      const { status, body } = await bob.patch(workspace, { name: 'w' });
      assert.equal(status, 403);
      assert.match(body.error.message, /requires the role admin in this workspace; you have viewer\./);
    });
  });
}
