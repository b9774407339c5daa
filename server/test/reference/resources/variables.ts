import { type FilterShape, idCriterion, nameCriterion, tagCriterion } from '../generate/filters.ts';
import { by, byName, type ListRoutes, listActions, listSweep, maybeSpoiled } from '../generate/list-routes.ts';
import { http, type Resource, request } from '../generate/resource.ts';
import type { HttpStep } from '../generate/step.ts';
import { path, Ref, type Symbolic, type SymbolicObject, Verbatim } from '../generate/symbols.ts';
import type { World } from '../generate/world.ts';

const POPULATION = 25;

const variableFilter: FilterShape = {
  combines: true,
  criteria: { id: idCriterion('variable'), name: nameCriterion('variable'), tags: tagCriterion() },
};

const lists: ListRoutes = {
  base: '/variables',
  routes: ['filter', 'count'],
  own: 'variables',
  filters: { variables: variableFilter },
  sorts: { NAME_ASC: byName, NAME_DESC: byName, CREATED_DESC: by('created'), UPDATED_DESC: by('updated') },
  weight: 3,
};

type Way = 'id' | 'name';
const templates = { id: '/variables/{id}', name: '/variables/name/{name}' } as const;
const pathTo = (way: Way, key: Symbolic) => (way === 'id' ? path`/variables/${key}` : path`/variables/name/${key}`);
const keyOf = (world: World, way: Way) => (way === 'id' ? world.id('variable') : nameToRead(world));

export const variables: Resource = {
  name: 'variables',
  *populate(world) {
    for (let i = 0; i < POPULATION; i += 1) yield create(world);
  },
  sweep: (world) => listSweep(world, lists),
  actions: [
    request('POST /variables/', 2, (world) => maybeSpoiled(world, create(world))),
    request('POST /variables/', 0.4, (world) => {
      const body = { name: world.attribute('variable', 'name'), value: 1 };
      return http('POST /variables/', path`/variables/`, { note: 'name that exists', body });
    }),
    request('GET /variables/{id}', 1, (world) => read('id', world.id('variable'))),
    request('GET /variables/name/{name}', 1.5, (world) => read('name', nameToRead(world))),
    ...(['id', 'name'] as const).flatMap((way) => [change(way), remove(way)]),
    ...listActions(lists),
  ],
};

function change(way: Way): Resource['actions'][number] {
  return {
    routes: [`PATCH ${templates[way]}`, `GET ${templates[way]}`],
    weight: 1,
    *steps(world) {
      const { random } = world;
      const key = keyOf(world, way);
      const fields = { value: () => value(world), tags: () => random.pick<Symbolic>([world.tags(), null]) };
      const body = world.optional({ ...fields, ...(way === 'id' ? { name: () => newName(world) } : {}) }, 0.5);
      yield maybeSpoiled(world, http(`PATCH ${templates[way]}`, pathTo(way, key), { body }));
      yield read(way, key);
    },
  };
}

function remove(way: Way): Resource['actions'][number] {
  return {
    routes: [`DELETE ${templates[way]}`, `GET ${templates[way]}`],
    weight: 0.4,
    *steps(world) {
      const handle = world.some('variable');
      const key = handle ? new Ref(handle, way) : keyOf(world, way);
      yield http(`DELETE ${templates[way]}`, pathTo(way, key), { learn: () => handle?.die() });
      yield read(way, key);
    },
  };
}

function read(way: Way, key: Symbolic): HttpStep {
  return http(`GET ${templates[way]}`, pathTo(way, key));
}

function create(world: World): HttpStep {
  const body: SymbolicObject = {
    name: newName(world),
    value: value(world),
    ...world.optional({ tags: () => world.tags() }, 0.6),
  };
  return http('POST /variables/', path`/variables/`, {
    body,
    learn: (bodies) => void world.add('variable', bodies),
  });
}

function newName(world: World): string {
  const { random } = world;
  if (random.chance(0.9)) return world.name('variable').replaceAll('-', random.pick(['-', '_']));
  return random.pick(['Bad Name', '', 'x'.repeat(256), 'dot.ted', 'ünï', '_', '-']);
}

function value(world: World): Symbolic {
  const { random } = world;
  if (random.chance(0.85)) return world.json();
  // The limit is on the JSON text: 5000 characters with the quotes.
  return random.pick<Symbolic>([
    'x'.repeat(4997),
    'x'.repeat(4998),
    'x'.repeat(6000),
    'ü'.repeat(1000),
    new Verbatim('1.50'),
  ]);
}

function nameToRead(world: World): Symbolic {
  return world.random.chance(0.1)
    ? world.random.pick(['Bad Name', 'none', 'a/b'])
    : world.attribute('variable', 'name');
}
