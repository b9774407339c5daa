import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type PlatformCaller, person } from '../../../../test/support/platform.ts';
import { recordRequests } from '../../../../test/support/request-records.ts';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { ANY } from '../../../changes/hub.ts';
import { platformStatement } from '../../../database/statement.ts';
import { ServerRetention, WorkspaceRetention } from '../../../services/old-rows/retention.ts';
import { idAt, newTimeOrderedId } from '../../../values/id.ts';
import { addSeconds, microsecondsOf, systemClock, type Timestamp } from '../../../values/time.ts';

const DAY = 86_400;

const countRows = platformStatement<{ server_id: string }, { requests: number; sessions: number }>(
  (query, given) =>
    query.selectNoFrom((eb) => [
      eb
        .selectFrom('mcp_request')
        .where('server_id', '=', given.server_id)
        .select((of) => of.fn.countAll<number>().as('n'))
        .as('requests'),
      eb
        .selectFrom('mcp_session')
        .where('server_id', '=', given.server_id)
        .select((of) => of.fn.countAll<number>().as('n'))
        .as('sessions'),
    ]) as never,
);

for (const database of databases) {
  describe(`retention of requests to servers on ${database}`, () => {
    let server: TestServer;
    let admin: PlatformCaller;
    let made = 0;
    const now = systemClock.now();
    const wait = database === 'sqlite' ? 0 : 8 * DAY;
    before(async () => {
      server = await startServer({ database });
      admin = await person(server, 'ada@example.com', 'admin');
    });
    after(() => server.stop());

    async function create(organization = 'default'): Promise<{ id: string; path: string }> {
      const slug = `server-${++made}`;
      const path = `/organizations/${organization}/servers`;
      const external = { url: 'http://127.0.0.1:9/mcp' };
      const { body } = await admin.post(path, { slug, name: slug, kind: 'external', external });
      return { id: body.id, path: `${path}/${slug}` };
    }

    /** Runs two replicas at this time until all is deleted; returns the number of passes. */
    async function sweep(at: Timestamp): Promise<number> {
      const replicas = [new ServerRetention(server.server), new ServerRetention(server.server)];
      for (let passes = 1; ; passes++) {
        const left = await Promise.all(replicas.map((replica) => replica.runOnce(at)));
        if (!left.includes(true)) return passes;
      }
    }
    const left = async (server_id: string) => {
      const found = await server.server.store.platform.reads().first(countRows, { server_id });
      return [found?.requests, found?.sessions];
    };

    test('requests are kept for thirty days, and a session as long as its last request', async () => {
      const { id, path } = await create();
      const [ended, lasting] = [1, 2].map((later) => idAt(microsecondsOf(addSeconds(now, -31 * DAY)) + later));
      await recordRequests(server.server, id, [
        { occurred: addSeconds(now, -30 * DAY - 1), session: ended },
        { occurred: addSeconds(now, -30 * DAY - 1), session: lasting },
        { occurred: addSeconds(now, -30 * DAY + 1), session: lasting },
      ]);
      await sweep(addSeconds(now, -2));
      assert.deepEqual(await left(id), [3, 2]);
      await sweep(now);
      // PostgreSQL waits for the end of their week before it deletes them in batches.
      assert.deepEqual(await left(id), [database === 'sqlite' ? 1 : 3, 1]);
      await sweep(addSeconds(now, wait));
      assert.deepEqual(await left(id), [1, database === 'sqlite' ? 1 : 0]);
      const { items } = (await admin.get(`${path}/requests`)).body;
      assert.deepEqual(
        items.map((item: { sessionId: string }) => item.sessionId),
        [lasting],
      );
      await sweep(addSeconds(now, wait + 2 * DAY));
      assert.deepEqual(await left(id), [0, 0]);
    });

    test('a server is deleted at once, its requests in batches after it, and those of others stay', async () => {
      const { id, path } = await create();
      const other = await create();
      const session = newTimeOrderedId();
      const many = Array.from({ length: 1200 }, () => ({ occurred: now, session }));
      await recordRequests(server.server, id, many);
      await recordRequests(server.server, other.id, [{ occurred: now, session: newTimeOrderedId() }]);
      const woken: unknown[] = [];
      const stop = server.server.hub.hear('work', ANY, (workspace, service) => woken.push([service, workspace]));
      assert.equal((await admin.delete(path)).status, 204);
      stop();
      // Remixes read anew what is left of them.
      assert.deepEqual(woken, [
        ['retention', undefined],
        ['manifests', undefined],
      ]);
      assert.deepEqual(await left(id), [1200, 1]);
      assert.ok((await sweep(now)) > 1);
      assert.deepEqual(await left(id), [0, 0]);
      assert.deepEqual(await left(other.id), [1, 1]);
    });

    test('requests recorded after the deletion of their server or organization are deleted too', async () => {
      const slug = `gone-${database}`;
      assert.equal((await admin.post('/organizations', { name: 'Gone', slug })).status, 201);
      const { id } = await create(slug);
      assert.equal((await admin.delete(`/organizations/${slug}`)).status, 204);
      await recordRequests(server.server, id, [{ occurred: now, session: newTimeOrderedId() }]);
      await sweep(now);
      assert.deepEqual(await left(id), [0, 0]);
    });

    test('neither the pass of a workspace nor a setting without them deletes them', async () => {
      const { id } = await create();
      await recordRequests(server.server, id, [{ occurred: addSeconds(now, -31 * DAY) }]);
      const context = server.context(now);
      await new WorkspaceRetention().runOnce(context);
      assert.deepEqual(await left(id), [1, 0]);
      const config = { ...context.server.config, retention: new Set([]) };
      await new ServerRetention({ ...context.server, config }).runOnce(now);
      assert.deepEqual(await left(id), [1, 0]);
      await sweep(addSeconds(now, wait));
      assert.deepEqual(await left(id), [0, 0]);
    });
  });
}
