import { http, type Resource } from '../generate/resource.ts';
import { drawInitialState, STATE_TYPES } from '../generate/states.ts';
import type { HttpStep } from '../generate/step.ts';
import { type Handle, path, Ref } from '../generate/symbols.ts';
import type { World } from '../generate/world.ts';
import { proposeFlowRunState, readFlowRun } from './flow-runs.ts';

const POPULATION = 15;

/** Flow runs below a task run of another flow run: the task run follows their state, and graphs show them in its place. */
export const subflows: Resource = {
  name: 'subflows',
  *populate(world) {
    for (let i = 0; i < POPULATION; i += 1) yield create(world, drawParent(world));
  },
  actions: [
    {
      routes: ['POST /flow_runs/', 'GET /task_runs/{id}', 'GET /flow_runs/{id}/graph-v2'],
      weight: 0.7,
      *steps(world) {
        const parent = drawParent(world);
        yield create(world, parent);
        if (parent) yield* family(parent);
      },
    },
    {
      routes: [
        'POST /flow_runs/{id}/set_state',
        'GET /flow_runs/{id}',
        'GET /task_runs/{id}',
        'GET /flow_runs/{id}/graph-v2',
      ],
      weight: 1.5,
      *steps(world) {
        const run = world.some('flow_run', (handle) => handle.facts.parent instanceof Ref);
        if (!run) return;
        const id = new Ref(run);
        yield proposeFlowRunState(world, id, world.random.chance(0.15), run.facts.state_type);
        yield readFlowRun(id);
        yield* family((run.facts.parent as Ref).handle);
      },
    },
  ],
};

function drawParent(world: World): Handle | undefined {
  return world.some('task_run', (handle) => handle.facts.flow_run instanceof Ref);
}

function create(world: World, parent: Handle | undefined): HttpStep {
  const flow = world.some('flow');
  const body = {
    flow_id: flow ? new Ref(flow) : world.random.uuid(),
    name: world.name('subflow'),
    parent_task_run_id: parent ? new Ref(parent) : world.random.uuid(),
    ...world.optional({ state: () => drawInitialState(world, world.random.pick(STATE_TYPES)) }, 0.6),
  };
  const facts = { flow: flow?.facts.name ?? null, ...(parent ? { parent: new Ref(parent) } : {}) };
  return http('POST /flow_runs/', path`/flow_runs/`, {
    body,
    learn: (bodies) => world.add('flow_run', bodies, facts),
  });
}

/** The task run that stands for a subflow, and the graph of the run around it. */
function* family(parent: Handle): Generator<HttpStep, void, undefined> {
  yield http('GET /task_runs/{id}', path`/task_runs/${new Ref(parent)}`);
  yield http('GET /flow_runs/{id}/graph-v2', path`/flow_runs/${parent.facts.flow_run ?? null}/graph-v2`);
}
