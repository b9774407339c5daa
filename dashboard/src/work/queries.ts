/** Queries of the pages of work pools. */
import { read } from '../api/read.ts';
import type { components } from '../api/schema.gen.ts';

export type WorkPoolRow = components['schemas']['WorkPoolRow'];
export type WorkPoolView = components['schemas']['WorkPoolView'];
export type WorkQueueRow = components['schemas']['WorkQueueRow'];
export type WorkerRow = components['schemas']['WorkerRow'];
export type WorkPool = components['schemas']['WorkPoolResponse'];

export const poolsQuery = read.one('/views/work_pools', {}, { watches: ['flow_run', 'event'] });

export const poolViewQuery = (name: string) =>
  read.one('/views/work_pools/{name}', { params: { path: { name } } }, { watches: ['flow_run', 'event'] });

export const queueViewQuery = (id: string) =>
  read.one('/views/work_queues/{id}', { params: { path: { id } } }, { watches: ['flow_run', 'event'] });

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
export const poolTypesQuery = read.one(
  '/collections/work_pool_types',
  {},
  {
    staleTime: Number.POSITIVE_INFINITY,
    select: (packages) =>
      Object.values(packages as Record<string, Record<string, PoolType>>)
        .flatMap((one) => Object.values(one))
        .toSorted((left, right) => left.display_name.localeCompare(right.display_name)),
  },
);
