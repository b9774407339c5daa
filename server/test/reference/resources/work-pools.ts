import { drawFilter, oneOf } from '../generate/filters.ts';
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
import { path, Ref, type Symbolic, type SymbolicObject } from '../generate/symbols.ts';
import type { World } from '../generate/world.ts';
import { printJson } from '../wire/json-text.ts';
import { workPoolFilter, workQueueFilter } from './run-filters.ts';

const POOLS = 6;
const TYPES = ['process', 'docker', 'prefect-agent'] as const;
const QUEUE = '/work_pools/{work_pool_name}/queues/{name}';

const poolLists: ListRoutes = {
  base: '/work_pools',
  routes: ['filter', 'count'],
  own: 'work_pools',
  filters: { work_pools: workPoolFilter },
  sorts: {},
  fixed: byName,
  weight: 1.5,
};

/** Pools, their queues and their workers. */
export const workPools: Resource = {
  name: 'work pools',
  *populate(world) {
    for (let i = 0; i < POOLS; i += 1) {
      yield createPool(world);
      const pool = world.alive('work_pool').at(-1);
      if (pool && i % 2 === 0) yield createQueue(world, new Ref(pool, 'name'));
    }
  },
  sweep: (world) => listSweep(world, poolLists),
  actions: [
    request('POST /work_pools/', 0.8, (world) => maybeSpoiled(world, createPool(world))),
    request('POST /work_pools/', 0.2, (world) =>
      http('POST /work_pools/', path`/work_pools/`, {
        note: 'name that is not free',
        body: { name: world.random.pick<Symbolic>([world.attribute('work_pool', 'name'), 'Prefect pool', '""', ' ']) },
      }),
    ),
    request('GET /work_pools/{name}', 1, (world) => readPool(world.attribute('work_pool', 'name'))),
    {
      routes: ['PATCH /work_pools/{name}', 'GET /work_pools/{name}'],
      weight: 1,
      *steps(world) {
        const name = world.attribute('work_pool', 'name');
        const body = { ...poolFields(world, 0.35), ...world.optional({ is_paused: () => world.random.chance(0.3) }) };
        yield maybeSpoiled(world, http('PATCH /work_pools/{name}', path`/work_pools/${name}`, { body }));
        yield readPool(name);
      },
    },
    {
      routes: ['DELETE /work_pools/{name}', 'GET /work_pools/{name}', 'POST /work_pools/count'],
      weight: 0.12,
      *steps(world) {
        const handle = world.some('work_pool');
        const name = handle ? new Ref(handle, 'name') : 'none';
        yield http('DELETE /work_pools/{name}', path`/work_pools/${name}`, {
          learn: () => {
            handle?.die();
            for (const queue of world.alive('work_queue')) if (queue.facts.pool === handle?.facts.name) queue.die();
          },
        });
        yield readPool(name);
      },
    },
    request('POST /work_pools/{name}/concurrency_status', 0.7, (world) => {
      const name = world.attribute('work_pool', 'name');
      const body = world.optional({
        page: () => world.random.pick([1, 2, 0]),
        limit: () => world.random.pick([1, 200, 201]),
        flow_run_limit: () => world.random.pick([0, 1, 200, 201]),
      });
      return maybeSpoiled(
        world,
        http('POST /work_pools/{name}/concurrency_status', path`/work_pools/${name}/concurrency_status`, { body }),
      );
    }),
    {
      routes: ['POST /work_pools/{name}/get_scheduled_flow_runs', 'GET /work_pools/{name}'],
      weight: 1.2,
      *steps(world) {
        const pool = world.some('work_pool');
        const name = pool ? new Ref(pool, 'name') : 'none';
        const queues = world.alive('work_queue').filter((queue) => queue.facts.pool === pool?.facts.name);
        const names = () => [...world.random.sample(queues, 2).map((queue) => new Ref(queue, 'name')), 'default'];
        const body = world.optional({
          scheduled_before: () => world.time(),
          scheduled_after: () => world.past(),
          work_queue_names: () => (world.random.chance(0.1) ? ['no such queue'] : names()),
          limit: () => world.random.pick([1, 5, 200]),
        });
        const limit = typeof body.limit === 'number' ? body.limit : 200;
        const step = http(
          'POST /work_pools/{name}/get_scheduled_flow_runs',
          path`/work_pools/${name}/get_scheduled_flow_runs`,
          { body, rows: { limit } },
        );
        yield maybeSpoiled(world, step, 0.2);
        yield { ...readPool(name), settle: true, quiet: true };
      },
    },
    ...listActions(poolLists),
  ],
};

/** The routes below a pool. */
export const workQueuesOfPools: Resource = {
  name: 'queues and workers of pools',
  actions: [
    request('POST /work_pools/{work_pool_name}/queues', 0.8, (world) =>
      maybeSpoiled(world, createQueue(world, world.attribute('work_pool', 'name'))),
    ),
    request(`GET ${QUEUE}`, 1, (world) => readQueue(...someQueue(world))),
    {
      routes: [`PATCH ${QUEUE}`, `GET ${QUEUE}`, 'POST /work_pools/{work_pool_name}/queues/filter'],
      weight: 1,
      *steps(world) {
        const [pool, queue] = someQueue(world);
        const body = queueFields(world, 0.4);
        yield maybeSpoiled(world, http(`PATCH ${QUEUE}`, path`/work_pools/${pool}/queues/${queue}`, { body }));
        yield readQueue(pool, queue);
        yield listQueues(world, pool);
      },
    },
    {
      routes: [`DELETE ${QUEUE}`, `GET ${QUEUE}`],
      weight: 0.2,
      *steps(world) {
        const handle = world.some('work_queue', (one) => one.facts.pool !== undefined);
        const [pool, queue] = handle ? [handle.facts.pool as Symbolic, new Ref(handle, 'name')] : ['none', 'none'];
        yield http(`DELETE ${QUEUE}`, path`/work_pools/${pool}/queues/${queue}`, { learn: () => handle?.die() });
        yield readQueue(pool, queue);
      },
    },
    request('POST /work_pools/{work_pool_name}/queues/filter', 0.8, (world) =>
      maybeSpoiled(world, listQueues(world, world.attribute('work_pool', 'name'))),
    ),
    {
      routes: [
        'POST /work_pools/{work_pool_name}/workers/heartbeat',
        'POST /work_pools/{work_pool_name}/workers/filter',
        'GET /work_pools/{name}',
      ],
      weight: 1,
      *steps(world) {
        const pool = world.attribute('work_pool', 'name');
        const body = {
          name: world.random.pick(['worker-1', 'worker-2', 'worker-3', 'w/4']),
          // Long intervals: one server marks a worker offline at once, the other by a service that is off here.
          heartbeat_interval_seconds: world.random.pick([3000, 6000]),
        };
        const route = 'POST /work_pools/{work_pool_name}/workers/heartbeat';
        yield maybeSpoiled(world, http(route, path`/work_pools/${pool}/workers/heartbeat`, { body }));
        yield listWorkers(world, pool);
        yield readPool(pool);
      },
    },
    request('POST /work_pools/{work_pool_name}/workers/filter', 0.5, (world) =>
      maybeSpoiled(world, listWorkers(world, world.attribute('work_pool', 'name'))),
    ),
    {
      routes: [
        'DELETE /work_pools/{work_pool_name}/workers/{name}',
        'POST /work_pools/{work_pool_name}/workers/filter',
      ],
      weight: 0.3,
      *steps(world) {
        const pool = world.attribute('work_pool', 'name');
        const worker = world.random.pick(['worker-1', 'worker-2', 'nobody']);
        const route = 'DELETE /work_pools/{work_pool_name}/workers/{name}';
        yield http(route, path`/work_pools/${pool}/workers/${worker}`);
        yield listWorkers(world, pool);
      },
    },
  ],
};

function poolFields(world: World, probability: number): SymbolicObject {
  const { random } = world;
  return world.optional(
    {
      description: () => random.pick(['A pool', '', null]),
      concurrency_limit: () => random.pick([0, 1, 10, null]),
      base_job_template: () => random.pick<Symbolic>([template, template, {}, { variables: {} }]),
    },
    probability,
  );
}

const template: SymbolicObject = {
  job_configuration: { command: '{{ command }}', env: '{{ env }}' },
  variables: {
    type: 'object',
    properties: {
      command: { type: 'string', title: 'Command', default: null },
      env: { type: 'object', title: 'Environment', additionalProperties: { type: 'string' } },
    },
  },
};

function createPool(world: World): HttpStep {
  const { random } = world;
  const body = {
    name: world.name('pool'),
    ...poolFields(world, 0.2),
    type: random.pick(TYPES),
    ...world.optional({ base_job_template: () => template }, 0.6),
    ...world.optional({ is_paused: () => random.chance(0.5) }),
  };
  return http('POST /work_pools/', path`/work_pools/`, {
    body,
    learn: (bodies) => void world.add('work_pool', bodies),
  });
}

function readPool(name: Symbolic): HttpStep {
  return http('GET /work_pools/{name}', path`/work_pools/${name}`);
}

export function queueFields(world: World, probability: number): SymbolicObject {
  const { random } = world;
  return world.optional(
    {
      description: () => random.pick(['A queue', '', null]),
      is_paused: () => random.chance(0.3),
      concurrency_limit: () => random.pick([0, 1, 10, null]),
      priority: () => random.pick([1, 2, 3, 100]),
    },
    probability,
  );
}

function createQueue(world: World, pool: Symbolic): HttpStep {
  const body = { name: world.name('queue'), ...queueFields(world, 0.2) };
  return http('POST /work_pools/{work_pool_name}/queues', path`/work_pools/${pool}/queues`, {
    body,
    learn: (bodies) => {
      const name = pool instanceof Ref ? pool.handle.facts.name : pool;
      void world.add('work_queue', bodies, { pool: name ?? null });
    },
  });
}

/** The names of a pool and of one of its queues. */
function someQueue(world: World): [Symbolic, Symbolic] {
  const handle = world.some('work_queue', (one) => typeof one.facts.pool === 'string');
  if (!handle || world.random.chance(0.3)) {
    return [world.attribute('work_pool', 'name'), world.random.pick(['default', 'default', 'none'])];
  }
  return [handle.facts.pool as Symbolic, new Ref(handle, 'name')];
}

function readQueue(pool: Symbolic, queue: Symbolic): HttpStep {
  return http(`GET ${QUEUE}`, path`/work_pools/${pool}/queues/${queue}`);
}

function listQueues(world: World, pool: Symbolic): HttpStep {
  return http('POST /work_pools/{work_pool_name}/queues/filter', path`/work_pools/${pool}/queues/filter`, {
    body: world.optional({ work_queues: () => drawFilter(world, workQueueFilter) }, 0.5),
    rows: { key: ({ priority }) => printJson(priority ?? null), limit: LARGEST_LIMIT },
  });
}

function listWorkers(world: World, pool: Symbolic): HttpStep {
  const { random } = world;
  const workers = (): SymbolicObject =>
    random.chance(0.5)
      ? { status: { [random.pick(['any_', 'not_any_'])]: oneOf('ONLINE', 'OFFLINE')(world) } }
      : { last_heartbeat_time: { [random.pick(['before_', 'after_'])]: world.time() } };
  return http('POST /work_pools/{work_pool_name}/workers/filter', path`/work_pools/${pool}/workers/filter`, {
    body: world.optional({ workers }, 0.5),
    rows: { limit: LARGEST_LIMIT },
  });
}
