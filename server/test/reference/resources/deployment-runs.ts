import { maybeSpoiled } from '../generate/list-routes.ts';
import { http, type Resource, request } from '../generate/resource.ts';
import { scheduleCreate, scheduleUpdate } from '../generate/schedules.ts';
import { drawInitialState, flowRunPolicy, STATE_TYPES } from '../generate/states.ts';
import type { HttpStep } from '../generate/step.ts';
import { type Handle, path, Ref, type Symbolic, type SymbolicObject } from '../generate/symbols.ts';
import type { World } from '../generate/world.ts';
import { learnSchedules, parameters, readDeployment } from './deployments.ts';

const byNextStart: HttpStep['rows'] = {
  key: (row) => String(row.next_scheduled_start_time),
  limit: 200,
};

/** The runs and the schedules of deployments. */
export const deploymentRuns: Resource = {
  name: 'deployment runs and schedules',
  actions: [
    request('POST /deployments/{id}/create_flow_run', 3, (world) => {
      const deployment = world.some('deployment');
      const id = deployment && world.random.chance(0.95) ? new Ref(deployment) : world.id('deployment');
      const step = http('POST /deployments/{id}/create_flow_run', path`/deployments/${id}/create_flow_run`, {
        body: run(world),
        learn: (bodies) => void world.add('flow_run', bodies, { flow: deployment?.facts.flow ?? null }),
      });
      return maybeSpoiled(world, step);
    }),
    { routes: ['POST /deployments/{id}/create_flow_run/bulk', 'POST /flow_runs/filter'], weight: 0.6, steps: bulk },
    {
      routes: ['POST /deployments/{id}/schedule', 'POST /deployments/get_scheduled_flow_runs', 'GET /deployments/{id}'],
      weight: 1.2,
      *steps(world) {
        const deployment = world.some('deployment');
        const id = deployment ? new Ref(deployment) : world.id('deployment');
        const step = http('POST /deployments/{id}/schedule', path`/deployments/${id}/schedule`, {
          body: horizon(world),
        });
        yield maybeSpoiled(world, step, 0.15);
        yield maybeSpoiled(world, scheduledRuns(world, deployment, id), 0.15);
        yield readDeployment(id);
      },
    },
    request('GET /deployments/{id}/schedules', 0.7, (world) => readSchedules(world.id('deployment'))),
    {
      routes: ['POST /deployments/{id}/schedules', 'GET /deployments/{id}/schedules'],
      weight: 1,
      *steps(world) {
        const deployment = world.some('deployment');
        const id = deployment ? new Ref(deployment) : world.id('deployment');
        const body = Array.from({ length: world.random.int(0, 2) }, () => scheduleCreate(world));
        const step = http('POST /deployments/{id}/schedules', path`/deployments/${id}/schedules`, {
          body,
          rows: {},
          learn: (bodies, counterpart) => deployment && learnSchedules(world, deployment, bodies, counterpart),
        });
        yield maybeSpoiled(world, step, 0.2);
        yield readSchedules(id);
      },
    },
    scheduleAction('PATCH', 1),
    scheduleAction('DELETE', 0.4),
  ],
};

/**
 * Runs that start again at once: where the reference's file is locked it creates only some, and the servers would
 * diverge.
 */
function* bulk(world: World): ReturnType<Resource['actions'][number]['steps']> {
  const { random } = world;
  const names = Array.from({ length: random.pick([0, 1, 2, 3]) }, () => world.name('bulk'));
  const bodies = names.map((name) => ({ ...run(world), name }));
  const body = random.chance(0.06) ? Array.from({ length: 101 }, () => ({})) : bodies;
  const bulkPath = path`/deployments/${world.id('deployment')}/create_flow_run/bulk`;
  const step = http('POST /deployments/{id}/create_flow_run/bulk', bulkPath, { body, quiet: true });
  yield maybeSpoiled(world, step, 0.15);
  const filter = { flow_runs: { name: { any_: names } } };
  yield http('POST /flow_runs/filter', path`/flow_runs/filter`, { note: 'made in bulk', body: filter, rows: {} });
  yield http('POST /flow_runs/bulk_delete', path`/flow_runs/bulk_delete`, { body: filter, silent: true });
}

function readSchedules(id: Symbolic): HttpStep {
  return http('GET /deployments/{id}/schedules', path`/deployments/${id}/schedules`, { rows: {} });
}

function scheduleAction(method: 'PATCH' | 'DELETE', weight: number): Resource['actions'][number] {
  const route = `${method} /deployments/{id}/schedules/{schedule_id}`;
  return {
    routes: [route, 'GET /deployments/{id}/schedules'],
    weight,
    *steps(world) {
      const schedule = world.some('schedule');
      const id =
        schedule && world.random.chance(0.9) ? (schedule.facts.deployment as Symbolic) : world.id('deployment');
      const scheduleId = schedule ? new Ref(schedule) : world.random.uuid();
      const step = http(route, path`/deployments/${id}/schedules/${scheduleId}`, {
        ...(method === 'PATCH' ? { body: withoutPause(scheduleUpdate(world)) } : {}),
        learn: () => method === 'DELETE' && schedule?.die(),
      });
      yield method === 'PATCH' ? maybeSpoiled(world, step) : step;
      yield readSchedules(id);
    },
  };
}

function run(world: World): SymbolicObject {
  const { random } = world;
  return {
    ...world.optional({ name: () => world.name('run') }, 0.9),
    ...world.optional({
      state: () => drawInitialState(world, random.pick(['SCHEDULED', 'SCHEDULED', ...STATE_TYPES])),
      parameters: () => parameters(world),
      tags: () => world.tags(),
      labels: () => world.labels(),
      enforce_parameter_schema: () => random.pick<Symbolic>([true, false, null]),
      context: () => world.jsonObject(),
      empirical_policy: () => flowRunPolicy(world),
      idempotency_key: () => random.pick<Symbolic>([world.name('key'), 'shared-key', null]),
      job_variables: () => random.pick<Symbolic>([{ env: { B: '2' } }, { command: 7 }, {}, null]),
    }),
    ...world.optional({ work_queue_name: () => random.pick<Symbolic>(['default', null]) }, 0.06),
    ...world.optional({ parent_task_run_id: () => world.id('task_run') }, 0.06),
  };
}

/** Bounds of a schedule request: always given, because the default ones are the time of the request. */
function horizon(world: World): SymbolicObject {
  const { random } = world;
  const start = random.int(2, 60);
  return {
    start_time: world.hoursAway(start),
    end_time: world.hoursAway(start + random.pick([0, 1, 24, 72])),
    ...world.optional({ min_time: () => random.pick<Symbolic>([0, 3600, 'PT2H', -1]) }, 0.2),
    ...world.optional({ min_runs: () => random.pick([0, 1, 3]) }, 0.3),
    max_runs: random.pick([1, 3, 5]),
  };
}

function scheduledRuns(world: World, deployment: Handle | undefined, id: Symbolic): HttpStep {
  const { random } = world;
  const body: SymbolicObject = {
    deployment_ids: random.chance(0.85) ? [id] : [id, world.id('deployment')],
    ...world.optional({ scheduled_before: () => world.future() }, 0.6),
    ...world.optional({ limit: () => random.pick([0, 1, 3, 200, 201, -1]) }, 0.3),
  };
  return http('POST /deployments/get_scheduled_flow_runs', path`/deployments/get_scheduled_flow_runs`, {
    body,
    rows: { ...byNextStart, limit: typeof body.limit === 'number' ? body.limit : 200 },
    learn: (bodies, counterpart) => {
      if (deployment) world.addRows('flow_run', bodies, counterpart, { flow: deployment.facts.flow ?? null });
    },
  });
}

/** A schedule that is paused here stays paused when its deployment is deployed again (`schedules.test.ts`). */
function withoutPause(update: SymbolicObject): SymbolicObject {
  return update.active === false ? { ...update, active: null } : update;
}
