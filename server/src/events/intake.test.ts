import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { clientEvent } from '../../test/support/events.ts';
import { databases, startServer, type TestServer } from '../../test/support/server.ts';
import type { Store } from '../database/store.ts';
import { Unavailable } from '../errors.ts';
import { newId } from '../values/id.ts';
import { EventIntake, type EventRecorder } from './intake.ts';
import { type IncomingEvent, receiveEvent } from './received-event.ts';

for (const database of databases) {
  describe(`the intake of events on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const intake = (recorders: readonly EventRecorder[], store: Store = server.server.store) =>
      new EventIntake({ ...server.server, store, recorders });
    const incoming = (name: string): IncomingEvent => {
      const event = clientEvent({ event: name });
      const now = server.server.clock.now();
      return receiveEvent(server.server.defaultWorkspace, now, { ...event, occurred: now, payload: undefined });
    };
    const countOf = async (name: string) =>
      (await server.post('/events/filter', { filter: { event: { name: [name] } } })).body.total;

    test('an event is kept when recording fails, and the other events are recorded', async () => {
      const name = newId();
      const [first, bad, last] = [incoming(name), incoming(name), incoming(name)];
      const recorded: string[] = [];
      const record: EventRecorder = async (_tx, events) => {
        if (events.includes(bad)) throw new Error('a record that fails');
        recorded.push(...events.map(({ row }) => row.id));
      };
      await intake([record]).write(server.server.defaultWorkspace, [first, bad, last]);
      assert.equal(await countOf(name), 3);
      assert.deepEqual(recorded, [first.row.id, last.row.id]);
    });

    test('only the event that the database refuses is dropped', async () => {
      const name = newId();
      const refused = incoming(name);
      const broken: IncomingEvent = { ...refused, row: { ...refused.row, event: null as never } };
      await intake([]).write(server.server.defaultWorkspace, [incoming(name), broken, incoming(name)]);
      assert.equal(await countOf(name), 2);
    });

    test('a duplicate event is stored and published once', async () => {
      const name = newId();
      const event = incoming(name);
      const seen: string[] = [];
      const { hub, defaultWorkspace } = server.server;
      const unsubscribe = hub.hear('events', defaultWorkspace, ({ id }) => seen.push(id));
      await intake([]).write(defaultWorkspace, [event, event]);
      await intake([]).write(defaultWorkspace, [event, incoming(name)]);
      unsubscribe();
      assert.equal(await countOf(name), 2);
      assert.equal(seen.length, 2);
    });

    test('events wait while the database is unavailable, and are settled only once they are stored', async () => {
      const name = newId();
      let refusals = 2;
      const { store, defaultWorkspace } = server.server;
      const away: Store = Object.create(store, {
        transaction: {
          value: (...given: Parameters<Store['transaction']>) =>
            refusals-- > 0 ? Promise.reject(new Unavailable('away')) : store.transaction(...given),
        },
      });
      const patient = intake([], away);
      patient.enqueue(defaultWorkspace, incoming(name));
      patient.enqueue(defaultWorkspace, incoming(name));
      await patient.settled(defaultWorkspace);
      assert.equal(await countOf(name), 2);
      assert.equal(refusals, -1);
    });

    test('a request fails while the database is unavailable', async () => {
      const { store, defaultWorkspace } = server.server;
      const away: Store = Object.create(store, {
        transaction: { value: () => Promise.reject(new Unavailable('away')) },
      });
      await assert.rejects(intake([], away).write(defaultWorkspace, [incoming('x')]), Unavailable);
    });

    test('a full queue of one workspace stops no sender of another', async () => {
      const { defaultWorkspace } = server.server;
      const full = intake([]);
      for (let count = 0; count < 4; count++)
        full.enqueue(defaultWorkspace, { ...incoming(newId()), sizeBytes: 1_400_000 });
      assert.deepEqual([full.isFull(defaultWorkspace), full.isFull(defaultWorkspace + 1)], [true, false]);
      await full.room(defaultWorkspace + 1);
      await full.close();
    });

    test('senders wait while the queue is full, and continue when it is written', async () => {
      const { defaultWorkspace } = server.server;
      const name = newId();
      const full = intake([]);
      const large = { ...incoming(name), sizeBytes: 1_400_000 };
      for (let count = 0; count < 13; count++)
        full.enqueue(defaultWorkspace, { ...large, row: { ...large.row, id: newId() } });
      assert.ok(full.isFull(defaultWorkspace));
      await full.room(defaultWorkspace);
      assert.ok(!full.isFull(defaultWorkspace));
      await full.close();
      assert.equal(await countOf(name), 13);
    });
  });
}
