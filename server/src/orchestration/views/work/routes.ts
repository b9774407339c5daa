/** The screens of flows, deployments, schedules and work pools, each in one answer. */
import { found } from '../../../errors.ts';
import type { Route } from '../../../http/routes/route.ts';
import { routesOf } from '../../../http/routes/routes-of.ts';
import { readDeploymentsView, readDeploymentView } from './deployments.ts';
import { DeploymentsView, DeploymentsViewBody, DeploymentView } from './deployments-schema.ts';
import { readFlowsView, readFlowView } from './flows.ts';
import { FlowsView, FlowsViewBody, FlowView } from './flows-schema.ts';
import { readWorkPoolsView, readWorkPoolView, readWorkQueueView } from './pools.ts';
import { WorkPoolsView, WorkPoolView, WorkQueueView } from './pools-schema.ts';
import { readScheduleTimes, readScheduleView } from './schedule.ts';
import { ScheduleTimes, ScheduleTimesBody, ScheduleView, scheduleQuery } from './schedule-schema.ts';

const { get, search } = routesOf('Views', 'deployments');

/** These routes are additions to the reference. */
export const workViewRoutes: readonly Route[] = [
  search('/views/flows', 'read_flows_view_views_flows_post', {
    summary: 'Read a page of flows with their last and next runs',
    description:
      'Flows by name, each with its last 16 runs, its next run and the number of its deployments and runs. `after` is the `next` of the previous page.',
    permission: 'flows:read',
    body: FlowsViewBody,
    answers: FlowsView,
    handler: ({ context, body }) => readFlowsView(context, body),
  }),
  get('/views/flows/{id}', 'read_flow_view_views_flows__id__get', {
    summary: 'Read a flow with its last and next runs',
    description: 'A flow with its last 50 runs, its next run and its counts. 404 when there is no such flow.',
    permission: 'flows:read',
    answers: FlowView,
    handler: async ({ context, path }) => found(await readFlowView(context, path.id), 'Flow not found'),
  }),
  search('/views/deployments', 'read_deployments_view_views_deployments_post', {
    summary: 'Read a page of deployments with their health',
    description:
      'Deployments by name, each with its schedules, its last 16 runs, its next run and the reasons that prevent its runs from starting. `after` is the `next` of the previous page.',
    body: DeploymentsViewBody,
    answers: DeploymentsView,
    handler: ({ context, body }) => readDeploymentsView(context, body),
  }),
  get('/views/deployments/{id}', 'read_deployment_view_views_deployments__id__get', {
    summary: 'Read a deployment with its health and runs',
    description:
      'A deployment with its flow, its work pool, its last 50 runs and their versions, and the reasons that prevent its runs from starting. 404 when there is no such deployment.',
    answers: DeploymentView,
    handler: async ({ context, path }) => found(await readDeploymentView(context, path.id), 'Deployment not found'),
  }),
  get('/views/schedule', 'read_schedule_view_views_schedule_get', {
    summary: 'Read the plan of all schedules',
    description:
      'The dates of the active schedules of all deployments in the next days, and the times at which they plan more runs than the limits of their deployments and work pools allow.',
    query: scheduleQuery,
    answers: ScheduleView,
    handler: ({ context, query }) => readScheduleView(context, query.days),
  }),
  search('/views/schedule/times', 'read_schedule_times_views_schedule_times_post', {
    summary: 'Read the next times of a schedule',
    description:
      'The next times of a schedule that is not stored yet. 422 for one that cannot be parsed or takes too long to compute.',
    body: ScheduleTimesBody,
    answers: ScheduleTimes,
    handler: ({ context, body }) => readScheduleTimes(context, body),
  }),
  get('/views/work_pools', 'read_work_pools_view_views_work_pools_get', {
    summary: 'Read the work pools with their health',
    description:
      'The first 200 pools by name, each with its workers, its runs and the reasons that prevent runs from starting.',
    permission: 'work_pools:read',
    answers: WorkPoolsView,
    handler: ({ context }) => readWorkPoolsView(context),
  }),
  get('/views/work_pools/{name}', 'read_work_pool_view_views_work_pools__name__get', {
    summary: 'Read a work pool with its queues, workers and runs',
    description:
      'A pool with its queues by priority, its workers, and its active and waiting runs. 404 when there is no such pool.',
    permission: 'work_pools:read',
    answers: WorkPoolView,
    handler: async ({ context, path }) => found(await readWorkPoolView(context, path.name), 'Work pool not found'),
  }),
  get('/views/work_queues/{id}', 'read_work_queue_view_views_work_queues__id__get', {
    summary: 'Read a work queue with its runs',
    description: 'A queue with its pool and its active and waiting runs. 404 when there is no such queue.',
    permission: 'work_pools:read',
    answers: WorkQueueView,
    handler: async ({ context, path }) => found(await readWorkQueueView(context, path.id), 'Work queue not found'),
  }),
];
