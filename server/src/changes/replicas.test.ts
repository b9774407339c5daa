import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { startCable } from '../../test/support/cable.ts';
import { databases, startServer, type TestServer } from '../../test/support/server.ts';
import { connect, type SocketClient } from '../../test/support/socket-client.ts';
import { until } from '../../test/support/until.ts';
import { READ_POSITION, rowsSince } from '../database/postgres/feed/position.ts';
import { newId } from '../values/id.ts';
import { ANY } from './hub.ts';

// One process on SQLite hears itself.
for (const database of databases.filter((one) => one === 'postgres')) {
  describe(`two servers on ${database}`, () => {
    let first: TestServer;
    let second: TestServer;
    let control: pg.Client;
    let firstUrl: string;
    let secondUrl: string;
    before(async () => {
      first = await startServer({ database });
      const { databaseUrl, home } = first.server.config;
      second = await startServer({ databaseUrl, config: { home } });
      control = new pg.Client(databaseUrl);
      await control.connect();
      [firstUrl, secondUrl] = await Promise.all([first.listen(), second.listen()]);
    });
    after(async () => {
      await control?.end();
      await second?.stop();
      await first.stop();
    });

    /** A stream of events also has those of the past, so each test has names of its own. */
    const subscribe = async (url: string, prefix = ''): Promise<SocketClient> => {
      const client = await connect(url);
      client.send({ type: 'filter', filter: prefix === '' ? {} : { event: { prefix: [prefix] } } });
      await client.ping();
      return client;
    };
    const event = (name: string) => ({
      id: newId(),
      occurred: new Date().toISOString(),
      event: name,
      resource: { 'prefect.resource.id': 'test.a' },
    });
    const rowOf = ({ id, occurred, event: name }: ReturnType<typeof event>) =>
      ({
        ...{ id, occurred, received: occurred, event: name, resource_id: 'test.a', follows: null },
        ...{ resource: '{"prefect.resource.id":"test.a"}', related: '[]', payload: '{}' },
      }) as never;
    const log = (message: string) => ({ name: 'a', level: 20, message, timestamp: new Date().toISOString() });
    const namesOf = (prefix: string, length: number) => Array.from({ length }, (_, index) => `${prefix}${index}`);
    const received = async (client: SocketClient, count: number) => {
      const frames = [];
      while (frames.length < count) frames.push(await client.next());
      return frames.map((frame) => frame.event?.event ?? frame.log.message);
    };
    /** Ends the connections over which processes follow each other. */
    const cut = () =>
      control.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
        and pid <> pg_backend_pid() and query ~ 'from announcement|pg_notify|pg_current_snapshot'`);

    test('events and logs stored at one arrive at live streams of both, each once and in their order', async () => {
      const [atFirst, atSecond, logs] = await Promise.all([
        subscribe(`${firstUrl}/events/out`, 'both.'),
        subscribe(`${secondUrl}/events/out`, 'both.'),
        subscribe(`${secondUrl}/logs/out`),
      ]);
      const names = namesOf('both.', 50);
      for (const name of names) {
        assert.equal((await first.post('/events', [event(name)])).status, 204);
        assert.equal((await first.post('/logs/', [log(name)])).status, 201);
      }
      assert.deepEqual(await received(atFirst, 50), names);
      assert.deepEqual(await received(atSecond, 50), names);
      assert.deepEqual(await received(logs, 50), names);
      // What follows comes directly behind: nothing came twice.
      await second.post('/events', [event('both.end')]);
      assert.deepEqual(await received(atFirst, 1), ['both.end']);
      assert.deepEqual(await received(atSecond, 1), ['both.end']);
      for (const client of [atFirst, atSecond, logs]) client.close();
    });

    test('an event of a long transaction arrives once, after later ones', async () => {
      const client = await subscribe(`${secondUrl}/events/out`, 'long.');
      const names = namesOf('long.', 10);
      const { promise: held, resolve: release } = Promise.withResolvers<void>();
      const { workspace } = first.context();
      const slow = event('long.slow');
      const { promise: stored, resolve: isStored } = Promise.withResolvers<void>();
      const slowly = first.server.store.transaction(workspace, async (tx) => {
        await tx.insertAll('event', [rowOf(slow)]);
        isStored();
        await held;
      });
      await stored;
      for (const name of names) await first.post('/events', [event(name)]);
      assert.deepEqual(await received(client, 10), names);
      release();
      await slowly;
      await first.post('/events', [event('long.later')]);
      assert.deepEqual((await received(client, 2)).toSorted(), ['long.later', 'long.slow']);
      await first.post('/events', [event('long.last')]);
      assert.deepEqual(await received(client, 1), ['long.last']);
      client.close();
    });

    test('a lost connection delays and loses nothing', async () => {
      const client = await subscribe(`${secondUrl}/events/out`, 'cut.');
      const many = namesOf('cut.', 300);
      for (const [index, name] of many.entries()) {
        await first.post('/events', [event(name)]);
        if (index % 60 === 30) await cut();
      }
      assert.deepEqual(await received(client, many.length), many);
      client.close();
    });

    test('rows with the transactions of another database are not taken for new ones', async () => {
      const client = await subscribe(`${secondUrl}/events/out`, 'dump.');
      // The stream begins with the events of the past, among which a restored one would be.
      for (const name of namesOf('dump.before.', 3)) {
        await first.post('/events', [event(name)]);
        assert.deepEqual(await received(client, 1), [name]);
      }
      await first.server.store.transaction(first.context().workspace, async (tx) => {
        await tx.insertAll('event', [rowOf(event('dump.restored'))]);
        await tx.execute(
          sql`update event set txid = '9000000000000' where "workspace" = ${tx.workspace} and event = 'dump.restored'`,
        );
      });
      await first.post('/events', [event('dump.new')]);
      assert.deepEqual(await received(client, 1), ['dump.new']);
      await first.post('/events', [event('dump.newer')]);
      assert.deepEqual(await received(client, 1), ['dump.newer']);
      client.close();
    });

    test('news arrive over an address of its own, if one is named', async () => {
      const { databaseUrl, home } = first.server.config;
      const cable = await startCable(Number(new URL(databaseUrl).port));
      const past = new URL(databaseUrl);
      past.port = String(cable.port);
      const third = await startServer({ databaseUrl, config: { home, databaseListenUrl: past.href } });
      try {
        const heard: string[] = [];
        third.server.hub.hear('activity', ANY, (_what, subject) => heard.push(subject));
        const tell = (subject: string) => first.server.hub.tell('activity', subject, 'server_output');
        await until('it hears', () => {
          tell('before');
          return heard.includes('before');
        });
        cable.cut();
        tell('while it is cut');
        // What it asks the database itself does not take that way.
        assert.equal((await third.post('/flows/filter', {})).status, 200);
        assert.equal(heard.includes('while it is cut'), false);
        cable.mend();
        await until('it hears that too', () => heard.includes('while it is cut'));
      } finally {
        cable.mend();
        await third.stop();
        cable.stop();
      }
    });

    test('more rows than one query takes arrive once, also when the connection is lost meanwhile', async () => {
      const client = await subscribe(`${secondUrl}/logs/out`);
      const many = namesOf('', 2500);
      const arriving = received(client, many.length);
      let heard = 0;
      const cuts: Promise<unknown>[] = [];
      // In the middle of a look, which has more pages to read.
      const end = second.server.hub.hear('logs', second.server.defaultWorkspace, () => {
        if (heard++ % 700 === 0) cuts.push(cut());
      });
      assert.equal((await first.post('/logs/', many.map(log))).status, 201);
      assert.deepEqual(new Set(await arriving), new Set(many));
      end();
      await Promise.all(cuts);
      await first.post('/logs/', [log('last')]);
      assert.deepEqual(await received(client, 1), ['last']);
      client.close();
    });

    test('messages arrive at listeners of the other process, and only there', async () => {
      const heard: unknown[] = [];
      const note = (process: string) => (what: unknown, subject: unknown) => heard.push([process, subject, what]);
      const ends = [
        first.server.hub.hear('activity', ANY, note('first')),
        second.server.hub.hear('activity', ANY, note('second')),
        second.server.hub.hear('cleanups', 7, note('second')),
        second.server.hub.hear('work', 'scheduler', note('second')),
      ];
      first.server.hub.tell('activity', 'a', 'server_build', 'server_output');
      first.server.hub.tell('cleanups', 7, { work_pool_id: 'p' });
      first.server.hub.tell('work', 'scheduler', undefined);
      await until('the messages at the other process', () => heard.length >= 6);
      assert.deepEqual(heard, [
        ['first', 'a', 'server_build'],
        ['first', 'a', 'server_output'],
        ['second', 'a', 'server_build'],
        ['second', 'a', 'server_output'],
        ['second', 7, { work_pool_id: 'p' }],
        ['second', 'scheduler', undefined],
      ]);
      for (const end of ends) end();
    });

    test('a service that runs here is not woken elsewhere', async () => {
      const woken: string[] = [];
      const ends = [first, second].map((one, index) =>
        one.server.hub.hear('work', 'backfills', () => woken.push(String(index))),
      );
      first.server.hub.tell('work', 'backfills', 1);
      second.server.hub.tell('activity', 'end', 'server_build');
      first.server.hub.tell('activity', 'end', 'server_build');
      const { promise, resolve } = Promise.withResolvers<void>();
      const end = second.server.hub.hear('activity', 'end', () => resolve());
      await promise;
      assert.deepEqual(woken, ['0']);
      for (const one of [...ends, end]) one();
    });

    test('a look reads a range of the index of transactions', async () => {
      await second.server.store.continueUpgrade();
      await control.query('set enable_seqscan = off');
      for (const [table, stored] of [
        ['event', 'received'],
        ['log', 'created'],
      ] as const) {
        const look = rowsSince(table, stored, ['id'], 'workspace = any($6::integer[])');
        const since = (await control.query(READ_POSITION)).rows[0].since;
        const { rows } = await control.query(`explain ${look}`, [since, 'other', null, null, null, [1]]);
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        assert.match(plan, new RegExp(`using ${table}_\\w+_txid_idx[^]*Index Cond: \\(txid >=`), plan);
      }
    });
  });
}
