/** The screens of flows, deployments, schedules and work pools, each in one answer. */
import { NotFound } from '../../../errors.ts';
import { ok, type Route, route } from '../../../http/route.ts';
import { readDeploymentsView, readDeploymentView } from './deployments.ts';
import { DeploymentsView, DeploymentsViewBody, DeploymentView } from './deployments-schema.ts';
import { readFlowsView, readFlowView } from './flows.ts';
import { FlowsView, FlowsViewBody, FlowView } from './flows-schema.ts';

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
];

function missing(what: string): never {
  throw new NotFound(`${what} not found`);
}
