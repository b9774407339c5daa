/** No row of a workspace outlives it, whether it is deleted alone or with its organization. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { tables } from '../../src/database/tables/tables.ts';
import { listWorkspaces } from '../../src/database/workspaces.ts';
import { receiveEvent } from '../../src/events/received-event.ts';
import { left } from '../../src/platform/workspaces/delete-removed.ts';
import { ServerRetention } from '../../src/services/old-rows/retention.ts';
import { newId } from '../../src/values/id.ts';
import type { JsonText } from '../../src/values/json.ts';
import { addSeconds } from '../../src/values/time.ts';
import { databases, startServer, type TestServer } from '../support/server.ts';
import { makeWorld, type World } from '../support/worlds.ts';

const ofWorkspaces = Object.entries(tables).flatMap(([name, columns]) => ('workspace' in columns ? [name] : []));
/** The world's rows are in these tables; the more tables have rows, the more the test covers. */
const LEAST_FILLED = 25;
const DAY = 86_400;

describe('the tables of a workspace', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());

  test('are all deleted with it, or after it', async () => {
    const { store, defaultWorkspace } = server.server;
    const parentsOf = (table: string) =>
      sql<{ name: string }>`select "table" as name, 'x' as "workspace" from pragma_foreign_key_list(${table})`;
    const goesWithIt = async (table: string): Promise<boolean> => {
      if (table === 'workspace' || table in left) return true;
      const parents = await store.reads(defaultWorkspace).query(parentsOf(table));
      return (await Promise.all(parents.map(({ name }) => goesWithIt(name)))).includes(true);
    };
    const goes = await Promise.all(ofWorkspaces.map(goesWithIt));
    const stay = ofWorkspaces.filter((_, index) => !goes[index]);
    assert.deepEqual(stay, ['event_resource'], 'a trigger deletes it with its event');
  });
});

for (const database of databases) {
  describe(`a deleted workspace on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    /** The tables that hold rows of the workspace. */
    async function filled(workspace: number): Promise<string[]> {
      const reads = server.server.store.reads(workspace);
      const counts = await Promise.all(
        ofWorkspaces.map((table) =>
          reads.query(
            sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)} where "workspace" = ${workspace}`,
          ),
        ),
      );
      return ofWorkspaces.filter((_, index) => Number(counts[index]?.[0]?.rows) > 0);
    }
    async function sweep(days = 0): Promise<void> {
      const service = new ServerRetention(server.server);
      const now = addSeconds(server.server.clock.now(), days * DAY);
      while (await service.runOnce(now));
    }
    async function madeWorld(slug: string): Promise<{ world: World; key: number }> {
      const world = await makeWorld(server, slug, slug);
      const { clock } = server.server;
      const log = { name: 'x', level: 20, message: 'x', timestamp: clock.now() };
      const logs = Array.from({ length: 600 }, () => log);
      assert.equal((await world.send('POST', `${world.hosted}/logs/`, logs)).status, 201);
      return { world, key: (await listWorkspaces(server.server.store)).at(-1) ?? 0 };
    }
    const next = async (slug: string): Promise<number> => (await madeWorld(slug)).key;

    test('is deleted with all its rows, and its key is not reused', async () => {
      const { world, key } = await madeWorld('alone');
      assert.ok((await filled(key)).length >= LEAST_FILLED, (await filled(key)).join());
      const path = `/api/v0/organizations/${world.organization}/workspaces/${world.own['workspaces']}`;
      assert.equal((await world.send('DELETE', path)).status, 204);
      await sweep();
      assert.deepEqual(await filled(key), []);
      assert.ok((await next('after-alone')) > key);
    });

    test('is deleted with its organization in the same way, and checked until no more rows can arrive', async () => {
      const { world, key } = await madeWorld('together');
      assert.equal((await world.send('DELETE', `/api/v0/organizations/${world.organization}`)).status, 204);
      await sweep();
      assert.deepEqual(await filled(key), []);
      const { clock, intake } = server.server;
      const resource = { 'prefect.resource.id': 'late', 'prefect.resource.role': 'x' };
      const told = { event: 'late', resource, related: [resource], payload: '{}' as JsonText, follows: null };
      await intake.write(key, [receiveEvent(key, clock.now(), { ...told, id: newId(), occurred: clock.now() })]);
      assert.deepEqual(await filled(key), ['event', 'event_resource'], 'a socket that was still open');
      await sweep();
      assert.deepEqual(await filled(key), []);
      await sweep(2);
      assert.ok((await next('after-together')) > key, 'also long after the deletion');
    });
  });
}
