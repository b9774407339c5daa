import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type PlatformCaller, person } from '../../../../test/support/platform.ts';
import { recordRequests } from '../../../../test/support/request-records.ts';
import { databasesOfRun, startServer, type TestServer } from '../../../../test/support/server.ts';
import { addSeconds, systemClock } from '../../../values/time.ts';
import { MOST_COUNTED } from '../requests/newest.ts';

const REQUESTS = MOST_COUNTED + 1000;
const views = '/organizations/default/views/requests';

for (const database of databasesOfRun) {
  describe(`more requests than one answer counts, on ${database}`, () => {
    let server: TestServer;
    let admin: PlatformCaller;
    const now = systemClock.now();

    before(async () => {
      server = await startServer({ database });
      admin = await person(server, 'ada@example.com', 'admin');
      const given = { slug: 'busy', name: 'Busy', kind: 'external', external: { url: 'http://127.0.0.1:9/mcp' } };
      const { id } = (await admin.post('/organizations/default/servers', given)).body;
      const records = Array.from({ length: REQUESTS }, (_, index) => ({
        occurred: addSeconds(now, -1 - index),
        capability: index === REQUESTS - 1 ? 'oldest' : 'echo',
      }));
      await recordRequests(server.server, id, records);
    });
    after(() => server.stop());

    test('the newest are counted, and the answer says since when', async () => {
      const { body } = await admin.get(`${views}?limit=1`);
      assert.equal(body.summary.servers[0].requests, MOST_COUNTED + 1);
      assert.equal(body.summary.countedSince, addSeconds(now, -1 - MOST_COUNTED));
      const values = (await admin.get(`${views}/values?field=tool`)).body;
      assert.deepEqual(values.values, [{ value: 'echo', label: 'echo', count: MOST_COUNTED + 1 }]);
      assert.equal(values.counted_since, addSeconds(now, -1 - MOST_COUNTED));
    });

    test('the export has all of them', async () => {
      const where = encodeURIComponent(JSON.stringify([{ field: 'tool', values: ['oldest'] }]));
      const { text } = await admin.get(`${views}/export?format=ndjson&where=${where}`);
      assert.equal(JSON.parse(text).capability, 'oldest');
    });
  });
}
