import { type FilterShape, flag, idCriterion, idsOf, oneOf, pieceOf } from '../generate/filters.ts';
import { by, byId, type ListRoutes, listActions, listSweep, maybeSpoiled } from '../generate/list-routes.ts';
import { http, type Resource, request } from '../generate/resource.ts';
import type { HttpStep } from '../generate/step.ts';
import { path, Ref, type Symbolic, type SymbolicObject } from '../generate/symbols.ts';
import type { World } from '../generate/world.ts';
import { flowFilter } from './flows.ts';
import { deploymentFilter, flowRunFilter, taskRunFilter } from './run-filters.ts';

const POPULATION = 40;
const KEYS = ['report-1', 'report-2', 'table-1', 'progress-1'] as const;
const TYPES = ['markdown', 'table', 'link', 'image', 'progress', 'result', 'unknown'] as const;

const criteria: FilterShape['criteria'] = {
  key: { operators: { any_: oneOf(...KEYS, 'none'), like_: pieceOf('artifact', 'key'), exists_: flag } },
  flow_run_id: { operators: { any_: idsOf('flow_run') } },
  task_run_id: { operators: { any_: idsOf('task_run') } },
  type: { operators: { any_: oneOf(...TYPES), not_any_: oneOf(...TYPES) } },
};
const artifactFilter: FilterShape = { combines: true, criteria: { id: idCriterion('artifact'), ...criteria } };
const latestFilter: FilterShape = { combines: true, criteria: { latest_id: idCriterion('artifact'), ...criteria } };

const related = {
  flow_runs: flowRunFilter,
  task_runs: taskRunFilter,
  flows: flowFilter,
  deployments: deploymentFilter,
};
const sorts = {
  ID_DESC: byId,
  CREATED_DESC: by('created'),
  UPDATED_DESC: by('updated'),
  KEY_DESC: by('key'),
  KEY_ASC: by('key'),
};

const lists: ListRoutes = {
  base: '/artifacts',
  routes: ['filter', 'count'],
  own: 'artifacts',
  filters: { artifacts: artifactFilter, ...related },
  sorts,
  weight: 3,
};
const latestLists: ListRoutes = {
  ...lists,
  base: '/artifacts/latest',
  filters: { artifacts: latestFilter, ...related },
  weight: 2,
};

export const artifacts: Resource = {
  name: 'artifacts',
  *populate(world) {
    for (let i = 0; i < POPULATION; i += 1) yield create(world);
  },
  sweep: (world) => [...listSweep(world, lists), ...listSweep(world, latestLists)],
  actions: [
    request('POST /artifacts/', 2, (world) => maybeSpoiled(world, create(world))),
    request('GET /artifacts/{id}', 1.5, (world) => read(world.id('artifact'))),
    request('GET /artifacts/{key}/latest', 1.5, (world) =>
      latest(world.random.pick([...KEYS, 'none', 'Bad Key', 'ünï', '..'])),
    ),
    {
      routes: ['PATCH /artifacts/{id}', 'GET /artifacts/{id}', 'GET /artifacts/{key}/latest'],
      weight: 1.5,
      *steps(world) {
        const handle = world.some('artifact');
        const id = handle && world.random.chance(0.9) ? new Ref(handle) : world.id('artifact');
        const { key: _, type: __, ...body } = content(world, 0.5);
        yield maybeSpoiled(world, http('PATCH /artifacts/{id}', path`/artifacts/${id}`, { body }));
        yield read(id);
        yield latest(handle?.facts.key ?? 'none');
      },
    },
    {
      routes: ['DELETE /artifacts/{id}', 'GET /artifacts/{id}', 'GET /artifacts/{key}/latest'],
      weight: 0.7,
      *steps(world) {
        const handle = world.some('artifact');
        const id = handle ? new Ref(handle) : world.random.uuid();
        yield http('DELETE /artifacts/{id}', path`/artifacts/${id}`, { learn: () => handle?.die() });
        yield read(id);
        yield latest(handle?.facts.key ?? 'none');
      },
    },
    ...listActions(lists),
    ...listActions(latestLists),
  ],
};

function create(world: World): HttpStep {
  const { random } = world;
  const body: SymbolicObject = {
    ...world.optional(
      { key: () => (random.chance(0.9) ? random.pick(KEYS) : random.pick(['Bad Key', 'under_score', '', null])) },
      0.75,
    ),
    ...content(world, 0.6),
    ...world.optional({ flow_run_id: () => world.id('flow_run') }, 0.6),
    ...world.optional({ task_run_id: () => world.id('task_run') }, 0.4),
  };
  return http('POST /artifacts/', path`/artifacts/`, {
    body,
    learn: (bodies) => void world.add('artifact', bodies),
  });
}

function content(world: World, probability: number): SymbolicObject {
  const { random } = world;
  return world.optional(
    {
      type: () => random.pick<Symbolic>([...TYPES, null]),
      description: () => random.pick(['# Title\ntext', '', null]),
      data: () => random.pick<Symbolic>(['text', 42.5, world.json(), null]),
      metadata_: () => random.pick<Symbolic>([{ m: 'x' }, { long: 'y'.repeat(600), 'a b': 'ünï ☂' }, {}, null]),
    },
    probability,
  );
}

function read(id: Symbolic): HttpStep {
  return http('GET /artifacts/{id}', path`/artifacts/${id}`);
}

function latest(key: Symbolic): HttpStep {
  return http('GET /artifacts/{key}/latest', path`/artifacts/${key}/latest`);
}
