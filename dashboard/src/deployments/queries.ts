import { queryOptions } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';
import type { components } from '../api/schema.gen.ts';

export type Deployment = components['schemas']['DeploymentResponse'];
export type WorkPool = components['schemas']['WorkPoolResponse'];

export function deploymentQuery(id: string) {
  return queryOptions({
    queryKey: ['deployment', id, 'alone'],
    queryFn: ({ signal }) => answered(api.GET('/deployments/{id}', { params: { path: { id } }, signal })),
  });
}

const MOST_QUEUES = 200;

/** A pool and its queues, for a deployment that has one. */
export function poolQuery(name: string | null | undefined) {
  return queryOptions({
    queryKey: ['work-pool', name, 'with queues'],
    enabled: !!name,
    queryFn: async ({ signal }) => {
      const path = { name: name ?? '' };
      const [pool, queues] = await Promise.all([
        answered(api.GET('/work_pools/{name}', { params: { path }, signal })),
        answered(
          api.POST('/work_pools/{work_pool_name}/queues/filter', {
            params: { path: { work_pool_name: path.name } },
            body: { limit: MOST_QUEUES, offset: 0 },
            signal,
          }),
        ),
      ]);
      return { pool, queues };
    },
  });
}
