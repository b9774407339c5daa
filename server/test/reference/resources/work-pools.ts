import { http, type Resource } from '../generate/resource.ts';
import type { HttpStep } from '../generate/step.ts';
import { path, Ref, type SymbolicObject } from '../generate/symbols.ts';
import type { World } from '../generate/world.ts';

const POOLS = 6;

/** Pools and queues, so far only made: filters of other resources choose from them. */
export const workPools: Resource = {
  name: 'work pools',
  *populate(world) {
    for (let i = 0; i < POOLS; i += 1) {
      yield createPool(world);
      const pool = world.alive('work_pool').at(-1);
      if (pool && i % 2 === 0) yield createQueue(world, new Ref(pool, 'name'));
    }
  },
  actions: [],
};

function createPool(world: World): HttpStep {
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
  const body = {
    name: world.name('pool'),
    type: world.random.pick(['process', 'docker', 'prefect-agent']),
    ...world.optional({ base_job_template: () => template }, 0.6),
  };
  return http('POST /work_pools/', path`/work_pools/`, {
    body,
    learn: (bodies) => void world.add('work_pool', bodies),
  });
}

function createQueue(world: World, pool: Ref): HttpStep {
  return http('POST /work_pools/{work_pool_name}/queues', path`/work_pools/${pool}/queues`, {
    body: { name: world.name('queue') },
    learn: (bodies) => void world.add('work_queue', bodies, { pool }),
  });
}
