/** The routes from which workers, agents and served flows poll the due runs. */
import type { Route } from '../../http/routes/route.ts';
import { routesOf } from '../../http/routes/routes-of.ts';
import { Maybe, Shape, Type, Uuid, withDefault } from '../../schema/kinds.ts';
import { deploymentBodies } from '../deployments/schema.ts';
import { pageLimit } from '../filters/pagination.ts';
import { flowRunResponse } from '../runs/flow-runs/response.ts';
import { FlowRun, FlowRunResponse } from '../runs/flow-runs/schema.ts';
import { workPoolBodies, workQueueBodies } from '../work/request-schema.ts';
import { pollScheduledRuns } from './poll-deployments.ts';
import { pollWorkPool } from './poll-pool.ts';
import { readQueueRuns } from './poll-queue.ts';

/** A run that a worker may start. */
const WorkerFlowRunResponse = Shape(
  'WorkerFlowRunResponse',
  { work_pool_id: Uuid(), work_queue_id: Uuid(), flow_run: FlowRun },
  'ignore',
);

/** A poll is a change: it marks the queues and the deployments as ready. */
const { post } = routesOf('Work Pools', 'work_pools');

export const pollingRoutes: readonly Route[] = [
  post(
    '/work_pools/{name}/get_scheduled_flow_runs',
    'get_scheduled_flow_runs_work_pools__name__get_scheduled_flow_runs_post',
    {
      summary: 'List the due runs of a work pool',
      description:
        'The runs that a worker may start now, by the priority of their queues and then by time, at most `limit` and within the limits of the pool. They are not reserved: the first worker that proposes Pending gets the run. 404 for a pool or queue that does not exist.',
      body: workPoolBodies.get_scheduled_flow_runs,
      answers: Type.Array(WorkerFlowRunResponse),
      handler: ({ context, path, body }) =>
        pollWorkPool(context, path.name, { ...body, limit: pageLimit(context, body.limit) }),
    },
  ),
  post('/work_queues/{id}/get_runs', 'read_work_queue_runs_work_queues__id__get_runs_post', {
    summary: 'List the due runs of a work queue',
    description:
      'The runs of the queue that are due before `scheduled_before`, at most `limit` and within its limit. For agents. The request also marks the queue as polled.',
    tags: ['Work Queues'],
    permission: 'work_queues:write',
    headers: Type.Object({ 'x-prefect-ui': withDefault(Maybe(Type.Boolean()), false) }),
    body: workQueueBodies.get_runs,
    answers: Type.Array(FlowRunResponse),
    handler: async ({ context, path, body, headers }) => {
      const limit = pageLimit(context, body.limit);
      const isPoll = !/^(true|1|yes|on|t|y)$/i.test(String(headers['x-prefect-ui'] ?? ''));
      const runs = await readQueueRuns(context, path.id, { before: body.scheduled_before, limit, isPoll });
      return runs.map((run) => flowRunResponse(run, context.now));
    },
  }),
  post(
    '/deployments/get_scheduled_flow_runs',
    'get_scheduled_flow_runs_for_deployments_deployments_get_scheduled_flow_runs_post',
    {
      summary: 'List the due runs of deployments',
      description:
        'The scheduled runs of the given deployments that are due before `scheduled_before`, earliest first, at most `limit`. For processes that serve deployments without a work pool. The runs are not reserved.',
      tags: ['Deployments'],
      permission: 'deployments:write',
      body: deploymentBodies.get_scheduled_flow_runs,
      answers: Type.Array(FlowRunResponse),
      handler: async ({ context, body }) => {
        const { deployment_ids, scheduled_before, limit } = body;
        const runs = await pollScheduledRuns(context, deployment_ids, scheduled_before, pageLimit(context, limit));
        return runs.map((run) => flowRunResponse(run, context.now));
      },
    },
  ),
];
