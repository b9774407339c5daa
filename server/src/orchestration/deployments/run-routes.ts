import { ok, type Route, route } from '../../http/route.ts';
import { Type } from '../../schema/kinds.ts';
import { flowRunResponse } from '../flow-runs/response.ts';
import { FlowRunResponse } from '../flow-runs/schema.ts';
import { pageLimit } from '../pagination.ts';
import { WorkQueue } from '../work-pools/schema.ts';
import { createRun, createRuns } from './create-runs.ts';
import { pollScheduledRuns } from './poll.ts';
import { DeploymentFlowRunCreate, deploymentBodies, FlowRunBulkCreateResponse } from './schema.ts';
import { listQueuesFor } from './work-queue-check.ts';

const tags = ['Deployments'];

export const deploymentRunRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/deployments/get_scheduled_flow_runs',
    operationId: 'get_scheduled_flow_runs_for_deployments_deployments_get_scheduled_flow_runs_post',
    tags,
    // Asking marks the deployments as ready.
    permission: 'deployments:write',
    body: deploymentBodies.get_scheduled_flow_runs,
    responses: { 200: Type.Array(FlowRunResponse) },
    async handler({ context, body }) {
      const { deployment_ids, scheduled_before, limit } = body;
      const runs = await pollScheduledRuns(context, deployment_ids, scheduled_before, pageLimit(context, limit));
      return ok(runs.map((run) => flowRunResponse(run, context.now)));
    },
  }),
  route({
    method: 'POST',
    path: '/deployments/{id}/create_flow_run',
    operationId: 'create_flow_run_from_deployment_deployments__id__create_flow_run_post',
    tags,
    permission: 'flow_runs:write',
    provenance: true,
    parameters: { id: 'uuid' },
    body: DeploymentFlowRunCreate,
    responses: { 200: FlowRunResponse },
    async handler({ context, path, body }) {
      const { run, isNew } = await createRun(context, path.id, body);
      return { status: isNew ? 201 : 200, body: flowRunResponse(run, context.server.clock.now()) };
    },
  }),
  route({
    method: 'POST',
    path: '/deployments/{id}/create_flow_run/bulk',
    operationId: 'bulk_create_flow_runs_from_deployment_deployments__id__create_flow_run_bulk_post',
    tags,
    permission: 'flow_runs:write',
    provenance: true,
    parameters: { id: 'uuid' },
    body: deploymentBodies.create_flow_run_bulk,
    responses: { 200: FlowRunBulkCreateResponse },
    async handler({ context, path, body }) {
      return ok({ results: await createRuns(context, path.id, body) });
    },
  }),
  /** Deprecated in the reference. */
  route({
    method: 'GET',
    path: '/deployments/{id}/work_queue_check',
    operationId: 'work_queue_check_for_deployment_deployments__id__work_queue_check_get',
    tags,
    permission: 'deployments:read',
    parameters: { id: 'uuid' },
    responses: { 200: Type.Array(WorkQueue) },
    async handler({ context, path }) {
      return ok(await listQueuesFor(context.db, path.id));
    },
  }),
];
