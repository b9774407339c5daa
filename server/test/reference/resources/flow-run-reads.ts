import { maybeSpoiled } from '../generate/list-routes.ts';
import { http, type Resource, request } from '../generate/resource.ts';
import { path, Ref, type Symbolic } from '../generate/symbols.ts';
import type { World } from '../generate/world.ts';

const KEYS = ['paused-1-schema', 'paused-1-response', 'key-a', 'key-b', 'prefix-1', 'prefix-2', 'other'] as const;

/** The parts of a flow run: its states, its inputs, the download of its logs. */
export const flowRunReads: Resource = {
  name: 'flow run states and inputs',
  actions: [
    request('GET /flow_run_states/', 1.2, (world) =>
      http('GET /flow_run_states/', path`/flow_run_states/`, {
        query: world.random.chance(0.93) ? { flow_run_id: world.id('flow_run') } : oddQuery(world),
      }),
    ),
    request('GET /flow_run_states/{id}', 1, (world) =>
      http('GET /flow_run_states/{id}', path`/flow_run_states/${stateId(world, 'flow_run')}`),
    ),
    {
      routes: ['POST /flow_runs/{id}/input', 'POST /flow_runs/{id}/input/filter', 'GET /flow_runs/{id}/input/{key}'],
      weight: 1.5,
      *steps(world) {
        const { random } = world;
        const id = busyRun(world);
        const key = random.chance(0.9) ? random.pick(KEYS) : random.pick(['Bad Key', '', 'under_score', 'a/b', 'ünï']);
        const value = random.pick([
          '"text"',
          '{"x": 1.0}',
          '',
          'not json',
          'ünï ☂\n',
          '{"type": "object", "properties": {"x": {"type": "integer"}}}',
        ]);
        const body = {
          key,
          value,
          ...world.optional({ sender: () => random.pick(['prefect.flow-run.x', null]) }, 0.3),
        };
        yield maybeSpoiled(world, http('POST /flow_runs/{id}/input', path`/flow_runs/${id}/input`, { body }));
        if (random.chance(0.5)) yield http('GET /flow_runs/{id}/input/{key}', path`/flow_runs/${id}/input/${key}`);
      },
    },
    request('POST /flow_runs/{id}/input/filter', 1.2, (world) => {
      const { random } = world;
      const body = {
        prefix: random.pick(['', 'key', 'prefix-', 'p', 'none', '%', '_']),
        ...world.optional(
          { limit: () => random.pick([0, 1, 5, 100, -1, 201]), exclude_keys: () => random.sample(KEYS, 2) },
          0.5,
        ),
      };
      return maybeSpoiled(
        world,
        http('POST /flow_runs/{id}/input/filter', path`/flow_runs/${busyRun(world)}/input/filter`, { body }),
      );
    }),
    request('DELETE /flow_runs/{id}/input/{key}', 0.6, (world) =>
      http(
        'DELETE /flow_runs/{id}/input/{key}',
        path`/flow_runs/${busyRun(world)}/input/${world.random.pick([...KEYS, 'none'])}`,
      ),
    ),
    request('GET /flow_runs/{id}/logs/download', 0.8, (world) =>
      http('GET /flow_runs/{id}/logs/download', path`/flow_runs/${world.id('flow_run')}/logs/download`, {
        settle: true,
      }),
    ),
  ],
};

/** One of a few runs, so that several inputs belong to one run. */
function busyRun(world: World): Symbolic {
  const busy = world.alive('flow_run').slice(0, 5);
  return busy.length > 0 && world.random.chance(0.9) ? new Ref(world.random.pick(busy)) : world.id('flow_run');
}

/** The id of the first state of some run, or of none. */
export function stateId(world: World, kind: 'flow_run' | 'task_run'): Symbolic {
  const run = world.random.chance(0.9) ? world.some(kind, (handle) => handle.has('state_id')) : undefined;
  return run ? new Ref(run, 'state_id') : world.random.uuid();
}

export function oddQuery(world: World): Record<string, Symbolic> {
  return world.random.pick<Record<string, Symbolic>>([
    {},
    { flow_run_id: 'not-an-id', task_run_id: 'not-an-id' },
    { flow_run_id: '', task_run_id: '' },
    { unknown: 1 },
  ]);
}
