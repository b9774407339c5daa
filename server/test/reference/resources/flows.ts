import { type FilterShape, flag, idsOf, nameCriterion, tagCriterion } from '../generate/filters.ts';
import {
  by,
  byName,
  LARGEST_LIMIT,
  type ListRoutes,
  listActions,
  listSweep,
  maybeSpoiled,
} from '../generate/list-routes.ts';
import { http, type Resource, request } from '../generate/resource.ts';
import { spoiledNarrowly } from '../generate/spoil.ts';
import { type Handle, path, Ref } from '../generate/symbols.ts';
import type { World } from '../generate/world.ts';
import { deploymentFilter, flowRunFilter, taskRunFilter, workPoolFilter } from './run-filters.ts';

const POPULATION = 40;

export const flowFilter: FilterShape = {
  combines: true,
  criteria: {
    id: { operators: { any_: idsOf('flow'), not_any_: idsOf('flow') } },
    deployment: { operators: { is_null_: flag }, combines: true },
    name: nameCriterion('flow'),
    tags: tagCriterion(),
  },
};

const lists: ListRoutes = {
  base: '/flows',
  routes: ['filter', 'paginate', 'count'],
  own: 'flows',
  filters: {
    flows: flowFilter,
    flow_runs: flowRunFilter,
    task_runs: taskRunFilter,
    deployments: deploymentFilter,
    work_pools: workPoolFilter,
  },
  sorts: { NAME_ASC: byName, NAME_DESC: byName, CREATED_DESC: by('created'), UPDATED_DESC: by('updated') },
  weight: 5,
};

export const flows: Resource = {
  name: 'flows',
  *populate(world) {
    for (let i = 0; i < POPULATION; i += 1) yield create(world);
  },
  sweep: (world) => listSweep(world, lists),
  actions: [
    request('POST /flows/', 2, (world) => maybeSpoiled(world, create(world))),
    request('POST /flows/', 0.6, createAgain),
    request('GET /flows/{id}', 2, (world) => http('GET /flows/{id}', path`/flows/${world.id('flow')}`)),
    request('GET /flows/name/{name}', 1.5, (world) =>
      http('GET /flows/name/{name}', path`/flows/name/${nameToRead(world)}`),
    ),
    {
      routes: ['PATCH /flows/{id}', 'GET /flows/{id}'],
      weight: 2,
      *steps(world) {
        const id = world.id('flow');
        yield maybeSpoiled(
          world,
          http('PATCH /flows/{id}', path`/flows/${id}`, { body: world.optional({ tags: () => world.tags() }, 0.8) }),
        );
        yield http('GET /flows/{id}', path`/flows/${id}`);
      },
    },
    {
      routes: ['DELETE /flows/{id}', 'POST /flow_runs/filter', 'POST /deployments/filter'],
      weight: 0.35,
      *steps(world) {
        const flow = world.some('flow', (handle) => handle.facts.expendable === true);
        const id = flow ? new Ref(flow) : world.random.uuid();
        yield http('DELETE /flows/{id}', path`/flows/${id}`, {
          learn: () => flow && forget(world, flow),
        });
        yield http('POST /flow_runs/filter', path`/flow_runs/filter`, {
          note: 'runs of a deleted flow',
          body: { flows: { id: { any_: [id] } } },
          rows: { limit: LARGEST_LIMIT },
        });
      },
    },
    request('POST /flows/bulk_delete', 0.3, (world) => {
      const flow = world.some('flow', (handle) => handle.facts.expendable === true);
      const step = http('POST /flows/bulk_delete', path`/flows/bulk_delete`, {
        body: {
          flows: { id: { any_: flow ? [new Ref(flow), world.random.uuid()] : [world.random.uuid()] } },
          ...world.optional({ limit: () => world.random.pick([0, 1, 50, 51]) }),
        },
        learn: () => flow && forget(world, flow),
      });
      return world.random.chance(0.4) ? spoiledNarrowly(world, step) : step;
    }),
    ...listActions(lists),
  ],
};

/** A flow; every fourth one may be deleted later with all that belongs to it. */
function create(world: World) {
  const expendable = world.random.chance(0.25);
  const body = {
    name: world.random.chance(0.1) ? `${world.name('Fløw')} & co`.replace('&', '+') : world.name('flow'),
    ...world.optional({ tags: () => world.tags(), labels: () => world.labels() }, 0.5),
  };
  return http('POST /flows/', path`/flows/`, {
    body,
    learn: (bodies) => void world.add('flow', bodies, { expendable }),
  });
}

/** Deleting a flow deletes its runs and deployments. */
function forget(world: World, flow: Handle): void {
  flow.die();
  for (const kind of ['flow_run', 'deployment']) {
    for (const handle of world.alive(kind)) if (handle.facts.flow === flow.facts.name) handle.die();
  }
}

/** A repeated name returns the stored flow. */
function createAgain(world: World) {
  return http('POST /flows/', path`/flows/`, {
    note: 'name that exists',
    body: { name: world.attribute('flow', 'name'), tags: world.tags() },
  });
}

function nameToRead(world: World) {
  return world.random.chance(0.15)
    ? world.random.pick(['no such', 'a/b', 'ünï', ' ', '%'])
    : world.attribute('flow', 'name');
}
