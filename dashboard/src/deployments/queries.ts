/** Queries of the pages of deployments. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';
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

const PAGE_SIZE = 100;

export function deploymentsQuery(filter: DeploymentFilter) {
  return infiniteQueryOptions({
    queryKey: ['deployments', filter],
    meta: { watches: ['flow_run'] },
    initialPageParam: null as Position | null,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam, signal }) =>
      answered(api.POST('/views/deployments', { body: { ...filter, limit: PAGE_SIZE, after: pageParam }, signal })),
    getNextPageParam: ({ next }) => next,
  });
}

export function deploymentViewQuery(id: string) {
  return queryOptions({
    queryKey: ['deployment', id],
    meta: { watches: ['flow_run'] },
    queryFn: ({ signal }) => answered(api.GET('/views/deployments/{id}', { params: { path: { id } }, signal })),
  });
}

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

/** The next five times of a schedule, which may be unsaved. */
export function timesQuery(schedule: DeploymentSchedule['schedule']) {
  return queryOptions({
    queryKey: ['schedule-times', schedule],
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: ({ signal }) => answered(api.POST('/views/schedule/times', { body: { schedule, count: 5 }, signal })),
  });
}

/** The parameters of an earlier run, which prefill a new one. */
export function parametersOfRunQuery(run: string | undefined) {
  return queryOptions({
    queryKey: ['parameters of run', run],
    enabled: run !== undefined,
    queryFn: async ({ signal }) => {
      const path = { id: run ?? '' };
      return (await answered(api.GET('/flow_runs/{id}', { params: { path }, signal }))).parameters ?? {};
    },
  });
}
