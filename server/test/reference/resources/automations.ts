import { type FilterShape, idCriterion, namesOf, tagCriterion } from '../generate/filters.ts';
import { by, byName, type ListRoutes, listActions, listSweep, maybeSpoiled } from '../generate/list-routes.ts';
import { http, type Resource, request } from '../generate/resource.ts';
import type { HttpStep } from '../generate/step.ts';
import { Joined, path, Ref, type Symbolic, type SymbolicObject } from '../generate/symbols.ts';
import type { World } from '../generate/world.ts';

const POPULATION = 12;
const EVENTS = ['prefect.flow-run.Completed', 'prefect.flow-run.*', 'some.event', ''] as const;

const automationFilter: FilterShape = {
  combines: true,
  criteria: {
    id: idCriterion('automation'),
    name: { operators: { any_: namesOf('automation') } },
    created: { operators: { before_: (world) => world.time() } },
    tags: tagCriterion('any_'),
  },
};

const lists: ListRoutes = {
  base: '/automations',
  routes: ['filter', 'count'],
  own: 'automations',
  filters: { automations: automationFilter },
  sorts: { NAME_ASC: byName, NAME_DESC: byName, CREATED_DESC: by('created'), UPDATED_DESC: by('updated') },
  weight: 2,
};

/** Automations as stored; nothing fires, because the services that watch are off. */
export const automations: Resource = {
  name: 'automations',
  *populate(world) {
    for (let i = 0; i < POPULATION; i += 1) yield create(world);
  },
  sweep: (world) => listSweep(world, lists),
  actions: [
    request('POST /automations/', 2, (world) => maybeSpoiled(world, create(world), 0.4)),
    request('GET /automations/{id}', 1, (world) => read(world.id('automation'))),
    {
      routes: ['PUT /automations/{id}', 'GET /automations/{id}'],
      weight: 1.2,
      *steps(world) {
        const id = world.id('automation');
        yield maybeSpoiled(
          world,
          http('PUT /automations/{id}', path`/automations/${id}`, { body: automation(world) }),
          0.35,
        );
        yield read(id);
      },
    },
    {
      routes: ['PATCH /automations/{id}', 'GET /automations/{id}'],
      weight: 0.8,
      *steps(world) {
        const id = world.id('automation');
        const body = world.optional({ enabled: () => world.random.chance(0.5) }, 0.8);
        yield maybeSpoiled(world, http('PATCH /automations/{id}', path`/automations/${id}`, { body }));
        yield read(id);
      },
    },
    {
      routes: ['POST /automations/', 'PATCH /automations/{id}', 'GET /automations/{id}'],
      weight: 0.3,
      *steps(world) {
        let id: Symbolic = world.random.uuid();
        const learn: HttpStep['learn'] = (bodies) => {
          const handle = world.add('automation', bodies);
          if (handle) id = new Ref(handle);
        };
        yield http('POST /automations/', path`/automations/`, { body: startsItself(world), learn });
        const body = world.optional({ enabled: () => world.random.chance(0.7) }, 0.8);
        yield http('PATCH /automations/{id}', path`/automations/${id}`, { body });
        yield read(id);
      },
    },
    {
      routes: ['DELETE /automations/{id}', 'GET /automations/{id}'],
      weight: 0.4,
      *steps(world) {
        const handle = world.some('automation');
        const id = handle ? new Ref(handle) : world.random.uuid();
        yield http('DELETE /automations/{id}', path`/automations/${id}`, { learn: () => handle?.die() });
        yield read(id);
      },
    },
    request('GET /automations/related-to/{resource_id}', 0.7, (world) =>
      http('GET /automations/related-to/{resource_id}', path`/automations/related-to/${resource(world)}`, { rows: {} }),
    ),
    {
      routes: ['DELETE /automations/owned-by/{resource_id}', 'POST /automations/count'],
      weight: 0.2,
      *steps(world) {
        const owner = new Joined('prefect.deployment.', world.random.uuid());
        const body = { ...automation(world), owner_resource: owner };
        yield http('POST /automations/', path`/automations/`, { body });
        const route = 'DELETE /automations/owned-by/{resource_id}';
        yield http(route, path`/automations/owned-by/${world.random.chance(0.8) ? owner : resource(world)}`);
        yield http('POST /automations/count', path`/automations/count`, { body: {} });
      },
    },
    {
      routes: ['POST /automations/templates/validate', 'POST /templates/validate'],
      weight: 0.5,
      *steps(world) {
        const text = world.random.pick([
          'Hello {{ flow.name }}',
          '{{ broken',
          '{% for x in y %}{{ x }}{% endfor %}',
          '',
          '{{ a.b.c | upper }}',
          '{% if x %}',
          '{{ x | no_such_filter }}',
        ]);
        const base = world.random.pick(['/automations/templates/validate', '/templates/validate']);
        yield http(`POST ${base}`, { literals: [base], values: [] }, { body: text });
      },
    },
    ...listActions(lists),
  ],
};

function create(world: World): HttpStep {
  return http('POST /automations/', path`/automations/`, {
    body: automation(world),
    learn: (bodies) => void world.add('automation', bodies),
  });
}

function read(id: Symbolic): HttpStep {
  return http('GET /automations/{id}', path`/automations/${id}`);
}

/** The subjects of an automation. Its deployments are counted as related whether or not they exist. */
function resource(world: World): Symbolic {
  return world.resource('deployment', world.id('deployment'));
}

function automation(world: World): SymbolicObject {
  const { random } = world;
  return {
    name: random.chance(0.97) ? world.name('automation') : '',
    trigger: trigger(world, 0),
    actions: Array.from({ length: random.pick([0, 1, 1, 2]) }, () => action(world)),
    ...world.optional({
      description: () => random.pick(['What it does', '']),
      enabled: () => random.chance(0.5),
      tags: () => world.tags(),
      actions_on_trigger: () => [action(world)],
      actions_on_resolve: () => [action(world)],
    }),
  };
}

/** One whose runs may fire it again; it is accepted while it is off. */
function startsItself(world: World): SymbolicObject {
  const { random } = world;
  const event = eventTrigger(world);
  const selected = { source: 'selected', deployment_id: world.id('deployment') };
  return {
    ...automation(world),
    enabled: random.chance(0.2),
    trigger: { ...event, expect: [random.pick(['prefect.flow-run.Running', 'prefect.flow-run.*'])] },
    actions: random
      .sample<SymbolicObject>([selected, selected, { source: 'inferred' }], random.int(1, 2))
      .map((about) => ({ type: 'run-deployment', ...about })),
  };
}

function trigger(world: World, depth: number): SymbolicObject {
  const { random } = world;
  const kind = depth > 1 ? 'event' : random.pick(['event', 'event', 'event', 'event', 'compound', 'sequence']);
  if (kind === 'event') return eventTrigger(world);
  const triggers = Array.from({ length: random.pick([1, 2, 2, 3, 0]) }, () => trigger(world, depth + 1));
  return {
    type: kind,
    triggers,
    within: random.pick<Symbolic>([60, 0, 'PT1H', null, -1, 15.5]),
    ...(kind === 'compound' ? { require: random.pick<Symbolic>(['any', 'all', 1, 2, 0, 5]) } : {}),
  };
}

function eventTrigger(world: World): SymbolicObject {
  const { random } = world;
  const match = (): SymbolicObject =>
    random.pick<SymbolicObject>([
      { 'prefect.resource.id': 'prefect.flow-run.*' },
      { 'prefect.resource.id': world.resource('deployment', world.id('deployment')) },
      { 'prefect.resource.id': ['a', '!b'], env: 'prod' },
      { 'prefect.resource.id': ['a', 'prefect.flow-run.*'] },
      {},
    ]);
  return {
    ...world.optional({ type: () => 'event' }, 0.9),
    posture: random.pick(['Reactive', 'Reactive', 'Reactive', 'Proactive']),
    ...world.optional(
      {
        match,
        match_related: () => (random.chance(0.3) ? [match(), match()].slice(random.int(0, 2)) : match()),
        expect: () => random.sample(EVENTS, random.int(0, 2)),
        after: () => random.sample(EVENTS, random.int(0, 2)),
        for_each: () => random.sample(['prefect.resource.id', 'related:flow:prefect.resource.id'], random.int(0, 2)),
        threshold: () => random.pick([1, 5, 0, -1]),
        within: () => random.pick<Symbolic>([0, 10, 30, 5, 'PT10M', -1, '1:00:00']),
      },
      0.5,
    ),
  };
}

function action(world: World): SymbolicObject {
  const { random } = world;
  const source = random.pick(['selected', 'inferred']);
  const about = (kind: string): SymbolicObject => ({
    source,
    ...((source === 'selected') === random.chance(0.92) ? { [`${kind}_id`]: world.id(kind) } : {}),
  });
  const kinds: readonly (() => SymbolicObject)[] = [
    () => ({ type: 'do-nothing' }),
    () => ({
      type: 'run-deployment',
      ...about('deployment'),
      ...world.optional({
        parameters: () =>
          random.pick<Symbolic>([{ x: 1 }, { y: '{{ event.id }}' }, { y: '{{ broken' }, null, world.jsonObject()]),
        job_variables: () => random.pick<Symbolic>([{ env: { A: '1' } }, null]),
        schedule_after: () => random.pick<Symbolic>([0, 60, 'PT5M', -1]),
      }),
    }),
    () => ({ type: random.pick(['pause-deployment', 'resume-deployment']), ...about('deployment') }),
    () => ({ type: random.pick(['cancel-flow-run', 'suspend-flow-run', 'resume-flow-run', 'delete-flow-run']) }),
    () => ({
      type: 'change-flow-run-state',
      state: random.pick(['FAILED', 'COMPLETED', 'NOTHING']),
      ...world.optional({ name: () => 'Named', message: () => random.pick(['why', null]), force: () => true }),
    }),
    () => ({ type: random.pick(['pause-work-pool', 'resume-work-pool']), ...about('work_pool') }),
    () => ({ type: random.pick(['pause-work-queue', 'resume-work-queue']), ...about('work_queue') }),
    () => ({ type: random.pick(['pause-automation', 'resume-automation']), ...about('automation') }),
    () => ({
      type: 'send-notification',
      block_document_id: world.id('block_document'),
      body: random.pick(['Text {{ flow.name }}', '{{ broken', 'plain']),
      ...world.optional({ subject: () => random.pick(['Subject', '{% nothing %}']) }),
    }),
    () => ({
      type: 'call-webhook',
      block_document_id: world.id('block_document'),
      ...world.optional({ payload: () => random.pick<Symbolic>(['{{ event.id }}', { a: '{{ b }}' }, '']) }, 0.7),
    }),
  ];
  return random.pick(kinds)();
}
