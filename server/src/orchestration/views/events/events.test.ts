import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { clientEvent, related } from '../../../../test/support/events.ts';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';

interface Condition {
  readonly field: string;
  readonly not?: boolean;
  readonly values: readonly unknown[];
}

for (const database of databases) {
  describe(`the list of events on ${database}`, () => {
    let server: TestServer;
    const since = '2026-11-20T00:00:00Z';
    const until = '2026-11-21T00:00:00Z';

    before(async () => {
      server = await startServer({ database });
      const made = [
        ['order.placed', 'order.1', [related('shop.1', 'shop')]],
        ['order.paid', 'order.1', [related('shop.1', 'shop'), related('bank.7', 'bank')]],
        ['prefect.task-run.Completed', 'prefect.task-run.a', [related('prefect.flow-run.b', 'flow-run')]],
        ['=formula', 'order.2', []],
      ] as const;
      const events = made.map(([event, id, relations], hour) => ({
        ...clientEvent({ event, related: [...relations] }),
        resource: { 'prefect.resource.id': id, 'prefect.resource.name': `Name of ${id}` },
        occurred: `2026-11-20T0${hour}:00:00Z`,
      }));
      assert.equal((await server.post('/events', events)).status, 204);
    });
    after(() => server.stop());

    const list = (body: object) => server.post('/views/events', { since, until, ...body });
    const names = async (...where: Condition[]) => {
      const { body, status } = await list({ where, interval_seconds: 3600 });
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.count, body.events.length);
      const counted = body.history.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
      assert.equal(counted, body.count);
      return body.events.map(({ event }: { event: string }) => event);
    };

    test('each field selects, and excludes with not', async () => {
      const [formula, task, paid, placed] = ['=formula', 'prefect.task-run.Completed', 'order.paid', 'order.placed'];
      assert.deepEqual(await names(), [formula, task, paid, placed]);
      assert.deepEqual(await names({ field: 'event', values: [placed] }), [placed]);
      assert.deepEqual(await names({ field: 'event', values: ['order.*', formula] }), [formula, paid, placed]);
      assert.deepEqual(await names({ field: 'event', not: true, values: ['order.*'] }), [formula, task]);
      assert.deepEqual(await names({ field: 'task_runs', values: ['NO'] }), [formula, paid, placed]);
      assert.deepEqual(await names({ field: 'task_runs', values: ['yes'] }), [task]);
      assert.deepEqual(await names({ field: 'resource', values: ['order.1'] }), [paid, placed]);
      assert.deepEqual(await names({ field: 'related', values: ['bank.7'] }), [paid]);
      assert.deepEqual(await names({ field: 'related', values: ['shop.*'] }), [paid, placed]);
      assert.deepEqual(await names({ field: 'related', not: true, values: ['bank.7'] }), [formula, task, placed]);
      const both = [
        { field: 'related', values: ['shop.1'] },
        { field: 'event', not: true, values: ['order.paid'] },
      ];
      assert.deepEqual(await names(...both), [placed]);
    });

    test('pages follow each other', async () => {
      const seen = [];
      for (let next = null, pages = 0; pages < 5; pages++) {
        const { body } = await list({ limit: 1, after: next, where: [{ field: 'resource', values: ['order.*'] }] });
        seen.push(...body.events.map(({ event }: { event: string }) => event));
        next = body.next;
        if (next === null) break;
      }
      assert.deepEqual(seen, ['=formula', 'order.paid', 'order.placed']);
    });

    test('values are counted under the conditions on other fields', async () => {
      const values = async (body: object) => {
        const answer = await server.post('/views/events/values', { since, until, ...body });
        return answer.body.values;
      };
      const where = [{ field: 'resource', values: ['order.1'] }];
      assert.deepEqual(await values({ field: 'resource', where, text: 'order' }), [
        { value: 'order.1', label: 'Name of order.1', count: 2 },
        { value: 'order.2', label: 'Name of order.2', count: 1 },
      ]);
      assert.deepEqual(await values({ field: 'event', where, text: 'PAID' }), [
        { value: 'order.paid', label: 'order.paid', count: 1 },
      ]);
      assert.deepEqual(
        (await values({ field: 'related', where })).map(({ value, count }: Record<string, unknown>) => [value, count]),
        [
          ['shop.1', 2],
          ['bank.7', 1],
        ],
      );
      assert.deepEqual(await values({ field: 'task_runs', limit: 1 }), [{ value: 'no', label: 'no', count: 3 }]);
    });

    test('the export has the same events, and no formula', async () => {
      const where = [{ field: 'task_runs', values: ['no'] }];
      const lines = (await server.post('/views/events/export?format=ndjson', { since, until, where })).text;
      const events = lines
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.deepEqual(
        events.map(({ event }) => event),
        ['=formula', 'order.paid', 'order.placed'],
      );
      assert.equal(events[2].resource['prefect.resource.id'], 'order.1');
      const csv = (await server.post('/views/events/export', { since, until })).text;
      assert.ok(csv.startsWith('id,occurred,received,event,'));
      assert.ok(csv.includes(",'=formula,"), csv);
    });

    test('a condition that is not one is refused, and named', async () => {
      const loc = async (...where: unknown[]) => {
        const { status, body } = await list({ where });
        assert.equal(status, 422, JSON.stringify(body));
        return body.exception_detail[0].loc.join('.');
      };
      assert.match(await loc({ field: 'secret', values: ['a'] }), /where\.0\.field/);
      assert.match(
        await loc({ field: 'event', values: ['a'] }, { field: 'task_runs', values: ['a'] }),
        /where\.1\.values/,
      );
      assert.match(await loc({ field: 'event', values: Array(51).fill('a') }), /where\.0\.values/);
      assert.match(await loc({ field: 'event', values: ['a'.repeat(301)] }), /where\.0\.values/);
      assert.match(await loc({ field: 'event', values: ['a\u0000'] }), /where\.0\.values/);
    });

    test('the largest filter is answered', async () => {
      const values = Array.from({ length: 50 }, (_, index) => `${index}${'%_'.repeat(100)}*`);
      const fields = ['event', 'resource', 'related'];
      const where = Array.from({ length: 20 }, (_, index) => ({ field: fields[index % 3], not: index > 2, values }));
      assert.equal((await list({ where, interval_seconds: 3600 })).status, 200);
    });
  });
}
