/**
 * A fault in any piece of background work ends that work, and another tenant is still answered. The test records which
 * pieces begin while a tenant works, and then lets each of them fail once. A rejection without an owner, or an exception
 * that nothing catches, fails the test run itself.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { watchBackground } from '../../src/watching/background.ts';
import { callTool, openStream, send, startGateway, type TestGateway } from '../support/gateway.ts';
import { databases } from '../support/server.ts';
import { SocketClient } from '../support/socket-client.ts';
import { until } from '../support/until.ts';

/** Pieces that must be among those that begin, one of each kind of owner. */
const WANTED = [
  'what follows a commit',
  'the upgrade to a socket',
  'the sign-in of a socket',
  'a frame of the socket /events/in',
  'a ping of a socket',
  'the close of a socket',
  'the drain of events',
  'a live stream of events',
  'the past of a stream of events',
  'a new connection',
  'a listener of servers',
  'a check of an open thing',
  'the beginning of an answer',
  'a part of an answer',
  'the end of an answer',
  'the close of an answer',
  'a batch of request records',
  'the recording of requests',
];

for (const database of databases) {
  describe(`a fault stays with its owner on ${database}`, () => {
    let gateway: TestGateway;
    let base: string;
    const logged: string[] = [];
    let count = 0;
    before(async () => {
      gateway = await startGateway({ database, onLogLine: (line) => logged.push(line) });
      base = gateway.origin.replace('http', 'ws');
      for (const slug of ['first', 'second']) await gateway.register(slug);
    });
    after(() => gateway.stop());

    /** Signs in, or learns that it cannot. */
    async function socket(path: string): Promise<SocketClient> {
      const client = new SocketClient(`${base}/api${path}`, ['prefect']);
      client.socket.on('error', () => {});
      const closed = client.ended().then((reason) => Promise.reject(new Error(reason)));
      closed.catch(() => {});
      ends.set(client, closed);
      await once(client.socket, 'open');
      client.send({ type: 'auth', token: null });
      await answered(client, () => client.next());
      return client;
    }
    /** Rejects when the socket closes instead. */
    const ends = new WeakMap<SocketClient, Promise<never>>();
    const answered = (client: SocketClient, answer: () => Promise<unknown>) =>
      Promise.race([answer(), ends.get(client)]);

    async function useEvents(): Promise<void> {
      const out = await socket('/events/out');
      const into = await socket('/events/in');
      try {
        out.send({ type: 'filter', filter: { event: { name: ['planted'] } }, backfill: true });
        await answered(out, () => out.ping());
        const event = { event: 'planted', resource: { 'prefect.resource.id': `planted.${++count}` } };
        into.send({ ...event, id: crypto.randomUUID(), occurred: new Date().toISOString() });
        await answered(into, () => into.ping());
        await answered(out, () => out.next());
      } finally {
        for (const client of [out, into]) client.close();
      }
    }

    async function useServer(slug: string): Promise<void> {
      const { key } = gateway.admin;
      const stream = await openStream(gateway, slug, { key });
      const changed = await gateway.admin.patch(`/organizations/default/servers/${slug}`, { name: `name ${++count}` });
      assert.equal(changed.status, 200, changed.text);
      await gateway.admin.put(`/organizations/default/servers/${slug}/policy`, { rules: [] });
      const answer = await send(gateway, slug, callTool('echo'), { key });
      stream.close();
      assert.equal(answer.status, 200, answer.text);
      await gateway.server.recordsWritten();
    }

    const useVariables = async () => {
      const { status } = await gateway.server.post('/variables/', { name: `planted_${++count}`, value: 1 });
      assert.equal(status, 201);
    };

    /** Everything that a tenant does, each part also where another one has failed. */
    const work = (slug: string) => Promise.allSettled([useEvents(), useServer(slug), useVariables()]);

    async function allAnswered(slug: string): Promise<void> {
      for (const part of await work(slug)) if (part.status === 'rejected') throw part.reason;
    }

    test('for each piece of work that begins', { timeout: 300_000 }, async (t) => {
      const names = new Set<string>();
      const unwatch = watchBackground((what) => {
        names.add(what);
      });
      await allAnswered('first');
      await until('its pieces have begun', () => WANTED.every((name) => names.has(name))).catch(() => {});
      unwatch();
      assert.deepEqual(
        WANTED.filter((name) => !names.has(name)),
        [],
      );
      for (const name of names) {
        await t.test(name, async (one) => {
          let isPlanted = false;
          const end = watchBackground((what) => {
            if (what !== name || isPlanted) return;
            isPlanted = true;
            throw new Error(`planted in ${name}`);
          });
          await work('first');
          const isSure = WANTED.includes(name);
          if (isSure) await until('it has failed', () => isPlanted);
          end();
          // Looks at changes of access depend on the moment.
          if (!isPlanted) return one.skip('it did not begin again');
          const told = logged.filter((line) => line.includes(`planted in ${name}`));
          assert.equal(told.length, 1);
          assert.equal(JSON.parse(told[0]!).work, name);
          await allAnswered('second');
        });
      }
    });
  });
}
