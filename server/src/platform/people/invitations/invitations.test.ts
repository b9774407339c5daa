import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type person, startPlatform } from '../../../../test/support/platform.ts';
import { databases, type TestServer } from '../../../../test/support/server.ts';

const invitations = '/organizations/default/invitations';

for (const database of databases) {
  describe(`invitations on ${database}`, () => {
    let server: TestServer;
    let admin: Awaited<ReturnType<typeof person>>;
    before(async () => {
      ({ server, admin } = await startPlatform(database));
    });
    after(() => server.stop());

    test('of invitations of one address at the same moment, one stays open', async () => {
      const invite = () => admin.post(invitations, { email: 'grace@example.com', role: 'member' });
      const answers = await Promise.all(Array.from({ length: 8 }, invite));
      assert.deepEqual(
        answers.map(({ status }) => status),
        answers.map(() => 201),
      );
      const { body } = await admin.get(invitations);
      const open = body.items.filter((one: { email: string; state: string }) => one.state === 'pending');
      assert.equal(open.length, 1, JSON.stringify(body.items));
    });
  });
}
