/** The lists of runs: their pages, the values by which they can be narrowed, and their counts. */
import type { Context } from '../../../context/context.ts';
import { FieldValues, type NarrowingCondition } from '../../../database/lists/where-schema.ts';
import { bounds, fileOf } from '../../../http/routes/file.ts';
import type { Route } from '../../../http/routes/route.ts';
import { routesOf } from '../../../http/routes/routes-of.ts';
import { Json } from '../../../schema/kinds.ts';
import type { RelatedFilters } from '../../filters/related-conditions.ts';
import { flowRunsByStart, taskRunsByStart } from '../../runs/history/start-order.ts';
import { exportQuery, linesOf, type Part } from '../files/list-export.ts';
import { readValues } from '../narrowing/counted-values.ts';
import { flowRunNarrowing } from '../narrowing/flow-run-fields.ts';
import { countedFlowRuns } from '../narrowing/flow-run-values.ts';
import { narrow } from '../narrowing/narrow.ts';
import { taskRunNarrowing } from '../narrowing/task-run-fields.ts';
import { countedTaskRuns } from '../narrowing/task-run-values.ts';
import { withIdsForNames } from './ids-for-names.ts';
import type { RunPosition } from './run-position.ts';
import { RunRow } from './run-row.ts';
import { readCounts, readRunPage, readRunSums, readTaskRunPage } from './runs.ts';
import {
  RunCounts,
  RunCountsBody,
  RunsExportBody,
  RunsView,
  RunsViewBody,
  RunValuesBody,
  runColumns,
  TaskRunsExportBody,
  TaskRunsView,
  TaskRunsViewBody,
  TaskRunValuesBody,
  taskRunColumns,
} from './runs-schema.ts';
import { TaskRunRow } from './task-run-row.ts';

const { search } = routesOf('Views', 'flow_runs');

type Narrowed = RelatedFilters & { readonly where: readonly NarrowingCondition[] };

/** These routes are additions to the reference. */
export const runViewRoutes: readonly Route[] = [
  search('/views/runs', 'read_runs_view_views_runs_post', {
    summary: 'Read a page of runs with its sums',
    description:
      'One page of the flow runs that match the filters and every condition of `where`, in the order of `sort`, with names in place of ids. `after` is the `next` of the previous page. With `history` the answer also counts all matching runs, by interval and state. 422 for a value that its field does not take.',
    body: RunsViewBody,
    answers: RunsView,
    handler: async ({ context, body }) => {
      const { sort, limit, after, history, ...asked } = body;
      const filters = await flowRunFilters(context, asked);
      const [page, sums] = await Promise.all([
        readRunPage(context, filters, { sort, limit, after }),
        readRunSums(context, flowRunsByStart, filters, history),
      ]);
      return { ...page, ...sums };
    },
  }),
  search('/views/runs/values', 'read_run_values_views_runs_values_post', {
    summary: 'Read the values by which a list of runs can be narrowed',
    description:
      'The values of `field` in the flow runs that match the filters and the conditions of `where` on other fields, most frequent first. `counted_since` says how far back the runs were counted. Names that contain `text` follow with a count of 0.',
    body: RunValuesBody,
    answers: FieldValues,
    handler: async ({ context, body }) => {
      const { field, text, limit, where, ...asked } = body;
      const filters = await withIdsForNames(context.db, asked);
      return readValues(context, countedFlowRuns, { filters, where }, { field, text, limit });
    },
  }),
  search('/views/runs/counts', 'count_runs_of_views_views_runs_counts_post', {
    summary: 'Count the runs of several views of a list',
    description:
      'The number of flow runs that match the filters and each of `views`: its conditions and its bounds of the start. Where no sum answers a view, its latest runs are counted, and `counted_since` says how far back.',
    body: RunCountsBody,
    answers: RunCounts,
    handler: async ({ context, body: { views, ...asked } }) =>
      readCounts(context, await flowRunFilters(context, asked), views),
  }),
  search('/views/runs/export', 'export_runs_views_runs_export_post', {
    summary: 'Export a list of runs',
    description: `Every flow run that the list with this body has, in its order, as comma-separated values or as JSON lines. A cell that a spreadsheet would read as a formula begins with an apostrophe. ${bounds}`,
    query: exportQuery,
    body: RunsExportBody,
    responses: { 200: Json() },
    handler: async ({ context, query: { format }, body: { columns, sort, ...asked } }) => {
      const filters = await flowRunFilters(context, asked);
      const lines = linesOf(context, {
        format,
        row: RunRow,
        columns: columns ?? runColumns,
        read: async (part: Part<RunPosition>) => {
          const { runs, next } = await readRunPage(context, filters, { sort, ...part });
          return { rows: runs, next };
        },
      });
      return fileOf('flow-runs', format, lines);
    },
  }),
  search('/views/task_runs', 'read_task_runs_view_views_task_runs_post', {
    summary: 'Read a page of task runs with its sums',
    description:
      'One page of the task runs that match the filters and every condition of `where`, by their expected start, with names in place of ids. `after` is the `next` of the previous page. With `history` the answer also counts all matching task runs, by interval and state. 422 for a value that its field does not take.',
    permission: 'task_runs:read',
    body: TaskRunsViewBody,
    answers: TaskRunsView,
    handler: async ({ context, body }) => {
      const { sort, limit, after, history, ...asked } = body;
      const filters = await taskRunFilters(context, asked);
      const [page, sums] = await Promise.all([
        readTaskRunPage(context, filters, { sort, limit, after }),
        readRunSums(context, taskRunsByStart, filters, history),
      ]);
      return { ...page, ...sums };
    },
  }),
  search('/views/task_runs/values', 'read_task_run_values_views_task_runs_values_post', {
    summary: 'Read the values by which a list of task runs can be narrowed',
    description:
      'The values of `field` in the task runs that match the filters and the conditions of `where` on other fields, most frequent first. `counted_since` says how far back the task runs were counted. Names that contain `text` follow with a count of 0.',
    permission: 'task_runs:read',
    body: TaskRunValuesBody,
    answers: FieldValues,
    handler: ({ context, body }) => {
      const { field, text, limit, where, ...filters } = body;
      return readValues(context, countedTaskRuns, { filters, where }, { field, text, limit });
    },
  }),
  search('/views/task_runs/export', 'export_task_runs_views_task_runs_export_post', {
    summary: 'Export a list of task runs',
    description: `Every task run that the list with this body has, in its order, as comma-separated values or as JSON lines. A cell that a spreadsheet would read as a formula begins with an apostrophe. ${bounds}`,
    permission: 'task_runs:read',
    query: exportQuery,
    body: TaskRunsExportBody,
    responses: { 200: Json() },
    handler: async ({ context, query: { format }, body: { columns, sort, ...asked } }) => {
      const filters = await taskRunFilters(context, asked);
      const lines = linesOf(context, {
        format,
        row: TaskRunRow,
        columns: columns ?? taskRunColumns,
        read: async (part: Part<RunPosition>) => {
          const { task_runs, next } = await readTaskRunPage(context, filters, { sort, ...part });
          return { rows: task_runs, next };
        },
      });
      return fileOf('task-runs', format, lines);
    },
  }),
];

async function flowRunFilters(context: Context, { where, ...asked }: Narrowed): Promise<RelatedFilters> {
  return narrow(context, flowRunNarrowing, await withIdsForNames(context.db, asked), where);
}

function taskRunFilters(context: Context, { where, ...asked }: Narrowed): Promise<RelatedFilters> {
  return narrow(context, taskRunNarrowing, asked, where);
}
