/** Queries of the pages of deployments. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';
import { PAGE_SIZE, read } from '../api/read.ts';
import type { components } from '../api/schema.gen.ts';

export type Deployment = components['schemas']['DeploymentResponse'];
export type DeploymentRow = components['schemas']['DeploymentRow'];
export type DeploymentView = components['schemas']['DeploymentView'];
export type DeploymentSchedule = components['schemas']['DeploymentSchedule'];
type Position = components['schemas']['NamePosition'];

export type DeploymentFilter = Omit<
  components['schemas']['Body_read_deployments_view_views_deployments_post'],
  'limit' | 'after'
>;

export const deploymentsQuery = (filter: DeploymentFilter) =>
  read.pages('/views/deployments', (after: Position | null) => ({ body: { ...filter, limit: PAGE_SIZE, after } }), {
    watches: ['flow_run'],
    initialPageParam: null,
    placeholderData: keepPreviousData,
    getNextPageParam: ({ next }) => next,
  });

export const deploymentViewQuery = (id: string) =>
  read.one('/views/deployments/{id}', { params: { path: { id } } }, { watches: ['flow_run'] });

export const deploymentQuery = (id: string) => read.one('/deployments/{id}', { params: { path: { id } } });

const MOST_QUEUES = 200;

export interface PoolAndQueues {
  readonly pool: components['schemas']['WorkPoolResponse'];
  readonly queues: readonly components['schemas']['WorkQueueResponse'][];
}

/** A pool and its queues, for a deployment that has one. */
export function poolQuery(name: string | null | undefined) {
  return queryOptions({
    queryKey: ['/work_pools/{name}', name, 'with queues'],
    enabled: !!name,
    queryFn: async ({ signal }): Promise<PoolAndQueues> => {
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

/** The next five times of a schedule, which may be unsaved. */
export const timesQuery = (schedule: DeploymentSchedule['schedule']) =>
  read.one(
    '/views/schedule/times',
    { body: { schedule, count: 5 } },
    { placeholderData: keepPreviousData, retry: false },
  );

/** The parameters of an earlier run, which prefill a new one. */
export const parametersOfRunQuery = (run: string | undefined) =>
  read.one(
    '/flow_runs/{id}',
    { params: { path: { id: run ?? '' } } },
    { enabled: run !== undefined, select: ({ parameters }) => parameters ?? {} },
  );
