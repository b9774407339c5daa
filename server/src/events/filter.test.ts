/** The database and the live streams get the same filters and must give the same answers. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
// biome-ignore lint/correctness/noUndeclaredDependencies: a tool of the whole repository, declared at its root
import fc from 'fast-check';
import { clientEvent, related } from '../../test/support/events.ts';
import { databases, startServer, type TestServer } from '../../test/support/server.ts';
import type { StoredEvent } from '../changes/hub.ts';
import { WorkAllowance } from '../fairness/foreign-work/allowance.ts';
import { compileDecoder } from '../schema/decode.ts';
import { MAX_LIST_VALUES, MAX_PREFIXES, MAX_SEARCHES } from '../schema/value-list.ts';
import type { JsonText } from '../values/json.ts';
import { criteriaOf } from './criteria.ts';
import { compileLiveFilter, LiveEvent } from './live-filter.ts';
import { countEvents, listEvents } from './queries.ts';
import { receiveEvent } from './received-event.ts';
import { EventFilter } from './schema.ts';

const decode = compileDecoder(EventFilter, 'body');

const names = ['run.started', 'run.stopped', 'run.stopped.hard', 'door_opened', 'door.opened', 'ünï'];
const ids = ['a.1', 'a.2', 'a.10', 'b.1', 'b_1', 'B.1', 'ä.1'];
const roles = ['flow', 'tag', 'Flow'];
const labelNames = ['env', 'zone', 'prefect.resource.name', '$', '1', 'with"quote', 'back\\slash', 'a.b'];
const labelValues = ['prod', 'Prod', 'dev', '', 'a*b', '50%', 'x_y', '!bang', '?', 'ünï', 'line\nbreak', '[a]'];
const patterns = [
  ...labelValues,
  ...['*', '?', '??', 'p*', '*d', '!prod', '!*', '!', 'p?od', '*_*', '*%*', '\\', '*\n*', 'a\\*b', '[a-z]', 'P*D'],
];

const labels = fc.dictionary(fc.constantFrom(...labelNames), fc.constantFrom(...labelValues), { maxKeys: 3 });

const event = fc.record({
  event: fc.constantFrom(...names),
  id: fc.constantFrom(...ids),
  labels,
  related: fc.array(fc.record({ id: fc.constantFrom(...ids), role: fc.constantFrom(...roles), labels }), {
    maxLength: 3,
  }),
  payload: fc.constantFrom({}, { text: 'Hello World' }, { text: 'say "hi"', deep: { list: [1, 'boom'] } }),
  minute: fc.integer({ min: 0, max: 59 }),
});

const some = <T>(values: readonly T[]) => fc.array(fc.constantFrom(...values), { maxLength: 3 });
const often = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const specification = fc.dictionary(
  fc.constantFrom(...labelNames, 'prefect.resource.id', 'prefect.resource.role'),
  fc.oneof(fc.constantFrom(...patterns, ...ids), some(patterns)),
  { maxKeys: 2 },
);
const prefixes = ['', 'a', 'a.', 'a.1', 'b', 'b_', 'run.', 'run.stopped', 'door', 'ü', 'B'];
const minutes = fc.integer({ min: 0, max: 59 }).map((minute) => timeAt(minute));

const resourceFilter = fc.record({
  id: often(some(ids)),
  id_prefix: often(some(prefixes)),
  labels: often(specification),
});
const relatedFilter = fc.record({
  id: often(some(ids)),
  role: often(some(roles)),
  resources_in_roles: often(fc.array(fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...roles)), { maxLength: 2 })),
  labels: often(specification),
});

const filter = fc.record({
  occurred: fc.record({ since: minutes, until: minutes }),
  event: often(
    fc.record({
      prefix: often(some(prefixes)),
      exclude_prefix: often(some(prefixes)),
      name: often(some(names)),
      exclude_name: often(some(names)),
    }),
  ),
  resource: often(resourceFilter),
  related: often(fc.oneof(relatedFilter, fc.array(relatedFilter, { maxLength: 2 }))),
  any_resource: often(fc.oneof(resourceFilter, fc.array(resourceFilter, { maxLength: 2 }))),
  text: often(
    fc.constantFrom('hello', '"hello world"', 'boom -hello', '+prod +a.1', '!flow', '%', '_', '').map(textQuery),
  ),
  order: fc.constantFrom('ASC', 'DESC'),
});

function timeAt(minute: number): string {
  return `2026-11-20T10:${String(minute).padStart(2, '0')}:00.000000Z`;
}

function textQuery(query: string) {
  return { query };
}

for (const database of databases) {
  describe(`filters of events on ${database}`, () => {
    let server: TestServer;
    let stored: StoredEvent[];
    before(async () => {
      server = await startServer({ database });
      const { workspace, server: parts } = server.context();
      const incoming = fc.sample(event, { numRuns: 250, seed: 7 }).map((drawn) =>
        receiveEvent(workspace, parts.clock.now(), {
          ...clientEvent({
            event: drawn.event,
            occurred: timeAt(drawn.minute),
            resource: { ...drawn.labels, 'prefect.resource.id': drawn.id },
            related: drawn.related.map(({ id, role, labels: more }) => related(id, role, more)),
          }),
          occurred: timeAt(drawn.minute) as StoredEvent['occurred'],
          payload: JSON.stringify(drawn.payload) as JsonText,
        }),
      );
      stored = incoming.map(({ row }) => row);
      await parts.intake.write(workspace, incoming);
    });
    after(() => server.stop());

    test('a filter finds in the database exactly the events that it passes live, in order and counted', async () => {
      const { db, now } = server.context();
      let meaningful = 0;
      const property = fc.asyncProperty(filter, async (drawn) => {
        const decoded = decode(drawn);
        assert.ok(decoded.ok);
        const criteria = criteriaOf(decoded.value, now);
        const isLive = compileLiveFilter(criteria);
        const expected = stored.filter((row) => isLive(new LiveEvent(row), new WorkAllowance())).map(({ id }) => id);
        const found = await listEvents(db, criteria, 1000);
        if (found.length > 0 && found.length < stored.length) meaningful++;
        assert.deepEqual(found.map(({ id }) => id).sort(), expected.sort());
        assert.equal(await countEvents(db, criteria), expected.length);
        const times = found.map(({ occurred }) => occurred);
        assert.deepEqual(times, criteria.order === 'ASC' ? times.toSorted() : times.toSorted().reverse());
      });
      await fc.assert(property, { numRuns: 400, seed: 11 });
      assert.ok(meaningful > 80, `only ${meaningful} filters selected some events but not all`);
    });

    test('pages of any size add up to the whole list, each event once', async () => {
      const { db, now } = server.context();
      for (const order of ['ASC', 'DESC'] as const) {
        const criteria = criteriaOf({ order, event: { prefix: ['run.'] } }, now);
        const whole = (await listEvents(db, criteria, 1000)).map(({ id }) => id);
        const paged: string[] = [];
        for (let page = await listEvents(db, criteria, 7); page.length > 0; ) {
          paged.push(...page.map(({ id }) => id));
          page = await listEvents(db, criteria, 7, page.at(-1));
        }
        assert.deepEqual(paged, whole);
      }
    });

    test('distinct keeps one event per resource, the first in the requested order', async () => {
      const { db, now } = server.context();
      const criteria = criteriaOf({ order: 'ASC', resource: { distinct: true, id_prefix: ['a.'] } }, now);
      const found = await listEvents(db, criteria, 1000);
      const first = new Map<string, string>();
      for (const { resource_id, occurred } of stored) {
        if (resource_id.startsWith('a.') && !((first.get(resource_id) ?? '9') < occurred))
          first.set(resource_id, occurred);
      }
      assert.deepEqual(new Map(found.map(({ resource_id, occurred }) => [resource_id, occurred])), first);
      assert.equal(await countEvents(db, criteria), first.size);
    });

    test('a filter up to the documented size is answered, and a larger one is refused by the name of its field', async () => {
      const long = Array.from({ length: MAX_LIST_VALUES }, (_, index) => `a.${index}`);
      const prefixes = long.slice(0, MAX_PREFIXES);
      const searches = Array.from({ length: MAX_SEARCHES }, () => ({ id: long.slice(0, 100), role: ['flow'] }));
      const big = {
        any_resource: { id: long, id_prefix: prefixes },
        event: { prefix: prefixes, exclude_name: long },
        related: searches,
      };
      assert.equal((await server.post('/events/filter', { filter: big })).status, 200);
      const pairs = { resources_in_roles: long.map((id) => [id, 'flow']) };
      assert.equal((await server.post('/events/filter', { filter: { related: pairs } })).status, 200);
      const many = await server.post('/events/filter', { filter: { related: [...searches, { role: ['flow'] }] } });
      assert.equal(many.status, 422);
      assert.deepEqual(many.body.exception_detail[0].loc.slice(0, 3), ['body', 'filter', 'related']);
      const wide = {
        resource: { labels: { env: ['*'.repeat(60_000), `${'x'.repeat(60_000)}*`, 'y'.repeat(60_000)] } },
      };
      assert.equal((await server.post('/events/filter', { filter: wide })).status, 200);
    });
  });
}
