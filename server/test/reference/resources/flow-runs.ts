import { by, byId, byName, type ListRoutes, listActions, listSweep, maybeSpoiled } from '../generate/list-routes.ts';
import { http, type Resource, request } from '../generate/resource.ts';
import { spoiledNarrowly } from '../generate/spoil.ts';
import {
  clientHeaders,
  drawInitialState,
  drawState,
  flowRunPolicy,
  nextType,
  STATE_TYPES,
  writtenType,
} from '../generate/states.ts';
import type { HttpStep } from '../generate/step.ts';
import { path, Ref, type Symbolic, type SymbolicObject } from '../generate/symbols.ts';
import type { World } from '../generate/world.ts';
import { flowFilter } from './flows.ts';
import { drawSome, historyStep } from './history.ts';
import { deploymentFilter, flowRunFilter, taskRunFilter, workPoolFilter, workQueueFilter } from './run-filters.ts';

const POPULATION = 120;

const filters = {
  flow_runs: flowRunFilter,
  flows: flowFilter,
  task_runs: taskRunFilter,
  deployments: deploymentFilter,
  work_pools: workPoolFilter,
  work_pool_queues: workQueueFilter,
};

/** The history has another name for its queue filter. */
const { work_pool_queues, ...withoutQueues } = filters;
const historyFilters = { ...withoutQueues, work_queues: work_pool_queues };

const lists: ListRoutes = {
  base: '/flow_runs',
  routes: ['filter', 'paginate', 'count'],
  own: 'flow_runs',
  filters,
  sorts: {
    ID_DESC: byId,
    START_TIME_ASC: by('start_time', 'expected_start_time'),
    START_TIME_DESC: by('start_time', 'expected_start_time'),
    EXPECTED_START_TIME_ASC: by('expected_start_time'),
    EXPECTED_START_TIME_DESC: by('expected_start_time'),
    NAME_ASC: byName,
    NAME_DESC: byName,
    NEXT_SCHEDULED_START_TIME_ASC: by('next_scheduled_start_time'),
    END_TIME_DESC: by('end_time'),
  },
  weight: 9,
};

export const flowRuns: Resource = {
  name: 'flow runs',
  *populate(world) {
    for (let i = 0; i < POPULATION; i += 1) {
      yield create(world);
      const run = world.alive('flow_run').at(-1);
      if (run && i % 3 === 0) yield proposeFlowRunState(world, new Ref(run), world.random.chance(0.5));
    }
  },
  sweep: (world) => listSweep(world, lists),
  actions: [
    request('POST /flow_runs/', 4, (world) => maybeSpoiled(world, create(world))),
    request('GET /flow_runs/{id}', 2, (world) => readFlowRun(world.id('flow_run'))),
    {
      routes: ['PATCH /flow_runs/{id}', 'GET /flow_runs/{id}'],
      weight: 2.5,
      *steps(world) {
        const id = world.id('flow_run');
        yield maybeSpoiled(world, http('PATCH /flow_runs/{id}', path`/flow_runs/${id}`, { body: changes(world) }));
        yield readFlowRun(id);
      },
    },
    {
      routes: ['PATCH /flow_runs/{id}/labels', 'GET /flow_runs/{id}'],
      weight: 1,
      *steps(world) {
        const id = world.id('flow_run');
        // The reference stores values that are not labels, and then cannot print the run.
        const bad = world.random.pick<Symbolic>([null, [], 'text', 7, true]);
        const body = world.random.chance(0.8) ? world.labels() : bad;
        yield http('PATCH /flow_runs/{id}/labels', path`/flow_runs/${id}/labels`, { body });
        yield readFlowRun(id);
      },
    },
    {
      routes: ['DELETE /flow_runs/{id}', 'GET /flow_runs/{id}', 'POST /task_runs/filter'],
      weight: 0.6,
      *steps(world) {
        const run = world.some('flow_run', (handle) => handle.facts.expendable === true);
        const id = run ? new Ref(run) : world.random.uuid();
        yield http('DELETE /flow_runs/{id}', path`/flow_runs/${id}`, { learn: () => run?.die() });
        yield readFlowRun(id);
        yield http('POST /task_runs/filter', path`/task_runs/filter`, {
          note: 'task runs of a deleted run',
          body: { flow_runs: { id: { any_: [id] } } },
          rows: {},
        });
      },
    },
    request('POST /flow_runs/bulk_delete', 0.3, (world) => {
      const run = world.some('flow_run', (handle) => handle.facts.expendable === true);
      const step = http('POST /flow_runs/bulk_delete', path`/flow_runs/bulk_delete`, {
        body: {
          flow_runs: { id: { any_: [run ? new Ref(run) : world.random.uuid(), world.random.uuid()] } },
          ...world.optional({ limit: () => world.random.pick([0, 1, 50, 51]) }),
        },
        learn: () => run?.die(),
      });
      return world.random.chance(0.4) ? spoiledNarrowly(world, step) : step;
    }),
    {
      routes: ['POST /flow_runs/{id}/set_state', 'GET /flow_runs/{id}', 'GET /flow_run_states/'],
      weight: 14,
      *steps(world) {
        const run = world.some('flow_run');
        const id = run && world.random.chance(0.97) ? new Ref(run) : world.id('flow_run');
        const step = proposeFlowRunState(world, id, world.random.chance(0.12), run?.facts.state_type);
        yield maybeSpoiled(world, step, 0.08);
        yield readFlowRun(id);
        if (!world.random.chance(0.2)) return;
        yield http('GET /flow_run_states/', path`/flow_run_states/`, { query: { flow_run_id: id } });
      },
    },
    {
      routes: ['POST /flow_runs/bulk_set_state', 'GET /flow_runs/{id}'],
      weight: 0.8,
      *steps(world) {
        // One run only: the processing order of several follows ids that each server chose.
        const id = world.id('flow_run');
        const step = http('POST /flow_runs/bulk_set_state', path`/flow_runs/bulk_set_state`, {
          headers: clientHeaders(world),
          body: {
            flow_runs: { id: { any_: [id] } },
            state: drawState(world, world.random.pick(STATE_TYPES)),
            ...world.optional({
              force: () => world.random.chance(0.5),
              limit: () => world.random.pick([0, 1, 50, 51]),
            }),
          },
        });
        yield world.random.chance(0.25) ? spoiledNarrowly(world, step) : step;
        yield readFlowRun(id);
      },
    },
    {
      routes: ['POST /flow_runs/{id}/resume', 'GET /flow_runs/{id}'],
      weight: 1.5,
      *steps(world) {
        const run = world.some('flow_run', (handle) => handle.facts.state_type === 'PAUSED');
        const id = run && world.random.chance(0.8) ? new Ref(run) : world.id('flow_run');
        const body = world.optional(
          { run_input: () => world.random.pick<SymbolicObject | null>([null, { x: 1 }, {}]) },
          0.5,
        );
        yield maybeSpoiled(world, http('POST /flow_runs/{id}/resume', path`/flow_runs/${id}/resume`, { body }), 0.15);
        yield readFlowRun(id);
      },
    },
    request('GET /flow_runs/{id}/graph', 0.7, (world) =>
      http('GET /flow_runs/{id}/graph', path`/flow_runs/${world.id('flow_run')}/graph`, { rows: {} }),
    ),
    request('GET /flow_runs/{id}/graph-v2', 1.2, (world) =>
      http('GET /flow_runs/{id}/graph-v2', path`/flow_runs/${world.id('flow_run')}/graph-v2`, {
        query: world.optional(
          { since: () => world.random.pick([world.time(), 'yesterday', '', '0', '2026-01-01']) },
          0.35,
        ),
      }),
    ),
    request('POST /flow_runs/history', 2.5, (world) =>
      maybeSpoiled(world, historyStep(world, '/flow_runs', historyFilters), 0.2),
    ),
    request('POST /flow_runs/lateness', 1.5, (world) => {
      const body = drawSome(world, filters);
      return maybeSpoiled(
        world,
        http('POST /flow_runs/lateness', path`/flow_runs/lateness`, { body, fuzzy: true }),
        0.15,
      );
    }),
    ...listActions(lists),
  ],
};

export function readFlowRun(id: Symbolic): HttpStep {
  return http('GET /flow_runs/{id}', path`/flow_runs/${id}`);
}

/** A run of a flow, sometimes of a deployment and sometimes below a task run; every fifth one may be deleted later. */
function create(world: World): HttpStep {
  const { random } = world;
  const deployment = random.chance(0.3) ? world.some('deployment') : undefined;
  const flow = deployment
    ? world.some('flow', (handle) => handle.facts.name === deployment.facts.flow)
    : random.chance(0.97)
      ? world.some('flow')
      : undefined;
  const body: SymbolicObject = {
    flow_id: flow ? new Ref(flow) : random.uuid(),
    ...(random.chance(0.9) ? { name: world.name('run') } : world.optional({ name: () => '' }, 0.3)),
    ...(deployment ? { deployment_id: new Ref(deployment) } : {}),
    ...world.optional({
      state: () => drawInitialState(world, random.pick(STATE_TYPES)),
      tags: () => world.tags(),
      labels: () => world.labels(),
      parameters: () => world.jsonObject(),
      context: () => world.jsonObject(),
      empirical_policy: () => flowRunPolicy(world),
      flow_version: () => random.pick(['1.0', '2', null]),
      idempotency_key: () => world.name('key'),
      job_variables: () => ({ env: { A: '1' } }),
    }),
    ...world.optional({ parent_task_run_id: () => world.id('task_run') }, world.some('task_run') ? 0.06 : 0),
    ...world.optional({ infrastructure_document_id: () => random.uuid() }, 0.01),
    ...world.optional({ work_pool_name: () => world.attribute('work_pool', 'name') }, 0.15),
  };
  if (body.work_pool_name && random.chance(0.5)) body.work_queue_name = world.attribute('work_queue', 'name');
  if (body.idempotency_key && random.chance(0.2)) body.idempotency_key = world.attribute('flow_run', 'idempotency_key');
  const facts = { expendable: random.chance(0.2), flow: flow?.facts.name ?? null };
  return http('POST /flow_runs/', path`/flow_runs/`, {
    headers: provenance(world),
    body,
    learn: (bodies) => void world.add('flow_run', bodies, facts),
  });
}

/** The creator of the run, as automations name it; both headers must be present and readable. */
function provenance(world: World): Record<string, string> | undefined {
  const { random } = world;
  if (random.chance(0.9)) return undefined;
  return {
    'prefect-automation-id': random.pick([random.uuid(), 'not-an-id']),
    ...(random.chance(0.8)
      ? { 'prefect-automation-name': random.pick([Buffer.from('ünï automation').toString('base64'), '%%%']) }
      : {}),
  };
}

export function proposeFlowRunState(world: World, id: Symbolic, force: boolean, current?: Symbolic): HttpStep {
  const state = drawState(world, nextType(world, current));
  return http('POST /flow_runs/{id}/set_state', path`/flow_runs/${id}/set_state`, {
    note: `${String(current ?? '')} to ${String(state.type)}${force ? ', forced' : ''}`,
    headers: clientHeaders(world),
    body: { state, ...(force ? { force } : {}) },
    learn: ({ reference }) => {
      const type = writtenType(reference);
      if (id instanceof Ref && type) id.handle.facts.state_type = type;
    },
  });
}

function changes(world: World): SymbolicObject {
  const { random } = world;
  return world.optional(
    {
      name: () => random.pick([world.name('renamed'), null, '']),
      flow_version: () => random.pick(['3', null]),
      parameters: () => world.jsonObject(),
      empirical_policy: () => flowRunPolicy(world),
      tags: () => world.tags(),
      infrastructure_pid: () => random.pick(['1234', null]),
      job_variables: () => random.pick<SymbolicObject | null>([{ env: { A: '2' } }, null]),
    },
    0.3,
  );
}
