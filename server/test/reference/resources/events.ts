import { maybeSpoiled } from '../generate/list-routes.ts';
import { http, type Resource, request } from '../generate/resource.ts';
import { spoil } from '../generate/spoil.ts';
import type { HttpStep, RowOrder } from '../generate/step.ts';
import { type Handle, isObject, path, Ref, type Symbolic, type SymbolicObject, Verbatim } from '../generate/symbols.ts';
import type { World } from '../generate/world.ts';
import { isParsedObject, type Parsed, printJson } from '../wire/json-text.ts';

const POPULATION = 12;
const ROLES = ['flow', 'tag', 'worker'] as const;

/**
 * Events of clients and of the server. An event that a client sends has the mark of the run in its name; a request for
 * events of the server names their object.
 */
export const events: Resource = {
  name: 'events',
  *populate(world) {
    for (let i = 0; i < POPULATION; i += 1) yield post(world);
  },
  actions: [
    request('POST /events', 2, (world) => maybeSpoiled(world, post(world), 0.3)),
    {
      routes: ['POST /events/filter', 'GET /events/filter/next'],
      weight: 4,
      *steps(world) {
        const before = world.alive('event_page').at(-1);
        yield filterStep(world, maybeSpoiledFilter(world, clientFilter(world), 0.2));
        const page = world.alive('event_page').at(-1);
        // At once: an event between two pages moves the second on the reference, which counts from the start.
        if (page && page !== before && world.random.chance(0.4)) yield nextPage(world, page);
      },
    },
    request('POST /events/filter', 2, (world) => filterStep(world, emittedFilter(world))),
    request('GET /events/filter/next', 0.3, (world) =>
      http('GET /events/filter/next', path`/events/filter/next`, {
        query: world.random.pick<SymbolicObject>([{ 'page-token': 'not-a-token' }, { 'page-token': '' }, {}]),
      }),
    ),
    request('POST /events/count-by/{countable}', 3, (world) => {
      const { random } = world;
      const countable = random.pick(['day', 'time', 'event', 'resource', 'resource', 'event', 'nonsense']);
      const body = {
        filter: maybeSpoiledFilter(world, clientFilter(world), 0.15),
        ...world.optional({ time_unit: () => random.pick(['week', 'day', 'hour', 'minute', 'second']) }, 0.5),
        ...world.optional(
          { time_interval: () => random.pick<Symbolic>([1, 2, 0.5, 6, 0.001, new Verbatim('1.0')]) },
          0.4,
        ),
      };
      const route = 'POST /events/count-by/{countable}';
      // Most frequent first; then by label.
      const rows: RowOrder | undefined = ['event', 'resource'].includes(countable)
        ? { key: ({ count, label }) => printJson([count ?? null, label ?? null]) }
        : undefined;
      return http(route, path`/events/count-by/${countable}`, { body, settle: true, ...(rows ? { rows } : {}) });
    }),
  ],
};

function post(world: World): HttpStep {
  const body = Array.from({ length: world.random.int(1, 4) }, () => event(world));
  return http('POST /events', path`/events`, { body });
}

function event(world: World): SymbolicObject {
  const { random } = world;
  const related = (): SymbolicObject => ({
    'prefect.resource.id': `${world.mark}.rel.${random.pick(['1', '2', '3'])}`,
    'prefect.resource.role': random.pick(ROLES),
    ...world.optional({ 'prefect.resource.name': () => 'Rel', env: () => random.pick(['prod', 'dev']) }, 0.4),
  });
  return {
    id: random.uuid(),
    occurred: world.past(),
    event: `${world.mark}.${random.pick(['start', 'stop', 'stop.hard', 'ünï'])}`,
    resource: {
      'prefect.resource.id': `${world.mark}.res.${random.pick(['a', 'b', 'c', 'ab'])}`,
      ...world.optional(
        { 'prefect.resource.name': () => 'Name 1', env: () => random.pick(['prod', 'dev', '']), zone: () => 'eu-1' },
        0.5,
      ),
    },
    ...world.optional(
      {
        related: () => Array.from({ length: random.int(0, 2) }, related),
        payload: () => world.jsonObject(),
        follows: () => random.uuid(),
      },
      0.5,
    ),
  };
}

/** A filter over this run's own events. */
function clientFilter(world: World): SymbolicObject {
  const { random, mark } = world;
  const labels = (): Symbolic =>
    random.pick<Symbolic>([
      { env: 'prod' },
      { env: ['prod', 'dev'] },
      { env: '!prod' },
      { env: 'p*' },
      { env: '?ev', zone: 'eu-1' },
      { env: [] },
      { absent: '*' },
      { 'prefect.resource.name': ['Name*', 'Rel'] },
    ]);
  const resource = (): SymbolicObject =>
    random.pick<SymbolicObject>([
      { id: [`${mark}.res.a`] },
      { id: [`${mark}.res.a`, `${mark}.res.b`] },
      { id: [] },
      { id_prefix: [`${mark}.res.a`] },
      { id_prefix: [`${mark}.`] },
      { labels: labels() },
      { id_prefix: [`${mark}.res`], labels: labels() },
    ]);
  const related = (): SymbolicObject =>
    random.pick<SymbolicObject>([
      { id: [`${mark}.rel.1`] },
      { role: ['flow'] },
      { role: ['flow', 'tag'], id: [`${mark}.rel.1`, `${mark}.rel.2`] },
      { resources_in_roles: [[`${mark}.rel.1`, 'tag']] },
      { labels: labels() },
      {},
    ]);
  const oneOrMore = (draw: () => SymbolicObject): Symbolic => (random.chance(0.7) ? draw() : [draw(), draw()]);
  return {
    occurred: world.optional(
      {
        since: () => world.hoursAway(random.pick([-72, -48, -24])),
        until: () => world.hoursAway(random.pick([-30, -3])),
      },
      0.9,
    ),
    event: {
      prefix: [`${mark}.`],
      ...world.optional(
        {
          exclude_prefix: () => [`${mark}.stop`],
          name: () => random.pick([[`${mark}.start`], [`${mark}.start`, `${mark}.stop`], []]),
          exclude_name: () => [`${mark}.stop`],
        },
        0.15,
      ),
    },
    ...world.optional(
      {
        resource: () => ({ ...resource(), ...world.optional({ distinct: () => random.chance(0.6) }, 0.3) }),
        related: () => oneOrMore(related),
        any_resource: () => oneOrMore(resource),
        id: () => ({ id: random.pick<Symbolic[]>([[], [random.uuid()]]) }),
      },
      0.25,
    ),
    ...world.optional({ order: () => random.pick(['ASC', 'DESC']) }, 0.5),
  };
}

/** The events that the server itself emitted about an object. */
function emittedFilter(world: World): SymbolicObject {
  const kind = world.random.pick(['flow', 'flow_run', 'flow_run', 'deployment', 'variable', 'work_pool', 'artifact']);
  const resource = world.resource(kind, world.id(kind));
  return { any_resource: { id: [resource] }, order: 'ASC' };
}

/**
 * Spoils a filter and limits it to this run's own events: the reference emits its own event twice when a request was
 * repeated, so the total of all events cannot be compared.
 */
function maybeSpoiledFilter(world: World, filter: SymbolicObject, probability: number): Symbolic {
  if (!world.random.chance(probability)) return filter;
  const { event, ...rest } = filter;
  const keepScope = (odd: Symbolic, scope: SymbolicObject): Symbolic =>
    isObject(odd) ? { ...odd, ...scope } : (odd ?? 'null would ask for all');
  if (world.random.chance(0.7)) return keepScope(spoil(world, rest)[0], { event: event as Symbolic });
  const { prefix, ...others } = event as SymbolicObject;
  return { ...rest, event: keepScope(spoil(world, others)[0], { prefix: prefix as Symbolic }) };
}

function filterStep(world: World, filter: Symbolic): HttpStep {
  const { random } = world;
  const body: SymbolicObject = {
    filter,
    ...world.optional({ limit: () => random.pick([0, 1, 2, 5, 50, 51, -1]) }, 0.5),
  };
  return http('POST /events/filter', path`/events/filter`, {
    body,
    rows: { key: (row) => String(row.occurred), limit: typeof body.limit === 'number' ? body.limit : 50 },
    settle: true,
    learn: ({ reference, ours }) => learnPage(world, reference, ours),
  });
}

function nextPage(world: World, page: Handle): HttpStep {
  return http('GET /events/filter/next', path`/events/filter/next`, {
    query: { 'page-token': new Ref(page, 'token') },
    rows: { key: (row) => String(row.occurred), limit: 1, skipped: true },
    settle: true,
    learn: ({ reference, ours }) => learnPage(world, reference, ours),
  });
}

function learnPage(world: World, reference: Parsed, ours: Parsed): void {
  const [tokenOfReference, tokenOfOurs] = [tokenIn(reference), tokenIn(ours)];
  if (tokenOfReference && tokenOfOurs)
    world.addValues('event_page', { token: tokenOfReference }, { token: tokenOfOurs });
}

function tokenIn(page: Parsed): string | null {
  if (!isParsedObject(page) || typeof page.next_page !== 'string' || !URL.canParse(page.next_page)) return null;
  return new URL(page.next_page).searchParams.get('page-token');
}
