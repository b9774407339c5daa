import { by, byName, type ListRoutes, listActions, listSweep, maybeSpoiled } from '../generate/list-routes.ts';
import { http, type Resource, request } from '../generate/resource.ts';
import { scheduleCreate, scheduleUpdate } from '../generate/schedules.ts';
import { spoiledNarrowly } from '../generate/spoil.ts';
import type { Bodies, Counterpart, HttpStep } from '../generate/step.ts';
import { type Handle, path, Ref, type Symbolic, type SymbolicObject } from '../generate/symbols.ts';
import type { World } from '../generate/world.ts';
import { isParsedObject } from '../wire/json-text.ts';
import { flowFilter } from './flows.ts';
import { deploymentFilter, flowRunFilter, taskRunFilter, workPoolFilter, workQueueFilter } from './run-filters.ts';

const POPULATION = 25;

const lists: ListRoutes = {
  base: '/deployments',
  routes: ['filter', 'paginate', 'count'],
  own: 'deployments',
  filters: {
    deployments: deploymentFilter,
    flows: flowFilter,
    flow_runs: flowRunFilter,
    task_runs: taskRunFilter,
    work_pools: workPoolFilter,
    work_pool_queues: workQueueFilter,
  },
  sorts: { NAME_ASC: byName, NAME_DESC: byName, CREATED_DESC: by('created'), UPDATED_DESC: by('updated') },
  weight: 4,
};

export const deployments: Resource = {
  name: 'deployments',
  *populate(world) {
    for (let i = 0; i < POPULATION; i += 1) yield create(world);
  },
  sweep: (world) => listSweep(world, lists),
  actions: [
    {
      routes: ['POST /deployments/', 'GET /deployments/{id}'],
      weight: 3,
      *steps(world) {
        yield maybeSpoiled(world, create(world));
        const made = world.alive('deployment').at(-1);
        if (made && world.random.chance(0.4)) yield readDeployment(new Ref(made));
      },
    },
    {
      routes: ['POST /deployments/', 'GET /deployments/{id}'],
      weight: 1,
      *steps(world) {
        const handle = world.some('deployment');
        if (!handle) return;
        const body = { ...details(world), name: new Ref(handle, 'name'), flow_id: new Ref(handle, 'flow_id') };
        yield http('POST /deployments/', path`/deployments/`, {
          note: 'again',
          body,
          learn: learn(world, handle.facts.flow),
        });
        yield readDeployment(new Ref(handle));
      },
    },
    request('GET /deployments/{id}', 1.5, (world) => readDeployment(world.id('deployment'))),
    request('GET /deployments/name/{flow_name}/{deployment_name}', 1, (world) => {
      const handle = world.some('deployment');
      const [flow, name] = handle ? [handle.facts.flow ?? 'none', new Ref(handle, 'name')] : ['none', 'none'];
      const route = 'GET /deployments/name/{flow_name}/{deployment_name}';
      return http(route, path`/deployments/name/${flow}/${world.random.chance(0.1) ? 'none' : name}`);
    }),
    {
      routes: ['PATCH /deployments/{id}', 'GET /deployments/{id}'],
      weight: 3,
      *steps(world) {
        const id = world.id('deployment');
        yield maybeSpoiled(
          world,
          http('PATCH /deployments/{id}', path`/deployments/${id}`, { body: changes(world) }),
          0.2,
        );
        yield readDeployment(id);
      },
    },
    {
      routes: ['DELETE /deployments/{id}', 'GET /deployments/{id}'],
      weight: 0.4,
      *steps(world) {
        const handle = world.some('deployment', (one) => one.facts.expendable === true);
        const id = handle ? new Ref(handle) : world.random.uuid();
        yield http('DELETE /deployments/{id}', path`/deployments/${id}`, { learn: () => handle?.die() });
        yield readDeployment(id);
      },
    },
    request('POST /deployments/bulk_delete', 0.25, (world) => {
      const handle = world.some('deployment', (one) => one.facts.expendable === true);
      const body = { deployments: { id: { any_: handle ? [new Ref(handle)] : [world.random.uuid()] } } };
      const step = http('POST /deployments/bulk_delete', path`/deployments/bulk_delete`, {
        body,
        learn: () => handle?.die(),
      });
      return world.random.chance(0.4) ? spoiledNarrowly(world, step) : step;
    }),
    ...(['pause', 'resume'] as const).map((verb) => switchAction(verb)),
    request('GET /deployments/{id}/work_queue_check', 0.3, (world) =>
      http('GET /deployments/{id}/work_queue_check', path`/deployments/${world.id('deployment')}/work_queue_check`, {
        rows: {},
      }),
    ),
    ...listActions(lists),
  ],
};

export function readDeployment(id: Symbolic): HttpStep {
  return http('GET /deployments/{id}', path`/deployments/${id}`, { settle: true });
}

function switchAction(verb: 'pause' | 'resume'): Resource['actions'][number] {
  const route = `POST /deployments/{id}/${verb}_deployment`;
  return {
    routes: [route, 'GET /deployments/{id}'],
    weight: 0.5,
    *steps(world) {
      const id = world.id('deployment');
      yield http(route, { literals: ['/deployments/', `/${verb}_deployment`], values: [id] });
      yield readDeployment(id);
    },
  };
}

/** A new deployment of a flow; every fifth one may be deleted later. */
function create(world: World): HttpStep {
  const { random } = world;
  const flow = random.chance(0.97) ? world.some('flow') : undefined;
  const body = {
    name: random.chance(0.03) ? random.pick(['', 'a/b', 'ünï %']) : world.name('deployment'),
    flow_id: flow ? new Ref(flow) : random.uuid(),
    ...details(world),
    ...world.optional({ labels: () => world.labels() }),
  };
  const expendable = random.chance(0.2);
  return http('POST /deployments/', path`/deployments/`, { body, learn: learn(world, flow?.facts.name, expendable) });
}

/** Remembers the deployment and, by their ids on both sides, its schedules. */
function learn(world: World, flow: Symbolic | undefined, expendable = false): HttpStep['learn'] {
  return (bodies, counterpart) => {
    const handle = world.add('deployment', bodies, { flow: flow ?? null, ...(expendable ? { expendable } : {}) });
    if (!handle || !isParsedObject(bodies.reference) || !isParsedObject(bodies.ours)) return;
    const schedules = { reference: bodies.reference.schedules ?? [], ours: bodies.ours.schedules ?? [] };
    learnSchedules(world, handle, schedules, counterpart);
  };
}

export function learnSchedules(world: World, deployment: Handle, bodies: Bodies, counterpart: Counterpart): void {
  world.addRows('schedule', bodies, counterpart, { deployment: new Ref(deployment) });
}

function details(world: World): SymbolicObject {
  const { random } = world;
  const body = world.optional({
    paused: () => random.chance(0.5),
    schedules: () => Array.from({ length: random.int(0, 3) }, () => scheduleCreate(world)),
    concurrency_limit: () => random.pick<Symbolic>([1, 2, 5, null, 0]),
    concurrency_options: () => concurrencyOptions(world),
    enforce_parameter_schema: () => random.chance(0.5),
    parameter_openapi_schema: () => parameterSchema(world),
    parameters: () => parameters(world),
    tags: () => world.tags(),
    pull_steps: () =>
      random.pick<Symbolic>([[{ 'prefect.deployments.steps.set_working_directory': { directory: '/x' } }], [], null]),
    work_pool_name: () => world.attribute('work_pool', 'name'),
    job_variables: () => random.pick<Symbolic>([{}, { env: { A: '1' } }, { command: 5 }, { unknown: 1 }]),
    version: () => random.pick(['1', 'v2', null]),
    entrypoint: () => random.pick(['flows.py:flow', null]),
    path: () => '/srv/flows',
    description: () => random.pick(['# text', '', null]),
    version_info: () => ({ type: 'git', version: 'abc', branch: 'main' }),
  });
  if (random.chance(0.02)) body.storage_document_id = random.uuid();
  if (random.chance(0.02)) body.infrastructure_document_id = random.uuid();
  if (random.chance(0.02)) body.global_concurrency_limit_id = random.uuid();
  if (body.work_pool_name && random.chance(0.4))
    body.work_queue_name = random.pick<Symbolic>(['default', world.name('queue')]);
  return body;
}

function changes(world: World): SymbolicObject {
  const body = details(world);
  delete body.schedules;
  return {
    ...body,
    ...world.optional({
      // An empty list removes all here; 3.9.1 keeps those that have a slug (`deployments.test.ts`).
      schedules: () => Array.from({ length: world.random.int(1, 2) }, () => scheduleUpdate(world)),
    }),
  };
}

function concurrencyOptions(world: World): SymbolicObject {
  return {
    collision_strategy: world.random.pick(['ENQUEUE', 'CANCEL_NEW']),
    ...world.optional({ grace_period_seconds: () => world.random.pick([60, 600, 5]) }, 0.3),
  };
}

function parameterSchema(world: World): SymbolicObject {
  return {
    title: 'Parameters',
    type: 'object',
    properties: {
      x: { title: 'x', type: 'integer', position: 0 },
      y: { title: 'y', type: 'string', default: 'q', position: 1 },
      z: { title: 'z', anyOf: [{ type: 'number' }, { type: 'null' }], position: 2 },
    },
    ...world.optional({ required: () => ['x'] }, 0.5),
  };
}

export function parameters(world: World): SymbolicObject {
  return world.random.pick<SymbolicObject>([
    {},
    { x: 1 },
    { x: 'b4d' },
    { x: 3, y: 'z', z: 1.5 },
    { w: null },
    { x: { __prefect_kind: 'json', value: '5' } },
    { x: 2, y: { __prefect_kind: 'jinja', template: 'a{{ 1 + 1 }}' } },
    { x: 2, y: { __prefect_kind: 'workspace_variable', variable_name: 'no-such-variable' } },
    { y: { __prefect_kind: 'json', value: '{' } },
    { y: { __prefect_kind: 'none', value: [1] } },
    { y: '{{ not a template }}' },
  ]);
}
