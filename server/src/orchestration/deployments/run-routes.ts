import type { Route } from '../../http/routes/route.ts';
import { routesOf } from '../../http/routes/routes-of.ts';
import { Type } from '../../schema/kinds.ts';
import { flowRunResponse } from '../runs/flow-runs/response.ts';
import { FlowRunResponse } from '../runs/flow-runs/schema.ts';
import { WorkQueue } from '../work/schema.ts';
import { createRun, createRuns } from './create-runs.ts';
import { DeploymentFlowRunCreate, deploymentBodies, FlowRunBulkCreateResponse } from './schema.ts';
import { listQueuesFor } from './work-queue-check.ts';

const { get, post } = routesOf('Deployments', 'flow_runs');

export const deploymentRunRoutes: readonly Route[] = [
  post('/deployments/{id}/create_flow_run', 'create_flow_run_from_deployment_deployments__id__create_flow_run_post', {
    summary: 'Run a deployment',
    description:
      'Creates a run. The given parameters override those of the deployment. 409 for parameters that its enforced schema refuses. With a known `idempotency_key` the answer is the earlier run with 200.',
    provenance: true,
    body: DeploymentFlowRunCreate,
    bodySize: 'large',
    responses: { 200: FlowRunResponse },
    async handler({ context, path, body }) {
      const { run, isNew } = await createRun(context, path.id, body);
      return { status: isNew ? 201 : 200, body: flowRunResponse(run, context.server.clock.now()) };
    },
  }),
  post(
    '/deployments/{id}/create_flow_run/bulk',
    'bulk_create_flow_runs_from_deployment_deployments__id__create_flow_run_bulk_post',
    {
      summary: 'Run a deployment many times',
      description: 'Creates one run for each entry. The answer lists the runs in the order of the request.',
      provenance: true,
      body: deploymentBodies.create_flow_run_bulk,
      answers: FlowRunBulkCreateResponse,
      handler: async ({ context, path, body }) => ({ results: await createRuns(context, path.id, body) }),
    },
  ),
  /** Deprecated in the reference. */
  get('/deployments/{id}/work_queue_check', 'work_queue_check_for_deployment_deployments__id__work_queue_check_get', {
    summary: 'List the queues that would receive its runs',
    description:
      'The work queues whose filters match this deployment. Only for queues of the old kind, without a pool. 404 when there is no such deployment.',
    permission: 'deployments:read',
    answers: Type.Array(WorkQueue),
    handler: ({ context, path }) => listQueuesFor(context.db, path.id),
  }),
];
