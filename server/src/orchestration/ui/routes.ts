/** The routes of the reference's own interface, page by page. */
import { NotFound } from '../../errors.ts';
import { ok, type Route, route } from '../../http/route.ts';
import { Nullable, Type } from '../../schema/kinds.ts';
import { findFlowRun } from '../runs/rows/flow-runs.ts';
import { findTaskRun } from '../runs/task-runs/queries.ts';
import { taskRunResponse } from '../runs/task-runs/response.ts';
import {
  countDeploymentsOfFlows,
  countTaskRunsByState,
  countTaskRunsOfRuns,
  findNextRuns,
  listRunPoints,
} from './queries.ts';
import {
  ById,
  CountByState,
  SchemaValuesValidationResponse,
  SimpleFlowRun,
  SimpleNextFlowRun,
  TaskRunCount,
  UITaskRun,
  uiBodies,
} from './schema.ts';
import { countTaskRunsForDashboard } from './task-run-counts.ts';
import { validateFormValues } from './validate-values.ts';

const MOST_POINTS = 1000;

export const uiRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/ui/flows/count-deployments',
    operationId: 'count_deployments_by_flow_ui_flows_count_deployments_post',
    summary: 'Count deployments by flow',
    description: 'The number of deployments of each given flow.',
    tags: ['Flows', 'UI'],
    permission: 'deployments:read',
    body: uiBodies.count_deployments,
    responses: { 200: ById(Type.Integer()) },
    handler: async ({ context, body }) => ok(await countDeploymentsOfFlows(context.db, body.flow_ids)),
  }),
  route({
    method: 'POST',
    path: '/ui/flows/next-runs',
    operationId: 'next_runs_by_flow_ui_flows_next_runs_post',
    summary: 'List the next run of flows',
    description: 'The earliest scheduled run of each given flow; null where there is none.',
    tags: ['Flows', 'UI'],
    permission: 'flow_runs:read',
    body: uiBodies.next_runs,
    responses: { 200: ById(Nullable(SimpleNextFlowRun)) },
    handler: async ({ context, body }) => ok(await findNextRuns(context.db, body.flow_ids)),
  }),
  route({
    method: 'POST',
    path: '/ui/flow_runs/history',
    operationId: 'read_flow_run_history_ui_flow_runs_history_post',
    summary: 'Sketch the history of flow runs',
    description: 'Start, duration in seconds and state of up to `limit` matching runs, for drawing.',
    tags: ['Flow Runs', 'UI'],
    permission: 'flow_runs:read',
    body: uiBodies.flow_run_history,
    responses: { 200: Type.Array(SimpleFlowRun) },
    async handler({ context, body }) {
      const { sort, limit, offset, ...filters } = body;
      // A negative limit means no limit of its own, as in the reference.
      const page = { sort, limit: limit < 0 ? MOST_POINTS : limit, offset };
      return ok(await listRunPoints(context.db, filters, page, context.now));
    },
  }),
  route({
    method: 'POST',
    path: '/ui/flow_runs/count-task-runs',
    operationId: 'count_task_runs_by_flow_run_ui_flow_runs_count_task_runs_post',
    summary: 'Count task runs by flow run',
    description: 'The number of task runs of each given flow run.',
    tags: ['Flow Runs', 'UI'],
    permission: 'task_runs:read',
    body: uiBodies.count_task_runs,
    responses: { 200: ById(Type.Integer()) },
    handler: async ({ context, body }) => ok(await countTaskRunsOfRuns(context.db, body.flow_run_ids)),
  }),
  route({
    method: 'POST',
    path: '/ui/schemas/validate',
    operationId: 'validate_obj_ui_schemas_validate_post',
    summary: 'Check values against a schema',
    description: 'Reports which values the JSON schema rejects and why. 422 if the schema itself is not valid.',
    tags: ['UI', 'Schemas'],
    permission: 'variables:read',
    body: uiBodies.validate,
    responses: { 200: SchemaValuesValidationResponse },
    handler: async ({ context, body }) => ok(await validateFormValues(context.db, body.schema, body.values)),
  }),
  route({
    method: 'POST',
    path: '/ui/task_runs/dashboard/counts',
    operationId: 'read_dashboard_task_run_counts_ui_task_runs_dashboard_counts_post',
    summary: 'Count task runs by time',
    description:
      'How many task runs completed and failed in each of twenty equal parts of the time that the filter names.',
    tags: ['Task Runs', 'UI'],
    permission: 'task_runs:read',
    body: uiBodies.task_run_counts,
    responses: { 200: Type.Array(TaskRunCount) },
    async handler({ context, body }) {
      const { work_queues, ...filters } = body;
      return ok(await countTaskRunsForDashboard(context, { ...filters, work_pool_queues: work_queues }));
    },
  }),
  route({
    method: 'POST',
    path: '/ui/task_runs/count',
    operationId: 'read_task_run_counts_by_state_ui_task_runs_count_post',
    summary: 'Count task runs by state',
    description: 'The number of matching task runs in each type of state.',
    tags: ['Task Runs', 'UI'],
    permission: 'task_runs:read',
    body: uiBodies.count_by_state,
    responses: { 200: CountByState },
    async handler({ context, body }) {
      const counts = await countTaskRunsByState(context.db, body);
      return ok(Object.fromEntries(Object.keys(CountByState.properties).map((type) => [type, counts[type] ?? 0])));
    },
  }),
  route({
    method: 'GET',
    path: '/ui/task_runs/{id}',
    operationId: 'read_task_run_with_flow_run_name_ui_task_runs__id__get',
    summary: "Read a task run with its flow run's name",
    description: 'One task run and the name of its flow run. 404 when there is none.',
    tags: ['Task Runs', 'UI'],
    permission: 'task_runs:read',
    parameters: { id: 'uuid' },
    responses: { 200: UITaskRun },
    async handler({ context, path }) {
      const run = await findTaskRun(context.db, path.id);
      if (!run) throw new NotFound('Task not found');
      const flowRun = run.flow_run_id === null ? undefined : await findFlowRun(context.db, run.flow_run_id);
      return ok({ ...taskRunResponse(run, context.now), flow_run_name: flowRun?.name ?? null });
    },
  }),
];
