import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { clientEvent, related, stateEvent } from '../../../test/support/events.ts';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { connect, type SocketClient } from '../../../test/support/socket-client.ts';
import type { StoredEvent } from '../../changes/hub.ts';
import { newId } from '../../values/id.ts';
import { droppedEvents } from '../../watching/telemetry.ts';

const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
const untilNextYear = (since: string) => ({ since, until: new Date(Date.now() + 365 * 86_400_000).toISOString() });

for (const database of databases) {
  describe(`event sockets on ${database}`, () => {
    let server: TestServer;
    let url: string;
    before(async () => {
      server = await startServer({ database });
      url = await server.listen();
    });
    after(() => server.stop());

    const stored = async (...events: { id: string }[]): Promise<string[]> => {
      const filter = { id: { id: events.map(({ id }) => id) }, occurred: untilNextYear(secondsAgo(86_400)) };
      const answer = await server.post('/events/filter', { filter });
      return answer.body.events.map(({ id }: { id: string }) => id);
    };
    const subscribe = async (filter: object, more: object = {}): Promise<SocketClient> => {
      const client = await connect(`${url}/events/out`);
      client.send({ type: 'filter', filter, ...more });
      // Frames are read in order, so the answer to the ping means that the filter was read.
      await client.ping();
      return client;
    };
    const post = (...events: object[]) => server.post('/events', events);

    test('a pong confirms that the events before its ping are stored, and their runs recorded', async () => {
      const client = await connect(`${url}/events/in`);
      const taskRunId = newId();
      const events = [
        clientEvent(),
        ...['PENDING', 'RUNNING'].map((type) => stateEvent({ type, taskRunId })),
        clientEvent(),
      ];
      for (const event of events) client.send(event);
      await client.ping();
      assert.equal((await stored(...events)).length, 4);
      assert.equal((await server.get(`/task_runs/${taskRunId}`)).body.state_type, 'RUNNING');
      client.close();
    });

    test('thousands of events from several sockets are all stored, once each', async () => {
      const tag = newId();
      const clients = await Promise.all([1, 2, 3].map(() => connect(`${url}/events/in`)));
      const shared = clientEvent({ event: `many.${tag}` });
      for (const client of clients) {
        for (let count = 0; count < 400; count++) client.send(clientEvent({ event: `many.${tag}` }));
        client.send(shared);
      }
      await Promise.all(clients.map((client) => client.ping()));
      const counted = await server.post('/events/count-by/event', { filter: { event: { name: [`many.${tag}`] } } });
      assert.equal(counted.body[0].count, 1201);
      for (const client of clients) client.close();
    });

    test('a frame that is not an event is dropped and counted, and those after it are stored', async () => {
      const causes: string[] = [];
      const stop = droppedEvents.listen(({ cause }) => causes.push(cause));
      const client = await connect(`${url}/events/in`);
      const kept = [];
      const many = Array.from({ length: 101 }, (_, at) => ({
        'prefect.resource.id': `x.${at}`,
        'prefect.resource.role': 'x',
      }));
      const cut = clientEvent({ related: many });
      const frames = [
        'no JSON',
        '[]',
        {},
        clientEvent({ id: 'x' }),
        { ...clientEvent(), payload: null },
        clientEvent({ related: [{ 'prefect.resource.id': 'x' }] }),
        cut,
      ];
      for (const frame of frames) {
        client.send(frame);
        const event = clientEvent();
        kept.push(event);
        client.send(event);
      }
      await client.ping();
      for (const event of [...kept, cut]) assert.deepEqual(await stored(event), [event.id]);
      const { body } = await server.post('/events/filter', { filter: { id: { id: [cut.id] } } });
      assert.equal(body.events[0].related.length, 100);
      stop();
      assert.deepEqual(causes, Array(frames.length - 1).fill('invalid'));
      client.close();
    });

    test('a frame that is not text closes the socket, and the events before it are stored', async () => {
      const client = await connect(`${url}/events/in`);
      const kept = clientEvent();
      client.send(kept);
      client.send(Buffer.from(JSON.stringify(clientEvent())));
      assert.equal(await client.ended(), '1011 Expected a text frame');
      await server.server.intake.settled(server.server.defaultWorkspace);
      assert.deepEqual(await stored(kept), [kept.id]);
    });

    test('labels with characters that a text column cannot hold do not close the socket', async () => {
      const client = await connect(`${url}/events/in`);
      const event = clientEvent({ resource: { note: 'a\0b', 'c\0': '\ud800' } });
      client.send(event);
      await client.ping();
      const answer = await server.post('/events/filter', { filter: { id: { id: [event.id] } } });
      assert.deepEqual(answer.body.events[0].resource, {
        'prefect.resource.id': 'door.front',
        note: 'ab',
        c: '\ufffd',
      });
      client.close();
    });

    test('an event that is too large is dropped, and the others are stored', async () => {
      const client = await connect(`${url}/events/in`);
      const [large, small] = [clientEvent({ payload: { text: 'x'.repeat(1_600_000) } }), clientEvent()];
      client.send(large);
      client.send(small);
      await client.ping();
      assert.deepEqual(await stored(large, small), [small.id]);
      client.close();
    });

    test('a subscriber gets recent events in order, then new ones, without gaps or duplicates', async () => {
      const name = `stream.${newId()}`;
      const past = [600, 300, 60].map((seconds) => clientEvent({ event: name, occurred: secondsAgo(seconds) }));
      const old = clientEvent({ event: name, occurred: secondsAgo(1200) });
      await post(past[1]!, old, past[2]!, past[0]!);
      const client = await connect(`${url}/events/out`);
      client.send({ type: 'filter', filter: { event: { name: [name] }, occurred: untilNextYear(secondsAgo(86_400)) } });
      const live = Array.from({ length: 50 }, () => clientEvent({ event: name }));
      for (const event of live) await post(event);
      const expected = [...past, ...live].map(({ id }) => id);
      const received: string[] = [];
      while (received.length < expected.length) {
        const { type, event } = await client.next();
        assert.equal(type, 'event');
        received.push(event.id);
      }
      assert.deepEqual(received.slice(0, 3), expected.slice(0, 3));
      assert.deepEqual(received.toSorted(), expected.toSorted());
      await client.ping();
      assert.deepEqual(client.unread, []);
      client.close();
    });

    test('an event that is published after the backlog was read arrives once', async () => {
      const event = clientEvent({ event: `late.${newId()}` });
      const { hub, defaultWorkspace } = server.server;
      const published: StoredEvent[] = [];
      const unsubscribe = hub.hear('events', defaultWorkspace, (event) => published.push(event));
      await post(event);
      unsubscribe();
      const client = await subscribe({ event: { name: [event.event] } });
      assert.equal((await client.next()).event.id, event.id);
      hub.tell('events', defaultWorkspace, ...published);
      await client.ping();
      assert.deepEqual(client.unread, []);
      client.close();
    });

    test('a long backlog arrives complete', async () => {
      const name = `past.${newId()}`;
      await post(...Array.from({ length: 600 }, () => clientEvent({ event: name })));
      const client = await subscribe({ event: { name: [name] } });
      const ids = new Set<string>();
      while (ids.size < 600) ids.add((await client.next()).event.id);
      await client.ping();
      assert.deepEqual(client.unread, []);
      client.close();
    });

    test('a past of more than a reader may have waiting arrives complete, large values too', async () => {
      const name = `large.${newId()}`;
      const payload = { text: 'x'.repeat(400_000) };
      const events = Array.from({ length: 12 }, () => clientEvent({ event: name, payload }));
      for (const event of events) await post(event);
      const client = await connect(`${url}/events/out`);
      client.socket.pause();
      client.send({ type: 'filter', filter: { event: { name: [name] } } });
      const live = clientEvent({ event: name, payload });
      await post(live);
      client.socket.resume();
      const received: string[] = [];
      while (received.length <= events.length) {
        const { event } = await client.next();
        assert.deepEqual(event.payload, payload);
        received.push(event.id);
      }
      assert.deepEqual(
        received,
        [...events, live].map(({ id }) => id),
      );
      client.close();
    });

    test('a filter without an end passes later events, one with an end does not, and a client can decline the backlog', async () => {
      const name = `until.${newId()}`;
      await post(clientEvent({ event: name }));
      const open = await subscribe({ event: { name: [name] } }, { backfill: false });
      const ended = await subscribe({
        event: { name: [name] },
        occurred: { since: secondsAgo(60), until: secondsAgo(0) },
      });
      assert.equal((await ended.next()).event.event, name);
      const later = clientEvent({ event: name, occurred: new Date(Date.now() + 5000).toISOString() });
      await post(later);
      assert.equal((await open.next()).event.id, later.id);
      await ended.ping();
      assert.deepEqual(ended.unread, []);
      open.close();
      ended.close();
    });

    test('related resources are matched live as well', async () => {
      const pool = `prefect.work-pool.${newId()}`;
      const client = await subscribe({ related: { id: [pool], role: ['work-pool'] } });
      const wanted = clientEvent({ related: [related(pool, 'work-pool')] });
      await post(clientEvent({ related: [related(pool, 'other')] }), clientEvent(), wanted);
      assert.equal((await client.next()).event.id, wanted.id);
      assert.deepEqual(client.unread, []);
      client.close();
    });

    test('an event arrives in the form of the list', async () => {
      const event = clientEvent({
        payload: { n: 1 },
        related: [related('a', 'b')],
        resource: { 'prefect.resource.id': newId() },
      });
      const client = await subscribe({ id: { id: [event.id] } }, { backfill: false });
      await post(event);
      const { body } = await server.post('/events/filter', { filter: { id: { id: [event.id] } } });
      assert.deepEqual((await client.next()).event, body.events[0]);
      client.close();
    });

    test('events of the server itself are streamed too', async () => {
      const client = await subscribe({ event: { name: ['prefect.flow.created'] } }, { backfill: false });
      const { body: flow } = await server.post('/flows/', { name: `streamed-${newId()}` });
      assert.equal((await client.next()).event.resource['prefect.resource.id'], `prefect.flow.${flow.id}`);
      client.close();
    });

    test('a first frame that is not a filter closes the socket with a reason', async () => {
      for (const [frame, end] of [
        [{ type: 'subscribe' }, "1002 Expected 'filter' message"],
        ['no JSON', "1002 Expected 'filter' message"],
        [{ type: 'filter' }, "1002 Invalid filter: 'filter'"],
        [{ type: 'filter', filter: { zzz: 1 } }, '1002 Invalid filter: zzz Extra inputs are not permitted'],
        [{ type: 'filter', filter: { ['z'.repeat(500)]: 1 } }, /^1002 Invalid filter: z+…$/],
      ] as const) {
        const client = await connect(`${url}/events/out`);
        client.send(frame);
        const said = await client.ended();
        if (typeof end === 'string') assert.equal(said, end);
        else assert.match(said, end);
      }
    });

    test('a reader that stops reading is disconnected, and others continue', async () => {
      const name = `slow.${newId()}`;
      const slow = await subscribe({ event: { name: [name] } }, { backfill: false });
      const quick = await subscribe({ event: { name: [name] } }, { backfill: false });
      slow.socket.pause();
      const payload = { text: 'x'.repeat(1_000_000) };
      for (let count = 0; count < 30; count++) {
        await post(clientEvent({ event: name, payload }));
        await quick.next();
      }
      const end = slow.ended();
      slow.socket.resume();
      assert.match(await end, /^(1013 The reader is too slow|1006 )$/);
      quick.close();
    });
  });

  test(`a server that stops stores the events it received and asks clients to reconnect, on ${database}`, async () => {
    const server = await startServer({ database });
    const url = await server.listen();
    const [sender, reader] = [await connect(`${url}/events/in`), await connect(`${url}/events/out`)];
    const event = clientEvent();
    sender.send(event);
    const pong = once(sender.socket, 'pong');
    sender.socket.ping();
    const ends = [sender.ended(), reader.ended()];
    await pong;
    await server.closeSockets();
    assert.deepEqual(await Promise.all(ends), ['1012 The server is restarting', '1012 The server is restarting']);
    const { body } = await server.post('/events/filter', { filter: { id: { id: [event.id] } } });
    assert.equal(body.total, 1);
    await server.stop();
  });
}
