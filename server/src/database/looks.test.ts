import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import { databases } from '../../test/support/server.ts';
import { until } from '../../test/support/until.ts';
import { newId } from '../values/id.ts';
import { systemClock } from '../values/time.ts';
import { findAccessVersion } from './access-version.ts';
import { KeptFacts } from './kept-facts.ts';
import { openStore } from './opening/connect.ts';
import { platformStatement } from './statement.ts';
import { NO_LIMITS, type PlatformTx, type Store } from './store.ts';

/** Columns of the facts that no update changes, or that change together with another one. */
const FIXED: Readonly<Record<string, readonly string[]>> = {
  api_key: ['id', 'hash', 'created', 'owner_id', 'owner_type'],
  user_account: ['id'],
  service_account: ['id', 'organization_id'],
  membership: ['organization_id', 'user_id'],
  resource_grant: ['resource_id', 'actor_id'],
  organization: ['id'],
  workspace: ['id', 'key'],
  // Approvals raise policy_version.
  mcp_server: ['id', 'kind', 'approved_tools'],
};
/** Sessions and tokens are read by each request. */
const READ_EACH_TIME = ['session', 'oauth_token', 'oauth_connection'];

const userId = newId();
const organizationId = newId();
const now = systemClock.now();
const named = { created: now, updated: now };
const run = (tx: PlatformTx, text: ReturnType<typeof sql>) =>
  tx.run(
    platformStatement(() => text),
    {},
  );

for (const database of databases) {
  describe(`looks on ${database}`, () => {
    let store: Store;
    let other: Store;
    let postgres: TestPostgres | undefined;
    let home: string;
    let url: string;
    before(async () => {
      home = await mkdtemp(join(tmpdir(), 'signalbox-looks-'));
      postgres = database === 'postgres' ? await startPostgres() : undefined;
      url = postgres ? await postgres.createDatabase() : `sqlite:${join(home, 'test.db')}`;
      store = await openStore(url);
      // SQLite has one process, whose commits come from another connection than its looks.
      other = database === 'postgres' ? await openStore(url) : store;
      await store.platform.transaction(async (tx) => {
        await tx.insertAll('user_account', [
          { id: userId, ...named, email: 'a@example.com', state: 'active' } as never,
        ]);
        await tx.insertAll('organization', [{ id: organizationId, ...named, slug: 'a', name: 'a' } as never]);
      });
    });
    after(async () => {
      await store.close();
      if (other !== store) await other.close();
      await postgres?.stop();
      await rm(home, { recursive: true });
    });

    const version = async () => (await other.platform.reads().first(findAccessVersion))?.version ?? 0;
    /** Runs a change on one process while another one keeps facts. Returns whether these are found after the answer. */
    const isFoundAfter = async (change: (tx: PlatformTx) => Promise<unknown>) => {
      const kept = new KeptFacts<true>(other.accessLook, 'test');
      await until('a fresh look', async () => {
        kept.look();
        kept.keep('fact', true, kept.epoch);
        return kept.find('fact') === true;
      });
      await store.platform.transaction(change);
      kept.look();
      return kept.find('fact') === true;
    };

    test('facts are found after other commits, and not after a change of access', async () => {
      const touch = (tx: PlatformTx) => run(tx, sql`update write_probe set writes = writes + 1`);
      // A slow machine may let the window pass.
      await until('facts after another commit', () => isFoundAfter(touch));
      const changes = [
        sql`update user_account set state = 'suspended'`,
        sql`update user_account set email = 'b@example.com'`,
        sql`insert into membership (organization_id, user_id, role, created, updated)
          values (${organizationId}, ${userId}, 'member', ${now}, ${now})`,
        sql`update membership set role = 'admin'`,
        sql`update organization set max_key_age_days = 3 where id = ${organizationId}`,
        sql`delete from membership`,
        sql`delete from user_account`,
      ];
      for (const change of changes) {
        const before = await version();
        assert.equal(await isFoundAfter((tx) => run(tx, change)), false, JSON.stringify(change.toOperationNode()));
        assert.equal(await version(), before + 1);
      }
    });

    test('a change that is taken back leaves the facts', async () => {
      const before = await version();
      const failing = store.platform.transaction(async (tx) => {
        await run(tx, sql`update organization set slug = 'b' where id = ${organizationId}`);
        throw new Error('no');
      });
      await assert.rejects(failing, /no/);
      assert.equal(await version(), before);
    });

    if (database === 'postgres') {
      test('only a change of access is answered later, and its connection is free before', async () => {
        const single = await openStore(url, undefined, { ...NO_LIMITS, connections: 1 });
        const change = (at: number) =>
          single.platform.transaction((tx) =>
            run(tx, sql`update organization set slug = ${`c${at}`} where id = ${organizationId}`),
          );
        const write = () => single.platform.transaction((tx) => run(tx, sql`update write_probe set writes = 0`));
        let tries = 0;
        // A slow machine may need longer than the window for the write.
        await until('a write behind a change, which is answered first', async () => {
          const answers: string[] = [];
          const both = [change(tries++).then(() => answers.push('change')), write().then(() => answers.push('write'))];
          await Promise.all(both);
          return answers[0] === 'write';
        });
        await single.close();
      });
    } else {
      test('each column of the facts is counted', async () => {
        const text = await readFile(join(import.meta.dirname, '../../test/conformance/standing.sql'), 'utf8');
        const find = platformStatement(
          () => sql<{ tbl_name: string; sql: string }>`select tbl_name, sql from sqlite_master where type = 'trigger'`,
        );
        const triggers = await store.platform.reads().all(find, {});
        const isCounted = (table: string, column: string) =>
          triggers.some(
            ({ tbl_name, sql: source }) => tbl_name === table && source.includes(`old.${column} is not new`),
          );
        const read = new Set(text.matchAll(/"(\w+)"\."(\w+)"/g).map(([, table, column]) => `${table} ${column}`));
        assert.ok(read.size > 30, String(read.size));
        const missing = [...read].filter((one) => {
          const [table = '', column = ''] = one.split(' ');
          return !READ_EACH_TIME.includes(table) && !FIXED[table]?.includes(column) && !isCounted(table, column);
        });
        assert.deepEqual(missing, []);
      });
    }
  });
}
