import { byName, type ListRoutes, listActions, maybeSpoiled } from '../generate/list-routes.ts';
import { http, type Resource, request } from '../generate/resource.ts';
import type { HttpStep } from '../generate/step.ts';
import { path, Ref, type Symbolic, type SymbolicObject } from '../generate/symbols.ts';
import type { World } from '../generate/world.ts';

const lists: ListRoutes = {
  base: '/saved_searches',
  routes: ['filter'],
  own: '',
  filters: {},
  sorts: {},
  fixed: byName,
  weight: 0.8,
};

export const savedSearches: Resource = {
  name: 'saved searches',
  actions: [
    request('PUT /saved_searches/', 1, (world) => maybeSpoiled(world, put(world))),
    request('GET /saved_searches/{id}', 0.6, (world) => read(world.id('saved_search'))),
    {
      routes: ['DELETE /saved_searches/{id}', 'GET /saved_searches/{id}'],
      weight: 0.25,
      *steps(world) {
        const handle = world.some('saved_search');
        const id: Symbolic = handle ? new Ref(handle) : world.random.uuid();
        yield http('DELETE /saved_searches/{id}', path`/saved_searches/${id}`, { learn: () => handle?.die() });
        yield read(id);
      },
    },
    ...listActions(lists),
  ],
};

function read(id: Symbolic): HttpStep {
  return http('GET /saved_searches/{id}', path`/saved_searches/${id}`);
}

function put(world: World): HttpStep {
  const { random } = world;
  const criterion = (): SymbolicObject => ({
    object: 'flow_run',
    property: 'name',
    type: 'string',
    operation: 'any_',
    value: world.json(),
  });
  const body = {
    name: random.chance(0.4) ? world.attribute('saved_search', 'name') : world.name('search'),
    ...world.optional({ filters: () => Array.from({ length: random.int(0, 2) }, criterion) }, 0.8),
  };
  return http('PUT /saved_searches/', path`/saved_searches/`, {
    body,
    learn: (bodies) => void world.add('saved_search', bodies),
  });
}
