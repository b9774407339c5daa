import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { platformPlansOf } from '../../../test/support/platform-plans.ts';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { idAt } from '../../values/id.ts';
import { addSeconds, microsecondsOf, systemClock } from '../../values/time.ts';
import { auditFieldNames } from './fields.ts';
import { listEntries } from './queries.ts';

/** Enough for PostgreSQL to prefer an index over a full scan. */
const ENTRIES = 20_000;
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

for (const database of databases) {
  describe(`plans of the audit on ${database}`, () => {
    let server: TestServer;
    const organization_id = crypto.randomUUID();
    const now = systemClock.now();
    before(async () => {
      server = await startServer({ database });
      const rows = Array.from({ length: ENTRIES }, (_, index) => {
        const occurred = addSeconds(now, -60 * index);
        return { id: idAt(microsecondsOf(occurred)), occurred };
      });
      const { db, transaction } = server.context();
      const item = db.dialect.rowsFrom(JSON.stringify(rows), { id: 'uuid', occurred: 'timestamp' });
      await transaction(async (tx) => {
        await tx.execute(
          sql`insert into audit_entry (id, organization_id, occurred, actor_type, actor_name, action, target_type, details)
            select item.id, ${organization_id}, item.occurred, 'user', 'ada@example.com', 'grant.set', 'server', '{}'
            from ${item} item -- "workspace"`,
        );
        if (database === 'postgres') await tx.execute(sql`analyze audit_entry -- "workspace"`);
      });
      await server.server.store.refreshStatistics();
    });
    after(() => server.stop());

    const hour = { since: addSeconds(now, -3600), until: now };
    const conditions = auditFieldNames.flatMap((field) =>
      [false, true].map((not) => [{ field, not, values: ['grant'] }]),
    );
    for (const where of [[], ...conditions]) {
      const words = where.map(({ field, not }) => `${not ? 'not ' : ''}by ${field}`).join('') || 'only by time';
      test(`a page that is narrowed ${words} walks an index, without sorting`, async () => {
        for (const span of [{}, hour]) {
          const given = { organization_id, cursor: LAST_ID, limit: 50, where, ...span };
          const steps = await platformPlansOf(server.server.store.platform.reads(), (db) => listEntries(db, given));
          assert.match(steps, /USING INDEX ix_audit_entry_organization|Index Scan Backward using/);
          assert.doesNotMatch(steps, /TEMP B-TREE|Sort +\(|SCAN audit_entry|Seq Scan/);
        }
      });
    }
  });
}
