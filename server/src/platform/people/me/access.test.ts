import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { askPlatform, type PlatformCaller, person } from '../../../../test/support/platform.ts';
import { databasesOfRun, startServer, type TestServer } from '../../../../test/support/server.ts';
import { PLATFORM_PERMISSIONS } from './access-schema.ts';

interface Access {
  readonly user: { readonly email: string } | null;
  readonly csrfToken: string | null;
  readonly organizations: readonly {
    readonly slug: string;
    readonly role: string;
    readonly workspaces: readonly { readonly handle: string; readonly role: string; readonly isDefault: boolean }[];
  }[];
  readonly workspaceId: string | null;
  readonly permissions: readonly string[];
}

for (const database of databasesOfRun) {
  describe(`permissions of a caller on ${database}`, () => {
    let server: TestServer;
    let admin: PlatformCaller & { id: string };
    let member: PlatformCaller & { id: string };
    let organization: string;
    let workspace: string;
    before(async () => {
      server = await startServer({ database, config: { apiAuth: 'key' } });
      admin = await person(server, 'ada@example.com', 'admin');
      member = await person(server, 'max@example.com', 'member');
      organization = (await admin.get('/organizations/default')).body.id;
      const made = await admin.post('/organizations/default/workspaces', { name: 'Red', handle: 'red' });
      workspace = made.body.id;
    });
    after(() => server.stop());

    const access = async (caller: PlatformCaller, query = '') =>
      (await caller.get(`/me/access${query}`)).body as Access;
    const hosted = () => `?organization=${organization}&workspace=${workspace}`;

    test('an administrator may do everything, in the workspace behind /api and in others', async () => {
      for (const query of ['', hosted()]) {
        const { user, organizations, permissions } = await access(admin, query);
        assert.equal(user?.email, 'ada@example.com');
        assert.deepEqual(
          organizations.map(({ slug, role, workspaces }) => [slug, role, workspaces.map(({ handle }) => handle)]),
          [['default', 'admin', ['default', 'red']]],
        );
        for (const permission of ['flow_runs:write', 'secrets:read', 'settings:write', ...PLATFORM_PERMISSIONS]) {
          assert.ok(permissions.includes(permission), permission);
        }
      }
    });

    test('a grant determines what a member may do, and the answer agrees with the API', async () => {
      const none = await access(member, hosted());
      assert.ok(
        none.permissions.every((one) => one.startsWith('organization')),
        none.permissions.join(),
      );
      const grant = `/organizations/default/workspaces/${workspace}/grants/${member.id}`;
      await admin.put(grant, { role: 'viewer' });
      const viewer = await access(member, hosted());
      assert.ok(viewer.permissions.includes('flow_runs:read'));
      assert.ok(!viewer.permissions.some((one) => one.endsWith(':write') || one === 'secrets:read'));
      await admin.put(grant, { role: 'editor' });
      const editor = await access(member, hosted());
      assert.ok(editor.permissions.includes('flow_runs:write'));
      assert.ok(!editor.permissions.includes('settings:write') && !editor.permissions.includes('workspace:admin'));
      await admin.put(grant, { role: 'admin' });
      assert.ok((await access(member, hosted())).permissions.includes('workspace:admin'));
      await admin.delete(grant);
    });

    test('without a credential it returns what anyone may do', async () => {
      const { body } = await askPlatform(server, 'GET', '/me/access');
      assert.deepEqual([body.user, body.csrfToken, body.organizations, body.permissions], [null, null, [], []]);
      const open = await startServer({ database });
      const anyone = (await askPlatform(open, 'GET', '/me/access')).body as Access;
      assert.ok(anyone.permissions.includes('flow_runs:write'));
      assert.ok(!PLATFORM_PERMISSIONS.some((one) => anyone.permissions.includes(one)));
      await open.stop();
    });
  });
}
