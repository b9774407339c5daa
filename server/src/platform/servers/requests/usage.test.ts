import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type PlatformCaller, person } from '../../../../test/support/platform.ts';
import { type GivenRecord, recordRequests } from '../../../../test/support/request-records.ts';
import { databasesOfRun, startServer, type TestServer } from '../../../../test/support/server.ts';
import { addSeconds, systemClock, type Timestamp } from '../../../values/time.ts';

const MILLISECOND = 1000;
const servers = '/organizations/default/servers';

for (const database of databasesOfRun) {
  describe(`usage of servers on ${database}`, () => {
    let server: TestServer;
    let admin: PlatformCaller & { id: string };
    let made = 0;
    before(async () => {
      server = await startServer({ database });
      admin = await person(server, 'ada@example.com', 'admin');
    });
    after(() => server.stop());

    async function create(): Promise<{ id: string; path: string }> {
      const slug = `server-${++made}`;
      const { status, body, text } = await admin.post(servers, {
        slug,
        name: slug.toUpperCase(),
        kind: 'external',
        external: { url: 'http://127.0.0.1:9/mcp' },
      });
      assert.equal(status, 201, text);
      return { id: body.id, path: `${servers}/${slug}` };
    }
    const record = (server_id: string, ...given: GivenRecord[]) => recordRequests(server.server, server_id, given);
    async function read(path: string) {
      const { status, body, text } = await admin.get(path);
      assert.equal(status, 200, text);
      return body;
    }
    const at = (text: string) => `2026-03-${text}.000000Z` as Timestamp;

    test('a histogram counts the requests of each part of the span, by outcome', async () => {
      const { id, path } = await create();
      await record(
        id,
        { occurred: at('01T00:00:00') },
        { occurred: at('01T00:59:59'), decision: 'denied' },
        { occurred: at('01T01:00:00'), decision: 'invalid', status: 400 },
        { occurred: at('01T03:30:00'), status: 502, error_code: -31502 },
        { occurred: at('01T04:00:00') },
      );
      const { items, meta } = await read(
        `${path}/requests/histogram?since=2026-03-01T00:00:00Z&until=2026-03-01T04:00:00Z&buckets=4`,
      );
      assert.deepEqual(meta, { since: '2026-03-01T00:00:00Z', until: '2026-03-01T04:00:00Z', bucketSeconds: 3600 });
      assert.deepEqual(
        items.map(({ start, requests, ok, denied, invalid, failed }: Record<string, unknown>) => [
          start,
          requests,
          ok,
          denied,
          invalid,
          failed,
        ]),
        [
          ['2026-03-01T00:00:00Z', 2, 1, 1, 0, 0],
          ['2026-03-01T01:00:00Z', 1, 0, 0, 1, 0],
          ['2026-03-01T02:00:00Z', 0, 0, 0, 0, 0],
          ['2026-03-01T03:00:00Z', 1, 0, 0, 0, 1],
        ],
      );
    });

    test('p50 and p95 are the durations that half and 19 of 20 requests did not exceed; streams do not count', async () => {
      const { id, path } = await create();
      const occurred = at('02T12:00:00');
      const calls = Array.from({ length: 100 }, (_, index) => ({
        occurred,
        duration_microseconds: (100 - index) * MILLISECOND,
      }));
      const streams = ['GET', 'subscriptions/listen'].map((method) => ({
        occurred,
        method,
        duration_microseconds: 3_600_000 * MILLISECOND,
      }));
      await record(id, ...calls, ...streams);
      const span = 'since=2026-03-02T00:00:00Z&until=2026-03-03T00:00:00Z';
      const { items } = await read(`${path}/requests/histogram?${span}&buckets=1`);
      assert.deepEqual(items, [
        {
          start: '2026-03-02T00:00:00Z',
          requests: 102,
          ok: 102,
          denied: 0,
          invalid: 0,
          failed: 0,
          p50Microseconds: 50 * MILLISECOND,
          p95Microseconds: 95 * MILLISECOND,
        },
      ]);
      const onlyStreams = await read(`${path}/requests/histogram?${span}&buckets=1&method=GET`);
      assert.deepEqual([onlyStreams.items[0].requests, onlyStreams.items[0].p50Microseconds], [1, null]);
    });

    test('a duration is reported at most 2 % too low, at any size', async () => {
      const { id, path } = await create();
      for (const [day, given] of [7, 99, 123, 4567, 19_999, 87_654_321, 3_599_999_999].entries()) {
        const occurred = at(`${10 + day}T12:00:00`);
        await record(id, { occurred, duration_microseconds: given });
        const span = `since=${occurred}&until=${addSeconds(occurred, 1)}&buckets=1`;
        const { p50Microseconds } = (await read(`${path}/requests/histogram?${span}`)).items[0];
        assert.ok(p50Microseconds <= given && p50Microseconds >= given * 0.98, `${given}: ${p50Microseconds}`);
      }
    });

    test('usage is grouped by owner, capability, day, client and server', async () => {
      const { id, path } = await create();
      const other = await create();
      const bot = { actor_type: 'service_account', actor_id: crypto.randomUUID(), actor_name: 'bot' };
      const ada = { actor_type: 'user', actor_id: admin.id, actor_name: 'ada@example.com' };
      await record(
        id,
        { occurred: at('03T23:59:59'), ...ada, capability: 'echo', client_name: 'claude' },
        { occurred: at('04T00:00:00'), ...ada, capability: 'echo', client_name: 'claude', decision: 'denied' },
        { occurred: at('04T10:00:00'), ...bot, capability: 'add', client_name: null },
        { occurred: at('05T10:00:00'), ...ada, method: 'tools/list', capability: null, client_name: 'cursor' },
      );
      await record(other.id, { occurred: at('04T10:00:00'), ...bot });
      const span = 'since=2026-03-01T00:00:00Z&until=2026-03-31T00:00:00Z';
      const usage = async (groupBy: string, of = path) =>
        (await read(`${of}/usage?groupBy=${groupBy}&${span}`)).items.map(
          ({ key, name, kind, requests, ok }: Record<string, unknown>) => [key, name, kind, requests, ok],
        );
      assert.deepEqual(await usage('owner'), [
        [admin.id, 'ada@example.com', 'user', 3, 2],
        [bot.actor_id, 'bot', 'service_account', 1, 1],
      ]);
      assert.deepEqual(await usage('capability'), [
        ['echo', null, 'tools/call', 2, 1],
        [null, null, 'tools/list', 1, 1],
        ['add', null, 'tools/call', 1, 1],
      ]);
      assert.deepEqual(await usage('day'), [
        ['2026-03-05', null, null, 1, 1],
        ['2026-03-04', null, null, 2, 1],
        ['2026-03-03', null, null, 1, 1],
      ]);
      assert.deepEqual(await usage('client'), [
        ['claude', null, null, 2, 1],
        [null, null, null, 1, 1],
        ['cursor', null, null, 1, 1],
      ]);
      const all = (await usage('server', '/organizations/default')).filter(([key]: [string]) =>
        [id, other.id].includes(key),
      );
      assert.deepEqual(all, [
        [id, `SERVER-${made - 1}`, null, 4, 3],
        [other.id, `SERVER-${made}`, null, 1, 1],
      ]);
      const [first] = (await read(`${path}/usage?groupBy=owner&${span}&limit=1`)).items;
      assert.deepEqual([first.requestBytes, first.responseBytes, first.lastAt], [300, 600, '2026-03-05T10:00:00Z']);
    });

    test('usage pages by rank', async () => {
      const { id, path } = await create();
      const now = systemClock.now();
      for (const [capability, count] of [
        ['a', 3],
        ['b', 2],
        ['c', 1],
      ] as const) {
        await record(id, ...Array.from({ length: count }, () => ({ occurred: addSeconds(now, -60), capability })));
      }
      const first = await read(`${path}/usage?groupBy=capability&limit=2`);
      const second = await read(`${path}/usage?groupBy=capability&limit=2&cursor=${first.meta.nextCursor}`);
      assert.deepEqual(
        [...first.items, ...second.items].map(({ key }) => key),
        ['a', 'b', 'c'],
      );
      assert.equal(second.meta.nextCursor, null);
    });

    test('clients are listed by name and version, with the number of their users', async () => {
      const { id, path } = await create();
      const occurred = addSeconds(systemClock.now(), -60);
      const by = (actor_id: string, client_version: string) => ({
        occurred,
        actor_id,
        client_name: 'claude',
        client_version,
      });
      await record(id, by(admin.id, '1'), by(crypto.randomUUID(), '1'), { ...by(admin.id, '2'), status: 503 });
      const { items } = await read(`${path}/clients`);
      assert.deepEqual(
        items.map(({ name, version, requests, errors, actors }: Record<string, unknown>) => [
          name,
          version,
          requests,
          errors,
          actors,
        ]),
        [
          ['claude', '1', 2, 0, 2],
          ['claude', '2', 1, 1, 1],
        ],
      );
      assert.equal(items[0].firstAt, items[0].lastAt);
    });

    test('requests of a deleted server do not count in the usage of the organization', async () => {
      const { id, path } = await create();
      await record(id, { occurred: addSeconds(systemClock.now(), -60), capability: 'of-the-deleted' });
      const found = async () =>
        (await read('/organizations/default/usage?groupBy=capability&capability=of-the-deleted')).items.length;
      assert.equal(await found(), 1);
      assert.equal((await admin.delete(path)).status, 204);
      assert.equal(await found(), 0);
    });
  });
}
