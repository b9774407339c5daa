import {
  byName,
  LARGEST_LIMIT,
  type ListRoutes,
  listActions,
  listSweep,
  maybeSpoiled,
} from '../generate/list-routes.ts';
import { http, type Resource, request } from '../generate/resource.ts';
import type { HttpStep } from '../generate/step.ts';
import { path, Ref, type Symbolic } from '../generate/symbols.ts';
import type { World } from '../generate/world.ts';
import { workQueueFilter } from './run-filters.ts';
import { queueFields } from './work-pools.ts';

const lists: ListRoutes = {
  base: '/work_queues',
  routes: ['filter'],
  own: 'work_queues',
  filters: { work_queues: workQueueFilter },
  sorts: {},
  fixed: byName,
  weight: 1,
};

/** The routes from before work pools, which agents and the UI still use. */
export const workQueues: Resource = {
  name: 'work queues',
  *populate(world) {
    for (let i = 0; i < 3; i += 1) yield create(world);
  },
  sweep: (world) => listSweep(world, lists),
  actions: [
    request('POST /work_queues/', 0.5, (world) => maybeSpoiled(world, create(world))),
    request('GET /work_queues/{id}', 0.8, (world) => read(world.id('work_queue'))),
    request('GET /work_queues/name/{name}', 0.6, (world) =>
      http('GET /work_queues/name/{name}', path`/work_queues/name/${world.attribute('work_queue', 'name')}`),
    ),
    request('GET /work_queues/{id}/status', 0.6, (world) =>
      http('GET /work_queues/{id}/status', path`/work_queues/${world.id('work_queue')}/status`),
    ),
    {
      routes: ['PATCH /work_queues/{id}', 'GET /work_queues/{id}'],
      weight: 0.6,
      *steps(world) {
        const id = world.id('work_queue');
        const body = { ...queueFields(world, 0.4), ...world.optional({ last_polled: () => world.past() }) };
        yield maybeSpoiled(world, http('PATCH /work_queues/{id}', path`/work_queues/${id}`, { body }));
        yield read(id);
      },
    },
    {
      routes: ['DELETE /work_queues/{id}', 'GET /work_queues/{id}'],
      weight: 0.15,
      *steps(world) {
        const handle = world.some('work_queue');
        const id = handle ? new Ref(handle) : world.random.uuid();
        yield http('DELETE /work_queues/{id}', path`/work_queues/${id}`, { learn: () => handle?.die() });
        yield read(id);
      },
    },
    {
      routes: ['POST /work_queues/{id}/get_runs', 'GET /work_queues/{id}'],
      weight: 0.8,
      *steps(world) {
        const id = world.id('work_queue');
        const body = world.optional({
          scheduled_before: () => world.time(),
          limit: () => world.random.pick([1, 200, 201, 0]),
        });
        const headers = world.random.pick([{}, {}, { 'x-prefect-ui': 'true' }, { 'x-prefect-ui': 'perhaps' }]);
        const limit = typeof body.limit === 'number' ? body.limit : LARGEST_LIMIT;
        const step = http('POST /work_queues/{id}/get_runs', path`/work_queues/${id}/get_runs`, {
          body,
          headers: headers as Record<string, string>,
          rows: { limit },
        });
        yield maybeSpoiled(world, step, 0.2);
        yield { ...read(id), settle: true, quiet: true };
      },
    },
    request('POST /work_queues/{id}/concurrency_status', 0.4, (world) => {
      const id = world.id('work_queue');
      const body = world.optional({
        page: () => world.random.pick([1, 2, 0]),
        limit: () => world.random.pick([1, 201]),
      });
      return maybeSpoiled(
        world,
        http('POST /work_queues/{id}/concurrency_status', path`/work_queues/${id}/concurrency_status`, { body }),
      );
    }),
    ...listActions(lists),
  ],
};

function create(world: World): HttpStep {
  const body = { name: world.name('queue'), ...queueFields(world, 0.2) };
  return http('POST /work_queues/', path`/work_queues/`, {
    body,
    learn: (bodies) => void world.add('work_queue', bodies, { pool: 'default-agent-pool' }),
  });
}

function read(id: Symbolic): HttpStep {
  return http('GET /work_queues/{id}', path`/work_queues/${id}`);
}
