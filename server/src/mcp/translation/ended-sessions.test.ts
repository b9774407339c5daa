import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ORGANIZATION, servingUrl } from '../../../test/support/gateway.ts';
import { EVERYTHING, startRemix, type TestRemix } from '../../../test/support/remix.ts';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import type { Answering } from '../../../test/support/watched-upstream.ts';
import { platformStatement } from '../../database/statement.ts';
import { deleteEndedSessions } from '../../platform/servers/requests/delete-old.ts';
import { newTimeOrderedId } from '../../values/id.ts';
import { addSeconds, Clock, localTime, systemClock } from '../../values/time.ts';
import { idOf } from './client-session.ts';
import { EndedSessions } from './ended-sessions.ts';

const DAY = 86_400;
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

/** A server of the stateless revision, and nothing else. */
const stateless: Answering = ({ body }, response) => {
  const { id, method } = JSON.parse(body === '' ? '{}' : body) as { id?: unknown; method?: string };
  const results: Record<string, object> = {
    'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
    'tools/list': { tools: [{ name: 'greet', inputSchema: { type: 'object' } }] },
  };
  const result = results[method ?? ''];
  if (!result) return void response.writeHead(400).end();
  response.setHeader('content-type', 'application/json');
  const whole = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...result };
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result: whole }));
};

const countEnded = platformStatement<Record<string, never>, { readonly ended: number | string }>((query) =>
  query.selectFrom('mcp_ended_session').select((row) => row.fn.countAll().as('ended')),
);

for (const database of databases) {
  describe(`sessions that their client has ended on ${database}`, () => {
    let remix: TestRemix;
    let key: string;
    let second: TestServer | undefined;
    let origins: readonly [string, string];

    before(async () => {
      remix = await startRemix({ docs: { tools: ['ask'] }, plain: { capabilities: EVERYTHING } }, { database });
      const { gateway, sources } = remix;
      sources['plain']!.answerWith(stateless);
      await gateway.register('translated', {}, sources['plain']!.url);
      const { body } = await gateway.admin.get(`${ORGANIZATION}/servers/translated/capabilities`);
      assert.deepEqual(body.eras, ['modern']);
      await remix.save('mix', [{ server: 'docs', tools: [{ name: 'ask' }] }]);
      key = (await gateway.member('ada@example.com')).key;
      const { databaseUrl, home } = gateway.server.server.config;
      // An SQLite database belongs to one process.
      if (database === 'postgres') {
        second = await startServer({ databaseUrl, config: { home, allowPrivateTargets: true } });
      }
      const other = second && new URL((await second.listen()).replace('ws', 'http')).origin;
      origins = [gateway.origin, other ?? gateway.origin];
    });
    after(async () => {
      await second?.stop();
      await remix.stop();
    });

    const send = async (replica: 0 | 1, slug: string, given: { method?: string; body?: object; session?: string }) => {
      const answer = await fetch(origins[replica] + servingUrl(slug), {
        method: given.method ?? 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          accept: 'application/json, text/event-stream',
          ...(given.body && { 'content-type': 'application/json' }),
          ...(given.session && { 'mcp-session-id': given.session }),
        },
        ...(given.body && { body: JSON.stringify(given.body) }),
      });
      return { status: answer.status, text: await answer.text(), session: answer.headers.get('mcp-session-id') ?? '' };
    };

    for (const slug of ['mix', 'translated']) {
      test(`the next request to any replica is answered 404: ${slug}`, async () => {
        const { session } = await send(0, slug, { body: INITIALIZE });
        const kept = await send(0, slug, { body: INITIALIZE });
        for (const replica of [0, 1] as const) {
          assert.equal((await send(replica, slug, { body: LIST, session })).status, 200, 'it is open');
        }
        assert.equal((await send(0, slug, { method: 'DELETE', session })).status, 200);
        for (const replica of [1, 0] as const) {
          const refused = await send(replica, slug, { body: LIST, session });
          assert.equal(refused.status, 404);
          const error = { code: -32001, message: 'Session not found' };
          assert.deepEqual(JSON.parse(refused.text), { jsonrpc: '2.0', id: 1, error });
          assert.equal((await send(replica, slug, { method: 'GET', session })).status, 404);
          assert.equal((await send(replica, slug, { method: 'DELETE', session })).status, 404);
          const other = await send(replica, slug, { body: LIST, session: kept.session });
          assert.equal(other.status, 200, 'another session of the same client goes on');
        }
      });
    }

    const listen = (replica: 0 | 1, session: string) =>
      fetch(origins[replica] + servingUrl('mix'), {
        headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream', 'mcp-session-id': session },
      });

    test('the streams of a session end with it, at once where it is ended', async () => {
      const { session } = await send(0, 'mix', { body: INITIALIZE });
      const [here, there] = await Promise.all([listen(0, session), listen(1, session)]);
      assert.deepEqual([here.status, there.status], [200, 200]);
      assert.equal((await send(0, 'mix', { method: 'DELETE', session })).status, 200);
      await here.text();
      // Each change of access is a reason for every replica to look at its open streams, as is the time that passes.
      const changed = await remix.gateway.admin.patch(`${ORGANIZATION}/servers/translated`, { defaultRole: 'editor' });
      assert.equal(changed.status, 200);
      await there.text();
    });

    test('they are remembered for a month, and no longer', async () => {
      const { server } = remix.gateway.server;
      const count = async () => Number((await server.store.platform.reads().first(countEnded, {}))?.ended);
      assert.equal(await count(), 3);
      await deleteEndedSessions(server, addSeconds(systemClock.now(), 29 * DAY));
      assert.equal(await count(), 3);
      await deleteEndedSessions(server, addSeconds(systemClock.now(), 31 * DAY));
      assert.equal(await count(), 0);
    });

    test('a session that is older than a month is not taken up', async () => {
      const { server } = remix.gateway.server;
      const upstream = { send: () => assert.fail('nothing is sent') };
      const session = idOf({ id: newTimeOrderedId(), capabilities: {}, client: {} });
      const after = async (days: number) => {
        const clock = new Clock({ ...localTime, wall: () => localTime.wall() + days * DAY * 1000 });
        return (
          (await new EndedSessions(server.store, clock, () => undefined).guard(upstream, 'POST', session)) === upstream
        );
      };
      assert.deepEqual([await after(29), await after(31)], [true, false]);
    });
  });
}
