import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { person } from '../../../../test/support/platform.ts';
import { platformPlansOf } from '../../../../test/support/platform-plans.ts';
import { recordRequests } from '../../../../test/support/request-records.ts';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import type { OrganizationContext } from '../../../context/platform-context.ts';
import type { PlatformDb } from '../../../database/store.ts';
import { addSeconds, systemClock } from '../../../values/time.ts';
import { requestFieldNames } from './fields.ts';
import { readHistogram } from './histogram.ts';
import { listRequests, listRequestsOfServers } from './queries.ts';
import { readClients, readUsage } from './usage.ts';

/** Enough for PostgreSQL to prefer an index over a full scan. */
const REQUESTS = 20_000;
const SPACING_SECONDS = 60;
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

for (const database of databases) {
  describe(`plans of the views of requests on ${database}`, () => {
    let server: TestServer;
    let server_id: string;
    const now = systemClock.now();
    const hour = { since: addSeconds(now, -3600), until: now, errors: false };
    before(async () => {
      server = await startServer({ database });
      const admin = await person(server, 'ada@example.com', 'admin');
      const given = { slug: 'busy', name: 'Busy', kind: 'external', external: { url: 'http://127.0.0.1:9/mcp' } };
      server_id = (await admin.post('/organizations/default/servers', given)).body.id;
      const times = Array.from({ length: REQUESTS }, (_, index) => addSeconds(now, -SPACING_SECONDS * index));
      await recordRequests(
        server.server,
        server_id,
        times.map((occurred) => ({ occurred })),
      );
      await server.server.store.refreshStatistics();
      if (database === 'postgres') {
        await server.context().transaction((tx) => tx.execute(sql`analyze mcp_request -- "workspace"`));
      }
    });
    after(() => server.stop());

    const plansOf = (ask: (db: PlatformDb) => Promise<unknown>) => platformPlansOf(server.context().db, ask);
    const context = (db: PlatformDb) => ({ db, now }) as unknown as OrganizationContext;
    const page = { limit: 50, cursor: LAST_ID };

    test('a page is read in key order, newest first, without sorting', async () => {
      for (const filter of [{ errors: false }, { errors: true }, hour]) {
        const steps = await plansOf((db) => listRequests(db, server_id, filter, page));
        assert.match(steps, /SEARCH mcp_request USING INDEX|Index Scan Backward using mcp_request/);
        assert.doesNotMatch(steps, /TEMP B-TREE|Sort +\(/);
      }
    });

    for (const field of requestFieldNames) {
      test(`a page that is narrowed by ${field} walks the key of each server, without sorting its rows`, async () => {
        for (const not of [false, true]) {
          const server = not ? LAST_ID : server_id;
          const value = { server, outcome: 'failed', protocol: 'yes' }[field as string] ?? 'echo';
          const filter = { ...hour, where: [{ field, not, values: [value] }] };
          const one = await plansOf((db) => listRequests(db, server_id, filter, page));
          assert.match(one, /SEARCH mcp_request USING INDEX|Index Scan Backward using mcp_request/);
          assert.doesNotMatch(one, /TEMP B-TREE|Sort +\(/);
          const several = await plansOf((db) => listRequestsOfServers(db, [server_id, LAST_ID], filter, page));
          assert.doesNotMatch(several, /SCAN mcp_request|Seq Scan on mcp_request/);
        }
      });
    }

    test('every view finds an hour by the key, and reads nothing else of the record', async () => {
      for (const ask of [
        (db: PlatformDb) => readHistogram(context(db), { server_id }, { ...hour, buckets: 60 }),
        (db: PlatformDb) => readUsage(context(db), { server_id }, { ...hour, limit: 50, groupBy: 'owner' }),
        (db: PlatformDb) => readClients(context(db), { server_id }, { ...hour, limit: 50 }),
      ]) {
        const steps = await plansOf(ask);
        assert.match(
          steps,
          /SEARCH mcp_request USING INDEX \S+ \(server_id=\? AND id>\? AND id<\?\)|Index Cond: .*id >=/,
        );
        assert.doesNotMatch(steps, /SCAN mcp_request|Seq Scan on mcp_request/);
      }
    });

    test('the servers of an organization are looked up one by one', async () => {
      const organization_id = crypto.randomUUID();
      const steps = await plansOf((db) =>
        readUsage(context(db), { organization_id }, { ...hour, limit: 50, groupBy: 'server' }),
      );
      assert.doesNotMatch(steps, /SCAN mcp_request|Seq Scan on mcp_request/);
    });
  });
}
