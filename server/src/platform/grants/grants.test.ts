import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type PlatformCaller, person, startPlatform } from '../../../test/support/platform.ts';
import { databases, type TestServer } from '../../../test/support/server.ts';

const ROUNDS = 15;

for (const database of databases) {
  describe(`grants on ${database}`, () => {
    let server: TestServer;
    let admin: PlatformCaller;
    let workspace: string;
    before(async () => {
      ({ server, admin } = await startPlatform(database));
      const made = await admin.post('/organizations/default/workspaces', { name: 'w', handle: 'w' });
      workspace = `/organizations/default/workspaces/${made.body.id}`;
    });
    after(() => server.stop());

    test('a member who is removed while a role is set has no role afterwards', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const member = await person(server, `member-${round}@example.com`, 'member');
        const grant = `${workspace}/grants/${member.id}`;
        const answers = await Promise.all([
          admin.put(grant, { role: 'viewer' }),
          admin.put(grant, { role: 'editor' }),
          admin.delete(`/organizations/default/members/${member.id}`),
          admin.put(grant, { role: 'admin' }),
        ]);
        for (const { status, text } of answers) assert.ok([200, 204, 404].includes(status), text);
        const { items } = (await admin.get(`${workspace}/grants`)).body;
        assert.ok(!JSON.stringify(items).includes(member.id), `round ${round}`);
      }
    });
  });
}
