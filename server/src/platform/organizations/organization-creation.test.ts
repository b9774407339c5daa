import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { person } from '../../../test/support/platform.ts';
import { databasesOfRun, startServer, type TestServer } from '../../../test/support/server.ts';

for (const database of databasesOfRun) {
  describe(`creation of organizations, on ${database}`, () => {
    const servers: TestServer[] = [];
    after(() => Promise.all(servers.map((server) => server.stop())));

    async function statuses(organizationCreation: 'operators' | 'everyone' | 'nobody') {
      const server = await startServer({ database, config: { apiAuth: 'key', organizationCreation } });
      servers.push(server);
      const operator = await person(server, 'ada@example.com', 'admin');
      const member = await person(server, 'mel@example.com', 'member');
      const first = await operator.post('/organizations', { name: 'One', slug: 'one' });
      const second = await member.post('/organizations', { name: 'Two', slug: 'two' });
      // An administrator of another organization.
      const founder = await person(server, 'fay@example.com', 'admin', first.status === 201 ? 'one' : 'default');
      const third = await founder.post('/organizations', { name: 'Three', slug: 'three' });
      return { statuses: [first.status, second.status, third.status], message: second.body?.error?.message };
    }

    test('is for operators by default, who are the administrators of the organization behind /api', async () => {
      assert.deepEqual(await statuses('operators'), {
        statuses: [201, 403, 403],
        message: 'Organizations are made by operators only: administrators of the organization behind /api.',
      });
    });

    test('is for everyone or for no one when a setting says so', async () => {
      assert.deepEqual((await statuses('everyone')).statuses, [201, 201, 201]);
      assert.deepEqual((await statuses('nobody')).statuses, [403, 403, 403]);
    });
  });
}
