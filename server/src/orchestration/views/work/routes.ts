/** The screens of flows, deployments, schedules and work pools, each in one answer. */
import { NotFound } from '../../../errors.ts';
import { ok, type Route, route } from '../../../http/route.ts';
import { readDeploymentsView, readDeploymentView } from './deployments.ts';
import { DeploymentsView, DeploymentsViewBody, DeploymentView } from './deployments-schema.ts';
import { readFlowsView, readFlowView } from './flows.ts';
import { FlowsView, FlowsViewBody, FlowView } from './flows-schema.ts';
import { readWorkPoolsView, readWorkPoolView, readWorkQueueView } from './pools.ts';
import { WorkPoolsView, WorkPoolView, WorkQueueView } from './pools-schema.ts';
import { readScheduleTimes, readScheduleView } from './schedule.ts';
import { ScheduleTimes, ScheduleTimesBody, ScheduleView, scheduleQuery } from './schedule-schema.ts';

const tags = ['Views'];

/** Beyond the reference. */
export const workViewRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/views/flows',
    operationId: 'read_flows_view_views_flows_post',
    summary: 'Read a page of flows with their last and next runs',
    description:
      'Flows by name, each with its last 16 runs, its next run and the number of its deployments and runs. `after` is the `next` of the page before.',
    tags,
    permission: 'flows:read',
    body: FlowsViewBody,
    responses: { 200: FlowsView },
    handler: async ({ context, body }) => ok(await readFlowsView(context, body)),
  }),
  route({
    method: 'GET',
    path: '/views/flows/{id}',
    operationId: 'read_flow_view_views_flows__id__get',
    summary: 'Read a flow with its last and next runs',
    description: 'A flow with its last 50 runs, its next run and its counts. 404 when there is no such flow.',
    tags,
    permission: 'flows:read',
    parameters: { id: 'uuid' },
    responses: { 200: FlowView },
    handler: async ({ context, path }) => ok((await readFlowView(context, path.id)) ?? missing('Flow')),
  }),
  route({
    method: 'POST',
    path: '/views/deployments',
    operationId: 'read_deployments_view_views_deployments_post',
    summary: 'Read a page of deployments with their health',
    description:
      'Deployments by name, each with its schedules, its last 16 runs, its next run and what keeps its runs from starting. `after` is the `next` of the page before.',
    tags,
    permission: 'deployments:read',
    body: DeploymentsViewBody,
    responses: { 200: DeploymentsView },
    handler: async ({ context, body }) => ok(await readDeploymentsView(context, body)),
  }),
  route({
    method: 'GET',
    path: '/views/deployments/{id}',
    operationId: 'read_deployment_view_views_deployments__id__get',
    summary: 'Read a deployment with its health and runs',
    description:
      'A deployment with its flow, its work pool, its last 50 runs and their versions, and what keeps its runs from starting. 404 when there is no such deployment.',
    tags,
    permission: 'deployments:read',
    parameters: { id: 'uuid' },
    responses: { 200: DeploymentView },
    handler: async ({ context, path }) => ok((await readDeploymentView(context, path.id)) ?? missing('Deployment')),
  }),
  route({
    method: 'GET',
    path: '/views/schedule',
    operationId: 'read_schedule_view_views_schedule_get',
    summary: 'Read what all schedules plan',
    description:
      'The dates of the active schedules of all deployments in the next days, and when they plan more runs at a time than the limits of their deployments and work pools allow.',
    tags,
    permission: 'deployments:read',
    query: scheduleQuery,
    responses: { 200: ScheduleView },
    handler: async ({ context, query }) => ok(await readScheduleView(context, query.days)),
  }),
  route({
    method: 'POST',
    path: '/views/schedule/times',
    operationId: 'read_schedule_times_views_schedule_times_post',
    summary: 'Read the next times of a schedule',
    description:
      'The next times of a schedule that is not stored yet. 422 for one that cannot be read or takes too long to compute.',
    tags,
    permission: 'deployments:read',
    body: ScheduleTimesBody,
    responses: { 200: ScheduleTimes },
    handler: ({ context, body }) => ok(readScheduleTimes(context, body)),
  }),
  route({
    method: 'GET',
    path: '/views/work_pools',
    operationId: 'read_work_pools_view_views_work_pools_get',
    summary: 'Read the work pools with their health',
    description: 'The first 200 pools by name, each with its workers, its runs and what keeps runs from starting.',
    tags,
    permission: 'work_pools:read',
    responses: { 200: WorkPoolsView },
    handler: async ({ context }) => ok(await readWorkPoolsView(context)),
  }),
  route({
    method: 'GET',
    path: '/views/work_pools/{name}',
    operationId: 'read_work_pool_view_views_work_pools__name__get',
    summary: 'Read a work pool with its queues, workers and runs',
    description:
      'A pool with its queues by priority, its workers, and the runs that are under way or wait. 404 when there is no such pool.',
    tags,
    permission: 'work_pools:read',
    parameters: { name: 'text' },
    responses: { 200: WorkPoolView },
    handler: async ({ context, path }) => ok((await readWorkPoolView(context, path.name)) ?? missing('Work pool')),
  }),
  route({
    method: 'GET',
    path: '/views/work_queues/{id}',
    operationId: 'read_work_queue_view_views_work_queues__id__get',
    summary: 'Read a work queue with its runs',
    description: 'A queue with its pool and the runs that are under way or wait. 404 when there is no such queue.',
    tags,
    permission: 'work_pools:read',
    parameters: { id: 'uuid' },
    responses: { 200: WorkQueueView },
    handler: async ({ context, path }) => ok((await readWorkQueueView(context, path.id)) ?? missing('Work queue')),
  }),
];

function missing(what: string): never {
  throw new NotFound(`${what} not found`);
}
