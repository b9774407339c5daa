import { type FilterShape, flag, idsOf, timeCriterion } from '../generate/filters.ts';
import { by, type ListRoutes, listActions, listSweep, maybeSpoiled } from '../generate/list-routes.ts';
import { http, type Resource, request } from '../generate/resource.ts';
import type { HttpStep } from '../generate/step.ts';
import { path, type Symbolic, type SymbolicObject } from '../generate/symbols.ts';
import type { World } from '../generate/world.ts';

const POPULATION = 30;
const MESSAGES = [
  'Flow started',
  'task FAILED: boom',
  'a "quoted phrase" here',
  '50% done',
  'back\\slash',
  'ünï ☂',
  '',
];
const QUERIES = [
  'flow',
  'FAILED',
  '"quoted phrase"',
  '-boom',
  '!flow task',
  '+task +boom',
  'ü',
  '%',
  '\\',
  '- flow',
  '""',
  'prefect.flow',
];

const logFilter: FilterShape = {
  combines: true,
  criteria: {
    level: {
      operators: {
        ge_: (world) => world.random.pick([0, 10, 20, 35, 50]),
        le_: (world) => world.random.pick([0, 10, 20, 35, 50]),
      },
    },
    timestamp: timeCriterion,
    flow_run_id: { operators: { any_: idsOf('flow_run') } },
    task_run_id: { operators: { any_: idsOf('task_run'), is_null_: flag } },
    text: {
      operators: { query: (world) => (world.random.chance(0.05) ? 'x'.repeat(201) : world.random.pick(QUERIES)) },
    },
  },
};

const lists: ListRoutes = {
  base: '/logs',
  routes: ['filter'],
  own: 'logs',
  filters: { logs: logFilter },
  sorts: { TIMESTAMP_ASC: by('timestamp'), TIMESTAMP_DESC: by('timestamp') },
  weight: 4,
  settle: true,
};

export const logs: Resource = {
  name: 'logs',
  *populate(world) {
    for (let i = 0; i < POPULATION; i += 1) yield create(world);
  },
  sweep: (world) => listSweep(world, lists),
  actions: [
    request('POST /logs/', 1.5, (world) => maybeSpoiled(world, create(world), 0.35)),
    request('POST /logs/', 0.3, (world) =>
      http('POST /logs/', path`/logs/`, {
        note: 'odd list',
        body: world.random.pick<Symbolic>([
          [],
          {},
          [null],
          [[]],
          [log(world), { ...log(world), worker_id: world.random.uuid() }],
        ]),
      }),
    ),
    ...listActions(lists),
  ],
};

function create(world: World): HttpStep {
  const body = Array.from({ length: world.random.int(1, 4) }, () => log(world));
  return http('POST /logs/', path`/logs/`, { body });
}

function log(world: World): SymbolicObject {
  const { random } = world;
  return {
    name: random.pick(['prefect.flow_runs', 'prefect.task_runs', 'my.logger']),
    level: random.pick([0, 10, 20, 30, 40, 50, 25, -5]),
    message: random.pick(MESSAGES),
    timestamp: world.time(),
    ...world.optional({ flow_run_id: () => random.pick([world.id('flow_run'), null]) }, 0.75),
    ...world.optional({ task_run_id: () => random.pick([world.id('task_run'), null]) }, 0.4),
  };
}
