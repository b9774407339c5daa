import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { recordRequests } from '../../../test/support/request-records.ts';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { holdFrom } from '../../orchestration/retention/import-hold.ts';
import { newId } from '../../values/id.ts';
import { addSeconds, systemClock } from '../../values/time.ts';
import { keepPartitions, makePartitions } from './partitions.ts';
import { WorkspaceRetention } from './retention.ts';

const DAY = 86_400;

// SQLite has no partitions; `retention.test.ts` shows its batches.
for (const database of databases.filter((one) => one === 'postgres')) {
  describe(`partitions on ${database}`, () => {
    let server: TestServer;
    let client: pg.Client;
    const start = systemClock.now();
    const inDays = (days: number) => addSeconds(start, days * DAY);
    before(async () => {
      server = await startServer({ database });
      client = new pg.Client(server.server.config.databaseUrl);
      await client.connect();
    });
    after(async () => {
      await client.end();
      await server.stop();
    });

    const send = async (name: string, days: number, id = newId()) => {
      const related = [{ 'prefect.resource.id': `test.of.${name}`, 'prefect.resource.role': 'part' }];
      const event = { id, occurred: inDays(days), event: name, resource: { 'prefect.resource.id': 'test.a' }, related };
      assert.equal((await server.post('/events', [event])).status, 204);
    };
    const log = async (message: string, days: number) => {
      const line = { name: 'a', level: 20, message, timestamp: inDays(days) };
      assert.equal((await server.post('/logs/', [line])).status, 201);
    };
    const column = async (text: string) => (await client.query(text)).rows.map((row) => row.one);
    const partitionOf = (name: string) =>
      column(`select tableoid::regclass::text as one from event where event = '${name}'`);
    const resourcesOf = (name: string) =>
      column(`select tableoid::regclass::text as one from event_resource where resource_id = 'test.of.${name}'`);
    const eventsLike = (prefix: string) =>
      column(`select event as one from event where event ~ '^${prefix}' order by 1`);
    const keep = (days: number) => keepPartitions(server.server, inDays(days));
    const suffixOf = (days: number) => inDays(days).slice(0, 10).replaceAll('-', '');
    const bytes = async () => Number((await column('select pg_database_size(current_database()) as one'))[0]);

    test('there is one for each day of the next days, and one for the rest and for the past', async () => {
      await send('ahead.today', 0);
      await send('ahead.tomorrow', 1);
      await send('ahead.next', 2);
      await send('ahead.beyond', 4000);
      await send('ahead.past', -4000);
      for (const [name, suffix] of [
        ['today', suffixOf(0)],
        ['tomorrow', suffixOf(1)],
        ['next', suffixOf(2)],
        ['beyond', 'default'],
        ['past', 'past'],
      ]) {
        assert.deepEqual(await partitionOf(`ahead.${name}`), [`event_${suffix}`]);
        assert.deepEqual(await resourcesOf(`ahead.${name}`), [`event_resource_${suffix}`]);
      }
    });

    test('rows without one are moved when their day comes, each with its resources', async () => {
      await send('moved', 5);
      assert.deepEqual(await partitionOf('moved'), ['event_default']);
      await Promise.all([keep(4), keep(4)]);
      assert.deepEqual(await partitionOf('moved'), [`event_${suffixOf(5)}`]);
      assert.deepEqual(await resourcesOf('moved'), [`event_resource_${suffixOf(5)}`]);
    });

    test('a drop takes old events with their resources, and nothing else, and the disk shrinks', async () => {
      await send('drop.today', 0);
      await send('drop.tomorrow', 1);
      await log('drop.old', 0);
      const occurred = systemClock.now();
      await recordRequests(server.server, newId(), [{ occurred }]);
      await client.query(`insert into event select workspace, gen_random_uuid(), occurred, received, 'drop.many', resource_id, resource,
        related, repeat(md5(random()::text), 30), follows, txid, origin from event, generate_series(1, 5000) where event = 'drop.today'`);
      const full = await bytes();
      // The last microsecond of the day is not old yet.
      await keep(7.99);
      await keepPartitions(server.server, `${inDays(8).slice(0, 10)}T00:00:00.000000Z` as typeof start);
      assert.deepEqual(await eventsLike('drop'), ['drop.tomorrow']);
      assert.deepEqual(await resourcesOf('drop.today'), []);
      assert.equal((await resourcesOf('drop.tomorrow')).length, 1);
      assert.deepEqual(await eventsLike('ahead'), ['ahead.beyond', 'ahead.next', 'ahead.tomorrow']);
      assert.ok((await bytes()) < full - 5_000_000);
      assert.deepEqual(await column(`select message as one from log`), ['drop.old'], 'logs are kept longer');
      await keep(45);
      assert.deepEqual(await column('select count(*)::int as one from mcp_request'), [0]);
      await keep(100);
      assert.deepEqual(await column('select message as one from log'), []);
    });

    test('rows of dropped times are stored and found, and go with the next drop', async () => {
      await send('late', -1);
      await log('late', -1);
      assert.deepEqual(await partitionOf('late'), ['event_past']);
      assert.deepEqual(await column(`select message as one from log`), ['late']);
      await keep(101);
      assert.deepEqual(await eventsLike('late'), []);
      assert.deepEqual(await column('select message as one from log'), []);
    });

    test('an event that is sent again stays one, whatever its time', async () => {
      const id = newId();
      for (const days of [95, 95, 96, -4000, 4000]) await send('again', days, id);
      assert.deepEqual(await column(`select count(*)::int as one from event where id = '${id}'`), [1]);
      const other = newId();
      await Promise.all(Array.from({ length: 8 }, () => send('race', 95, other)));
      assert.deepEqual(await column(`select count(*)::int as one from event where id = '${other}'`), [1]);
    });

    test('an import of any workspace keeps old rows of its kind', async () => {
      await send('held', -30);
      await log('held', -300);
      const { workspace, store } = { ...server.context(), store: server.server.store };
      await store.transaction(workspace, (tx) => holdFrom(tx, 'events', inDays(200)));
      await store.transaction(workspace, (tx) => holdFrom(tx, 'flow_runs', inDays(200)));
      await keep(206);
      assert.deepEqual(await eventsLike('held'), ['held']);
      await keep(208);
      assert.deepEqual(await eventsLike('held'), []);
      await keep(289);
      assert.deepEqual(await column('select message as one from log'), ['held']);
      await keep(291);
      assert.deepEqual(await column('select message as one from log'), []);
    });

    test('where no partition is dropped, the batches of a workspace delete old rows', async () => {
      await send('batch', 295);
      await send('batch.younger', 300);
      const context = server.context(inDays(305));
      while (await new WorkspaceRetention().runOnce(context)) {}
      assert.deepEqual(await eventsLike('batch'), ['batch.younger']);
      assert.deepEqual(await resourcesOf('batch'), []);
    });

    test('servers with different settings leave no time out', async () => {
      const { config, store } = server.server;
      const servers = [1, 30, 400].map((days) => ({ store, config: { ...config, eventRetentionSeconds: days * DAY } }));
      await Promise.all(servers.map((one) => makePartitions(one, inDays(310))));
      const bounds = await column(`select pg_get_expr(relpartbound, pg_class.oid) as one from pg_inherits
        join pg_class on pg_class.oid = inhrelid where inhparent = 'event'::regclass`);
      const of = (word: string) =>
        bounds.flatMap((text) => new RegExp(`${word} \\('([^']+)'`).exec(text)?.[1] ?? []).sort();
      const ends = of('TO');
      assert.deepEqual(of('FROM'), ends.slice(0, -1), 'each begins where another ends');
    });

    test('a setting that keeps everything drops nothing', async () => {
      const { config, store } = server.server;
      await keepPartitions({ store, config: { ...config, retention: new Set() } }, inDays(4000));
      assert.deepEqual(await eventsLike('batch'), ['batch.younger']);
    });
  });
}
