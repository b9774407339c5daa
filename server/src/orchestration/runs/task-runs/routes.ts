import type { Context } from '../../../context/context.ts';
import { found } from '../../../errors.ts';
import type { Route } from '../../../http/routes/route.ts';
import { routesOf } from '../../../http/routes/routes-of.ts';
import { Type } from '../../../schema/kinds.ts';
import { filtersAndPart, type ListPart, listQuery, paginated, partOf } from '../../filters/pagination.ts';
import type { RelatedFilters } from '../../filters/related-conditions.ts';
import { readTaskRunHistory } from '../history/run-history.ts';
import { HistoryResponse, OrchestrationResult } from '../rows/state-schema.ts';
import { orchestrated } from '../states/routes.ts';
import { createTaskRun, deleteTaskRun, MISSING, setTaskRunState, updateTaskRun } from './operations.ts';
import { countTaskRuns, findTaskRun, listTaskRuns } from './queries.ts';
import { taskRunResponse } from './response.ts';
import {
  TaskRun,
  TaskRunCreate,
  TaskRunPaginationResponse,
  TaskRunSort,
  TaskRunUpdate,
  taskRunBodies,
} from './schema.ts';

const { get, search, post, patch, remove } = routesOf('Task Runs', 'task_runs');

export const taskRunRoutes: readonly Route[] = [
  post('/task_runs/', 'create_task_run_task_runs__post', {
    summary: 'Create a task run',
    description:
      'Creates a run of a task, within a flow run or on its own. If the flow run already has a task run with the `task_key` and `dynamic_key`, the answer is that run with 200; a new run is 201.',
    body: TaskRunCreate,
    bodySize: 'large',
    responses: { 200: TaskRun },
    async handler({ context, body }) {
      const { run, isNew } = await createTaskRun(context, body);
      return { status: isNew ? 201 : 200, body: taskRunResponse(run, context.server.clock.now()) };
    },
  }),
  get('/task_runs/', 'list_task_runs_task_runs__get', {
    summary: 'List task runs',
    description:
      'One page of task runs. `limit` is at most the largest page of this server, which is also its default; `offset` counts from 0.',
    query: listQuery(TaskRunSort, 'ID_DESC'),
    answers: Type.Array(TaskRun),
    handler: ({ context, query }) => readPage(context, {}, partOf(context, query)),
  }),
  patch('/task_runs/{id}', 'update_task_run_task_runs__id__patch', {
    summary: 'Update a task run',
    description:
      'Changes the given fields, such as the name. Only `set_state` changes the state. 404 when there is no such run.',
    body: TaskRunUpdate,
    handler: ({ context, path, body }) => updateTaskRun(context, path.id, body),
  }),
  get('/task_runs/{id}', 'read_task_run_task_runs__id__get', {
    summary: 'Read a task run',
    description: 'One run with its state. Times are UTC; durations are in seconds. 404 when there is none.',
    answers: TaskRun,
    handler: async ({ context, path }) =>
      taskRunResponse(found(await findTaskRun(context.db, path.id), MISSING), context.now),
  }),
  remove('/task_runs/{id}', 'delete_task_run_task_runs__id__delete', {
    summary: 'Delete a task run',
    description: 'Deletes the run with its states and releases its concurrency slots. 404 when there is none.',
    handler: ({ context, path }) => deleteTaskRun(context, path.id),
  }),
  search('/task_runs/count', 'count_task_runs_task_runs_count_post', {
    summary: 'Count task runs',
    description:
      'The number of runs that match all the filters. Filters on other resources select the runs related to a matching resource.',
    body: taskRunBodies.count,
    answers: Type.Integer(),
    handler: ({ context, body }) => countTaskRuns(context.db, body),
  }),
  search('/task_runs/history', 'task_run_history_task_runs_history_post', {
    summary: 'Count task runs by time and state',
    description:
      'Splits the time between `history_start` and `history_end` into intervals of `history_interval_seconds` and counts the runs of each by state, with their run time and lateness in seconds.',
    body: taskRunBodies.history,
    answers: Type.Array(HistoryResponse),
    handler: ({ context, body }) => {
      const { history_start, history_end, history_interval_seconds, ...filters } = body;
      const span = { start: history_start, end: history_end, intervalSeconds: history_interval_seconds };
      return readTaskRunHistory(context, filters, span);
    },
  }),
  search('/task_runs/filter', 'read_task_runs_task_runs_filter_post', {
    summary: 'List task runs that match filters',
    description:
      'One page of the runs that match all the filters, in the order of `sort`. `limit` is at most the largest page of this server; 422 above it.',
    body: taskRunBodies.filter,
    answers: Type.Array(TaskRun),
    handler: ({ context, body }) => readPage(context, ...filtersAndPart(context, body)),
  }),
  search('/task_runs/paginate', 'paginate_task_runs_task_runs_paginate_post', {
    summary: 'Page through task runs',
    description: 'Page `page` (from 1) of the matching runs, with `limit` per page, and the number of runs and pages.',
    body: taskRunBodies.paginate,
    answers: TaskRunPaginationResponse,
    handler: ({ context, body }) => paginated(context, body, readPage, countTaskRuns),
  }),
  post('/task_runs/{id}/set_state', 'set_task_run_state_task_runs__id__set_state_post', {
    summary: 'Propose a state for a task run',
    description:
      'The orchestration rules decide: `status` is ACCEPT, REJECT (another state was set instead), WAIT (try again in `delay_seconds`) or ABORT, with the reason. 201 when a state was written, else 200.',
    body: taskRunBodies.set_state,
    bodySize: 'large',
    responses: { 200: OrchestrationResult },
    async handler({ context, path, body }) {
      return orchestrated(await setTaskRunState(context, path.id, body.state, body.force));
    },
  }),
];

async function readPage(context: Context, filters: RelatedFilters, page: ListPart<TaskRunSort>) {
  const runs = await listTaskRuns(context.answerDb, filters, page, context.now);
  return runs.map((run) => taskRunResponse(run, context.now));
}
