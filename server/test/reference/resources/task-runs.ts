import {
  by,
  byId,
  byName,
  type ListRoutes,
  listActions,
  listSweep,
  maybeSpoiled,
  type Sort,
} from '../generate/list-routes.ts';
import { http, type Resource, request } from '../generate/resource.ts';
import {
  clientHeaders,
  drawInitialState,
  drawState,
  nextType,
  STATE_TYPES,
  taskRunPolicy,
  writtenType,
} from '../generate/states.ts';
import type { HttpStep } from '../generate/step.ts';
import { path, Ref, type Symbolic, type SymbolicObject } from '../generate/symbols.ts';
import type { World } from '../generate/world.ts';
import { oddQuery, stateId } from './flow-run-reads.ts';
import { flowFilter } from './flows.ts';
import { historyStep } from './history.ts';
import { deploymentFilter, flowRunFilter, taskRunFilter } from './run-filters.ts';

const POPULATION = 150;

const filters = {
  task_runs: taskRunFilter,
  flows: flowFilter,
  flow_runs: flowRunFilter,
  deployments: deploymentFilter,
};

/** The duration of a run depends on each server's clock, but for those without any, which go by their expected start. */
const byDuration: Sort = {
  key: (row) => (Number(String(row.estimated_run_time)) === 0 ? String(row.expected_start_time) : ''),
};

const lists: ListRoutes = {
  base: '/task_runs',
  routes: ['filter', 'paginate', 'count'],
  own: 'task_runs',
  filters,
  sorts: {
    ID_DESC: byId,
    EXPECTED_START_TIME_ASC: by('expected_start_time'),
    EXPECTED_START_TIME_DESC: by('expected_start_time'),
    NAME_ASC: byName,
    NAME_DESC: byName,
    NEXT_SCHEDULED_START_TIME_ASC: by('next_scheduled_start_time'),
    END_TIME_DESC: by('end_time'),
    DURATION_DESC: byDuration,
    DURATION_ASC: byDuration,
  },
  weight: 6,
};

export const taskRuns: Resource = {
  name: 'task runs',
  *populate(world) {
    for (let i = 0; i < POPULATION; i += 1) {
      yield create(world);
      const run = world.alive('task_run').at(-1);
      if (run && i % 4 === 0) yield propose(world, new Ref(run), world.random.chance(0.7));
    }
  },
  sweep: (world) => listSweep(world, lists),
  actions: [
    request('POST /task_runs/', 3, (world) => maybeSpoiled(world, create(world))),
    request('GET /task_runs/{id}', 1.5, (world) => read(world.id('task_run'))),
    {
      routes: ['PATCH /task_runs/{id}', 'GET /task_runs/{id}'],
      weight: 1,
      *steps(world) {
        const id = world.id('task_run');
        const body = world.optional({ name: () => world.random.pick([world.name('renamed'), '']) }, 0.85);
        yield maybeSpoiled(world, http('PATCH /task_runs/{id}', path`/task_runs/${id}`, { body }));
        yield read(id);
      },
    },
    {
      routes: ['DELETE /task_runs/{id}', 'GET /task_runs/{id}'],
      weight: 0.4,
      *steps(world) {
        const run = world.some('task_run', (handle) => handle.facts.expendable === true);
        const id = run ? new Ref(run) : world.random.uuid();
        yield http('DELETE /task_runs/{id}', path`/task_runs/${id}`, { learn: () => run?.die() });
        yield read(id);
      },
    },
    {
      routes: ['POST /task_runs/{id}/set_state', 'GET /task_runs/{id}', 'GET /task_run_states/'],
      weight: 8,
      *steps(world) {
        const run = world.some('task_run');
        const id = run && world.random.chance(0.97) ? new Ref(run) : world.id('task_run');
        yield maybeSpoiled(world, propose(world, id, world.random.chance(0.2), run?.facts.state_type), 0.08);
        yield read(id);
        if (!world.random.chance(0.2)) return;
        yield http('GET /task_run_states/', path`/task_run_states/`, { query: { task_run_id: id } });
      },
    },
    request('GET /task_run_states/', 0.8, (world) =>
      http('GET /task_run_states/', path`/task_run_states/`, {
        query: world.random.chance(0.93) ? { task_run_id: world.id('task_run') } : oddQuery(world),
      }),
    ),
    request('GET /task_run_states/{id}', 0.8, (world) =>
      http('GET /task_run_states/{id}', path`/task_run_states/${stateId(world, 'task_run')}`),
    ),
    request('POST /task_runs/history', 1.5, (world) =>
      maybeSpoiled(world, historyStep(world, '/task_runs', filters), 0.2),
    ),
    ...listActions(lists),
  ],
};

function read(id: Symbolic): HttpStep {
  return http('GET /task_runs/{id}', path`/task_runs/${id}`);
}

/** A task run, mostly of a flow run; every fifth one may be deleted later. */
function create(world: World): HttpStep {
  const { random } = world;
  const repeated = random.chance(0.05)
    ? world.some('task_run', (handle) => handle.facts.request !== undefined)
    : undefined;
  const body: SymbolicObject = (repeated?.facts.request as SymbolicObject | undefined) ?? {
    flow_run_id: random.chance(0.92) ? world.id('flow_run') : null,
    task_key: random.pick(['task-a', 'task-b', 'ünï']),
    dynamic_key: world.name('dynamic'),
    ...world.optional({ name: () => world.name('task') }, 0.9),
    ...world.optional({ id: () => random.uuid() }, 0.1),
    ...world.optional({
      state: () => drawInitialState(world, random.pick(STATE_TYPES)),
      cache_key: () => random.pick(['cache-a', null]),
      cache_expiration: () => world.future(),
      task_version: () => random.pick(['1', null]),
      empirical_policy: () => taskRunPolicy(world),
      tags: () => world.tags(),
      labels: () => world.labels(),
      task_inputs: () => inputs(world),
    }),
  };
  const facts = {
    expendable: random.chance(0.2),
    request: body,
    chosen_id: body.id ?? null,
    flow_run: body.flow_run_id ?? null,
  };
  return http('POST /task_runs/', path`/task_runs/`, {
    note: repeated ? 'natural key that exists' : '',
    body,
    learn: (bodies) => void world.add('task_run', bodies, facts),
  });
}

/** The inputs of the task run, from which clients draw the edges of a graph. */
function inputs(world: World): SymbolicObject {
  const { random } = world;
  const draw = (): Symbolic =>
    random.pick<() => Symbolic>([
      () => ({ input_type: 'task_run', id: world.id('task_run') }),
      () => ({ input_type: 'flow_run', id: world.id('flow_run') }),
      () => ({ input_type: 'parameter', name: 'p' }),
      () => ({ input_type: 'constant', type: 'int' }),
    ])();
  const names = random.sample(['x', 'y', '__parents__', 'wait_for'], random.int(0, 3));
  return Object.fromEntries(names.map((name) => [name, Array.from({ length: random.int(0, 2) }, draw)]));
}

function propose(world: World, id: Symbolic, force: boolean, current?: Symbolic): HttpStep {
  const state = drawState(world, nextType(world, current));
  return http('POST /task_runs/{id}/set_state', path`/task_runs/${id}/set_state`, {
    note: `${String(current ?? '')} to ${String(state.type)}${force ? ', forced' : ''}`,
    headers: clientHeaders(world),
    body: { state, ...(force ? { force } : {}) },
    learn: ({ reference }) => {
      const type = writtenType(reference);
      if (id instanceof Ref && type) id.handle.facts.state_type = type;
    },
  });
}
