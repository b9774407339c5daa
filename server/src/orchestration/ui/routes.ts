/** The routes of the reference's own interface, page by page. */
import { found } from '../../errors.ts';
import type { Route } from '../../http/routes/route.ts';
import { routesOf } from '../../http/routes/routes-of.ts';
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

const { get, search } = routesOf(['Task Runs', 'UI'], 'task_runs');

export const uiRoutes: readonly Route[] = [
  search('/ui/flows/count-deployments', 'count_deployments_by_flow_ui_flows_count_deployments_post', {
    summary: 'Count deployments by flow',
    description: 'The number of deployments of each given flow.',
    tags: ['Flows', 'UI'],
    permission: 'deployments:read',
    body: uiBodies.count_deployments,
    answers: ById(Type.Integer()),
    handler: ({ context, body }) => countDeploymentsOfFlows(context.db, body.flow_ids),
  }),
  search('/ui/flows/next-runs', 'next_runs_by_flow_ui_flows_next_runs_post', {
    summary: 'List the next run of flows',
    description: 'The earliest scheduled run of each given flow; null if it has none.',
    tags: ['Flows', 'UI'],
    permission: 'flow_runs:read',
    body: uiBodies.next_runs,
    answers: ById(Nullable(SimpleNextFlowRun)),
    handler: ({ context, body }) => findNextRuns(context.db, body.flow_ids),
  }),
  search('/ui/flow_runs/history', 'read_flow_run_history_ui_flow_runs_history_post', {
    summary: 'Sketch the history of flow runs',
    description: 'Start, duration in seconds and state of up to `limit` matching runs, for drawing.',
    tags: ['Flow Runs', 'UI'],
    permission: 'flow_runs:read',
    body: uiBodies.flow_run_history,
    answers: Type.Array(SimpleFlowRun),
    handler: ({ context, body }) => {
      const { sort, limit, offset, ...filters } = body;
      // A negative limit means no limit of its own, as in the reference.
      const page = { sort, limit: limit < 0 ? MOST_POINTS : limit, offset };
      return listRunPoints(context.db, filters, page, context.now);
    },
  }),
  search('/ui/flow_runs/count-task-runs', 'count_task_runs_by_flow_run_ui_flow_runs_count_task_runs_post', {
    summary: 'Count task runs by flow run',
    description: 'The number of task runs of each given flow run.',
    tags: ['Flow Runs', 'UI'],
    body: uiBodies.count_task_runs,
    answers: ById(Type.Integer()),
    handler: ({ context, body }) => countTaskRunsOfRuns(context.db, body.flow_run_ids),
  }),
  search('/ui/schemas/validate', 'validate_obj_ui_schemas_validate_post', {
    summary: 'Check values against a schema',
    description: 'Reports which values the JSON schema rejects and why. 422 if the schema itself is not valid.',
    tags: ['UI', 'Schemas'],
    permission: 'variables:read',
    body: uiBodies.validate,
    answers: SchemaValuesValidationResponse,
    handler: ({ context, body }) => validateFormValues(context.db, body.schema, body.values),
  }),
  search('/ui/task_runs/dashboard/counts', 'read_dashboard_task_run_counts_ui_task_runs_dashboard_counts_post', {
    summary: 'Count task runs by time',
    description:
      'The numbers of completed and failed task runs in each of twenty equal parts of the time range of the filter.',
    body: uiBodies.task_run_counts,
    answers: Type.Array(TaskRunCount),
    handler: ({ context, body }) => {
      const { work_queues, ...filters } = body;
      return countTaskRunsForDashboard(context, { ...filters, work_pool_queues: work_queues });
    },
  }),
  search('/ui/task_runs/count', 'read_task_run_counts_by_state_ui_task_runs_count_post', {
    summary: 'Count task runs by state',
    description: 'The number of matching task runs in each type of state.',
    body: uiBodies.count_by_state,
    answers: CountByState,
    handler: async ({ context, body }) => {
      const counts = await countTaskRunsByState(context.db, body);
      return Object.fromEntries(Object.keys(CountByState.properties).map((type) => [type, counts[type] ?? 0]));
    },
  }),
  get('/ui/task_runs/{id}', 'read_task_run_with_flow_run_name_ui_task_runs__id__get', {
    summary: "Read a task run with its flow run's name",
    description: 'One task run and the name of its flow run. 404 when there is none.',
    answers: UITaskRun,
    handler: async ({ context, path }) => {
      const run = found(await findTaskRun(context.db, path.id), 'Task not found');
      const flowRun = run.flow_run_id === null ? undefined : await findFlowRun(context.db, run.flow_run_id);
      return { ...taskRunResponse(run, context.now), flow_run_name: flowRun?.name ?? null };
    },
  }),
];
