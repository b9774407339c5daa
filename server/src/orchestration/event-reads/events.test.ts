import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { clientEvent, related } from '../../../test/support/events.ts';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { newId } from '../../values/id.ts';

for (const database of databases) {
  describe(`events on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const filter = (asked: object, more: object = {}) => server.post('/events/filter', { filter: asked, ...more });
    const issuesOf = async (body: unknown) =>
      (await server.post('/events', body)).body.exception_detail.map(
        ({ loc, msg }: { loc: unknown[]; msg: string }) => [loc.slice(1).join('.'), msg],
      );

    test('an event is returned as it was sent, with the time it was received', async () => {
      const event = {
        ...clientEvent({ event: 'a.b', related: [related('r.1', 'flow', { note: 'x' })] }),
        follows: newId(),
        occurred: '2026-11-20T10:00:00.5+02:00',
      };
      assert.equal((await server.post('/events', [event])).status, 204);
      const { body } = await filter({ id: { id: [event.id] } });
      const [{ received, ...stored }] = body.events;
      assert.match(received, /^20\d\d-.*Z$/);
      assert.deepEqual(stored, { ...event, occurred: '2026-11-20T08:00:00.500000Z' });
      assert.deepEqual([body.total, body.next_page], [1, null]);
    });

    test('numbers in payloads keep their type, and keys of labels and payloads their order', async () => {
      const id = newId();
      const body = `[{"id":"${id}","occurred":"2026-11-20T10:00:00Z","event":"kinds","resource":{"prefect.resource.id":"r","b":"1","2":"x","1":"y"},"payload":{"f":1.0,"i":12345678901234567890123,"2":0,"1":"\\u0000"}}]`;
      assert.equal((await server.post('/events', body)).status, 204);
      const { text } = await filter({ id: { id: [id] } });
      assert.ok(text.includes('"resource":{"prefect.resource.id":"r","b":"1","2":"x","1":"y"}'), text);
      assert.ok(text.includes('"payload":{"f":1.0,"i":12345678901234567890123,"2":0,"1":"\\u0000"}'), text);
    });

    test('an event with a known id is ignored', async () => {
      const event = clientEvent({ event: 'first' });
      await server.post('/events', [event, { ...event, event: 'second' }]);
      await server.post('/events', [{ ...event, event: 'third' }]);
      const { body } = await filter({ id: { id: [event.id] } });
      assert.deepEqual(
        body.events.map(({ event: name }: { event: string }) => name),
        ['first'],
      );
    });

    test('errors in a list of events are reported, and no event of the list is stored', async () => {
      const fine = clientEvent();
      assert.deepEqual(await issuesOf([fine, {}]), [
        ['1.occurred', 'Field required'],
        ['1.event', 'Field required'],
        ['1.resource', 'Field required'],
        ['1.id', 'Field required'],
      ]);
      assert.equal((await filter({ id: { id: [fine.id] } })).body.total, 0);
      const labels = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`l${n}`, 'v']));
      for (const [event, place, msg] of [
        [{ resource: {} }, '0.resource', 'Value error, Resources must include the prefect.resource.id label'],
        [{ resource: { 'prefect.resource.id': 'a', n: 1 } }, '0.resource.n', 'Input should be a valid string'],
        [
          { resource: { ...labels(500), 'prefect.resource.id': 'a' } },
          '0.resource',
          'Value error, The maximum number of labels per resource is 500',
        ],
        [
          { related: [{ 'prefect.resource.id': 'a' }] },
          '0.related.0',
          'Value error, Related Resources must include the prefect.resource.role label',
        ],
        [
          { related: Array.from({ length: 101 }, () => related('a', 'b')) },
          '0.related',
          'Value error, The maximum number of related resources is 100',
        ],
        [{ event: 'x'.repeat(1025) }, '0.event', 'Value error, Event name must be at most 1024 characters'],
        [
          { resource: { 'prefect.resource.id': 'a', 'b\0': '' } },
          '0.resource',
          'Value error, Label names must not contain NUL characters or halves of surrogate pairs',
        ],
      ] as const) {
        assert.deepEqual(await issuesOf([{ ...clientEvent(), ...event }]), [[place, msg]]);
      }
      assert.equal((await server.post('/events', clientEvent())).status, 422);
      assert.equal((await server.post('/events', [])).status, 204);
    });

    test('an event that is too large is dropped silently, and the others are stored', async () => {
      const [large, small] = [clientEvent({ payload: { text: 'x'.repeat(1_500_001) } }), clientEvent()];
      assert.equal((await server.post('/events', [large, small])).status, 204);
      assert.equal((await filter({ id: { id: [large.id, small.id] } })).body.total, 1);
    });

    test('future events are returned only on request', async () => {
      const event = clientEvent({ occurred: '2999-01-01T00:00:00Z' });
      await server.post('/events', [event]);
      assert.equal((await filter({ id: { id: [event.id] } })).body.total, 0);
      const asked = { id: { id: [event.id] }, occurred: { until: '2999-01-01T00:00:00Z' } };
      assert.equal((await filter(asked)).body.total, 1);
    });

    test('later events do not affect the pages behind a page address', async () => {
      const name = newId();
      const at = (second: number) => `2026-11-20T10:00:${String(second).padStart(2, '0')}Z`;
      const events = Array.from({ length: 7 }, (_, n) => clientEvent({ event: name, occurred: at(n) }));
      await server.post('/events', events);
      let page = (await filter({ event: { name: [name] }, order: 'ASC' }, { limit: 3 })).body;
      const ids: string[] = [];
      for (;;) {
        assert.equal(page.total, 7);
        ids.push(...page.events.map(({ id }: { id: string }) => id));
        if (page.next_page === null) break;
        await server.post('/events', [clientEvent({ event: name, occurred: at(0) })]);
        const { pathname, search } = new URL(page.next_page);
        page = (await server.get(pathname.replace('/api', '') + search)).body;
      }
      assert.deepEqual(
        ids,
        events.map(({ id }) => id),
      );
    });

    test('an empty page returns the total count', async () => {
      const name = newId();
      await server.post('/events', [clientEvent({ event: name })]);
      const { body } = await filter({ event: { name: [name] } }, { limit: 0 });
      assert.deepEqual([body.events, body.total, typeof body.next_page], [[], 1, 'string']);
    });

    test('a page address that this server did not issue is forbidden', async () => {
      for (const token of ['', 'x', Buffer.from('{}').toString('base64url')]) {
        const answer = await server.get(`/events/filter/next?page-token=${token}`);
        assert.equal(answer.status, 403);
        assert.deepEqual(answer.body, { detail: 'Forbidden' });
      }
      assert.equal((await server.get('/events/filter/next')).status, 422);
    });

    test('a page has at most 50 events', async () => {
      assert.equal((await filter({}, { limit: 51 })).status, 422);
      assert.equal((await filter({}, { limit: -1 })).status, 422);
    });

    test('events are counted by name and by resource, the most frequent first', async () => {
      const name = newId();
      const send = (resource: string, second: number, labels: Record<string, string> = {}) =>
        clientEvent({
          event: `${name}.${resource}`,
          occurred: `2026-11-20T10:00:0${second}Z`,
          resource: { 'prefect.resource.id': `${name}.${resource}`, ...labels },
        });
      await server.post('/events', [
        send('b', 1),
        send('a', 2, { 'prefect.resource.name': 'early' }),
        send('a', 3),
        send('c', 4),
        send('c', 5, { 'prefect.resource.name': 'Zed' }),
        send('d', 6, { 'prefect.name': 'Other' }),
      ]);
      const count = async (by: string) =>
        (await server.post(`/events/count-by/${by}`, { filter: { event: { prefix: [name] } } })).body.map(
          (row: { value: string; label: string; count: number }) => [row.value, row.label, row.count],
        );
      assert.deepEqual(await count('event'), [
        [`${name}.a`, `${name}.a`, 2],
        [`${name}.c`, `${name}.c`, 2],
        [`${name}.b`, `${name}.b`, 1],
        [`${name}.d`, `${name}.d`, 1],
      ]);
      assert.deepEqual((await count('resource')).toSorted(), [
        [`${name}.a`, `${name}.a`, 2],
        [`${name}.b`, `${name}.b`, 1],
        [`${name}.c`, 'Zed', 2],
        [`${name}.d`, 'Other', 1],
      ]);
    });

    test('events are counted by time, to the microsecond', async () => {
      const name = newId();
      const times = ['2026-11-10T10:00:00Z', '2026-11-10T23:59:59.999999Z', '2026-11-12T00:00:00Z'];
      await server.post(
        '/events',
        times.map((occurred) => clientEvent({ event: name, occurred })),
      );
      const occurred = { since: '2026-11-10T05:06:07.5Z', until: '2026-11-12T12:00:00Z' };
      const asked = { event: { name: [name] }, occurred };
      for (const by of ['day', 'time']) {
        const { body } = await server.post(`/events/count-by/${by}`, { filter: asked });
        assert.deepEqual(
          body.map(({ count }: { count: number }) => count),
          [2, 0, 1],
        );
      }
      const halves = await server.post('/events/count-by/time', {
        filter: asked,
        time_unit: 'hour',
        time_interval: 12,
      });
      assert.deepEqual(
        halves.body.map(({ count }: { count: number }) => count),
        [1, 1, 0, 0, 1],
      );
      assert.deepEqual(halves.body[0], {
        value: '0',
        label: '2026-11-10T00:00:00+00:00',
        count: 1,
        start_time: '2026-11-10T00:00:00Z',
        end_time: '2026-11-10T11:59:59.999999Z',
      });
      for (const by of ['time', 'event']) {
        const refused = await server.post(`/events/count-by/${by}`, { filter: asked, time_unit: 'second' });
        assert.equal(refused.status, 422);
        assert.match(refused.body.detail, /^The given interval would create 197633 buckets/);
      }
    });

    test('a count by an unknown field is refused', async () => {
      const answer = await server.post('/events/count-by/moon', { filter: {} });
      assert.equal(answer.status, 422);
      assert.deepEqual(answer.body.exception_detail, [
        {
          type: 'enum',
          loc: ['path', 'countable'],
          msg: "Input should be 'day', 'time', 'event' or 'resource'",
          input: 'moon',
          ctx: { expected: "'day', 'time', 'event' or 'resource'" },
        },
      ]);
      assert.equal((await server.post('/events/count-by/event', {})).status, 422);
    });

    test('GET on the collection lists the newest', async () => {
      const event = clientEvent();
      await server.post('/events', [event]);
      const { body } = await server.get('/events?limit=1');
      assert.equal(body.length, 1);
      assert.equal(body[0].id, event.id);
    });
  });
}
