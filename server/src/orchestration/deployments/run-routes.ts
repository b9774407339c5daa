import { ok, type Route, route } from '../../http/route.ts';
import { Type } from '../../schema/kinds.ts';
import { flowRunResponse } from '../runs/flow-runs/response.ts';
import { FlowRunResponse } from '../runs/flow-runs/schema.ts';
import { WorkQueue } from '../work/schema.ts';
import { createRun, createRuns } from './create-runs.ts';
import { DeploymentFlowRunCreate, deploymentBodies, FlowRunBulkCreateResponse } from './schema.ts';
import { listQueuesFor } from './work-queue-check.ts';

const tags = ['Deployments'];

export const deploymentRunRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/deployments/{id}/create_flow_run',
    operationId: 'create_flow_run_from_deployment_deployments__id__create_flow_run_post',
    summary: 'Run a deployment',
    description:
      "Makes a run with the deployment's parameters, changed by those that are given. 409 for parameters that its schema refuses, when it enforces that; with a known `idempotency_key` the answer is the earlier run with 200.",
    tags,
    permission: 'flow_runs:write',
    provenance: true,
    parameters: { id: 'uuid' },
    body: DeploymentFlowRunCreate,
    bodySize: 'large',
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
    summary: 'Run a deployment many times',
    description: 'Creates one run for each entry. The answer lists the runs in the order of the request.',
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
    summary: 'List the queues that would take its runs',
    description:
      'The work queues whose filters match this deployment. For queues of the old kind, without a pool. 404 when there is no such deployment.',
    tags,
    permission: 'deployments:read',
    parameters: { id: 'uuid' },
    responses: { 200: Type.Array(WorkQueue) },
    async handler({ context, path }) {
      return ok(await listQueuesFor(context.db, path.id));
    },
  }),
];
