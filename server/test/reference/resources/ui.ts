import { drawFilter } from '../generate/filters.ts';
import { LARGEST_LIMIT, maybeSpoiled } from '../generate/list-routes.ts';
import { http, type Resource, request } from '../generate/resource.ts';
import type { HttpStep, RowOrder } from '../generate/step.ts';
import { path, type Symbolic, type SymbolicObject } from '../generate/symbols.ts';
import type { World } from '../generate/world.ts';
import type { ParsedObject } from '../wire/json-text.ts';
import { flowFilter } from './flows.ts';
import { deploymentFilter, flowRunFilter, taskRunFilter, workPoolFilter } from './run-filters.ts';

const filters = {
  flows: flowFilter,
  flow_runs: flowRunFilter,
  task_runs: taskRunFilter,
  deployments: deploymentFilter,
  work_pools: workPoolFilter,
};

/** The requests of the reference's dashboard beside the public API. */
export const ui: Resource = {
  name: 'ui',
  actions: [
    request('POST /ui/flows/count-deployments', 0.8, (world) => byIds(world, '/ui/flows/count-deployments', 'flow')),
    request('POST /ui/flows/next-runs', 0.8, (world) => byIds(world, '/ui/flows/next-runs', 'flow')),
    request('POST /ui/flow_runs/count-task-runs', 0.8, (world) =>
      byIds(world, '/ui/flow_runs/count-task-runs', 'flow_run'),
    ),
    request('POST /ui/flow_runs/history', 1, (world) => {
      const { random } = world;
      const body = {
        ...someFilters(world, ['flows', 'flow_runs', 'task_runs', 'deployments', 'work_pools']),
        ...world.optional({ sort: () => random.pick(['ID_DESC', 'END_TIME_DESC', 'EXPECTED_START_TIME_DESC']) }),
        ...world.optional({ limit: () => random.pick([1, 1000, 1001, 10]) }),
      };
      const limit = typeof body.limit === 'number' ? body.limit : 1000;
      return maybeSpoiled(
        world,
        http('POST /ui/flow_runs/history', path`/ui/flow_runs/history`, { body, rows: { limit } }),
      );
    }),
    request('POST /ui/task_runs/count', 0.8, (world) =>
      maybeSpoiled(
        world,
        http('POST /ui/task_runs/count', path`/ui/task_runs/count`, {
          body: someFilters(world, ['flows', 'flow_runs', 'task_runs', 'deployments']),
        }),
      ),
    ),
    request('POST /ui/task_runs/dashboard/counts', 0.8, (world) => {
      const start = { after_: world.past(), ...world.optional({ before_: () => world.future() }, 0.8) };
      const body = {
        ...someFilters(world, ['flows', 'flow_runs', 'deployments', 'work_pools']),
        task_runs: { start_time: start },
      };
      const at = path`/ui/task_runs/dashboard/counts`;
      return maybeSpoiled(world, http('POST /ui/task_runs/dashboard/counts', at, { body }));
    }),
    request('GET /observed-states', 1, observedStates),
    request('GET /ui/task_runs/{id}', 0.8, (world) =>
      http('GET /ui/task_runs/{id}', path`/ui/task_runs/${world.id('task_run')}`),
    ),
    request('POST /ui/schemas/validate', 1, (world) => {
      const body = { schema: parameterSchema, values: values(world) };
      return maybeSpoiled(world, http('POST /ui/schemas/validate', path`/ui/schemas/validate`, { body }));
    }),
    request('GET /collections/views/{view}', 0.15, (world) => {
      const view = world.random.pick(['aggregate-worker-metadata', 'aggregate-block-metadata', 'none', 'demo-flows']);
      return http('GET /collections/views/{view}', path`/collections/views/${view}`);
    }),
    request('POST /task_workers/filter', 0.3, (world) => {
      const keys = [['task-a'], [], ['none', 'task-b']];
      const body = world.optional({ task_worker_filter: () => ({ task_keys: world.random.pick(keys) }) }, 0.6);
      return maybeSpoiled(world, http('POST /task_workers/filter', path`/task_workers/filter`, { body, rows: {} }));
    }),
  ],
};

const parameterSchema: SymbolicObject = {
  title: 'Parameters',
  type: 'object',
  properties: {
    x: { title: 'x', type: 'integer', position: 0 },
    y: { title: 'y', type: 'string', default: 'q', position: 1, enum: ['q', 'r'] },
    list: { title: 'list', type: 'array', items: { type: 'number' }, position: 2 },
    point: { $ref: '#/definitions/Point' },
  },
  required: ['x'],
  definitions: {
    Point: { title: 'Point', type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
  },
};

function values(world: World): SymbolicObject {
  const { random } = world;
  return world.optional(
    {
      x: () => random.pick<Symbolic>([1, 'one', 1.5, null, { __prefect_kind: 'json', value: '5' }]),
      y: () => random.pick<Symbolic>(['q', 'z', 3]),
      list: () => random.pick<Symbolic>([[1, 2.5], ['no'], {}, [{ __prefect_kind: 'none', value: 1 }]]),
      point: () => random.pick<Symbolic>([{ a: 1 }, {}, { a: 'x' }, 5]),
      extra: () => 1,
    },
    0.5,
  );
}

function byIds(world: World, at: string, kind: string) {
  const ids = Array.from({ length: world.random.pick([0, 1, 2, 5, 20]) }, () => world.id(kind));
  const name = kind === 'flow' ? 'flow_ids' : 'flow_run_ids';
  return maybeSpoiled(world, http(`POST ${at}`, { literals: [at], values: [] }, { body: { [name]: ids } }));
}

function someFilters(world: World, names: readonly (keyof typeof filters)[]): SymbolicObject {
  return world.optional(Object.fromEntries(names.map((name) => [name, () => drawFilter(world, filters[name])])), 0.2);
}

/** The first and last times of a state depend on the server's clock, and so does the cut of a limit. */
function observedStates(world: World): HttpStep {
  const { random } = world;
  const isByName = random.chance(0.5);
  const query = {
    ...(isByName
      ? { order_by: 'NAME_ASC' }
      : world.optional({ order_by: () => random.pick(['LAST_SEEN_DESC', 'ID_DESC']) })),
    ...world.optional({ query: () => random.pick(['run', 'COMP', 'aw', ' late ', 'Retry', '', '%', 'x'.repeat(101)]) }),
    ...world.optional({ limit: () => random.pick([200, 1, 5, 0, 201]) }),
  };
  const limit = typeof query.limit === 'number' ? query.limit : LARGEST_LIMIT;
  const key = (row: ParsedObject) => `${row.state_type} ${row.state_name}`;
  const rows: RowOrder = isByName ? { key, limit } : { limit };
  return http('GET /observed-states', path`/observed-states`, { query, rows });
}
