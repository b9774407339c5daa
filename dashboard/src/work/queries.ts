/** Queries of the pages of work pools. */
import { queryOptions } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';
import type { components } from '../api/schema.gen.ts';

export type WorkPoolRow = components['schemas']['WorkPoolRow'];
export type WorkPoolView = components['schemas']['WorkPoolView'];
export type WorkQueueRow = components['schemas']['WorkQueueRow'];
export type WorkerRow = components['schemas']['WorkerRow'];
export type WorkPool = components['schemas']['WorkPoolResponse'];

export const poolsQuery = queryOptions({
  queryKey: ['work-pools'],
  meta: { watches: ['flow_run', 'event'] },
  queryFn: ({ signal }) => answered(api.GET('/views/work_pools', { signal })),
});

export function poolViewQuery(name: string) {
  return queryOptions({
    queryKey: ['work-pool', name],
    meta: { watches: ['flow_run', 'event'] },
    queryFn: ({ signal }) => answered(api.GET('/views/work_pools/{name}', { params: { path: { name } }, signal })),
  });
}

export function queueViewQuery(id: string) {
  return queryOptions({
    queryKey: ['work-queue', id],
    meta: { watches: ['flow_run', 'event'] },
    queryFn: ({ signal }) => answered(api.GET('/views/work_queues/{id}', { params: { path: { id } }, signal })),
  });
}

export interface PoolType {
  readonly type: string;
  readonly display_name: string;
  readonly description: string;
  readonly documentation_url?: string;
  readonly install_command?: string;
  readonly is_beta?: boolean;
  readonly default_base_job_configuration: Record<string, unknown>;
}

/** The types of work pools that the server knows. */
export const poolTypesQuery = queryOptions({
  queryKey: ['work-pool-types'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }) => {
    const packages = await answered(api.GET('/collections/work_pool_types', { signal }));
    const types = Object.values(packages as Record<string, Record<string, PoolType>>).flatMap((one) =>
      Object.values(one),
    );
    return types.toSorted((left, right) => left.display_name.localeCompare(right.display_name));
  },
});
