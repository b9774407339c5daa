import { valuesParts, whereOf } from '../../../database/lists/where-schema.ts';
import {
  DateTime,
  described,
  Maybe,
  Nullable,
  OneOf,
  Parts,
  Shape,
  type Static,
  Type,
  withDefault,
} from '../../../schema/kinds.ts';
import { StateType } from '../../filters/field-schema.ts';
import { nullableRunFilters, workFilters } from '../../filters/related-filters.ts';
import { flowRunFieldNames } from '../narrowing/flow-run-fields.ts';
import { taskRunFieldNames } from '../narrowing/task-run-fields.ts';
import { RunPosition } from './run-position.ts';
import { RunRow } from './run-row.ts';
import { TaskRunRow } from './task-run-row.ts';

/** The orders of a list of runs. Runs with equal names, run times or states are ordered by id or start. */
const runSorts = [
  'START_TIME_DESC',
  'START_TIME_ASC',
  'NAME_ASC',
  'NAME_DESC',
  'RUN_TIME_ASC',
  'RUN_TIME_DESC',
  'STATE_ASC',
  'STATE_DESC',
] as const;
export type RunListSort = (typeof runSorts)[number];

const LARGEST_RUN_PAGE = 200;

const FlowRunsWhere = whereOf('FlowRunsCondition', flowRunFieldNames);
const TaskRunsWhere = whereOf('TaskRunsCondition', taskRunFieldNames);

/** The filters of a list of runs. */
export const runsFilters = { ...nullableRunFilters, ...workFilters, where: FlowRunsWhere };
const taskRunsFilters = { ...nullableRunFilters, ...workFilters, where: TaskRunsWhere };

const runSort = described(
  withDefault(OneOf(runSorts), 'START_TIME_DESC'),
  '`START_TIME`: by the start, or by the expected start of a run that has not started. `RUN_TIME`: by the seconds in Running states that have ended. `STATE`: by the type of the state, the newest runs of each type first.',
);
const taskRunSort = described(
  withDefault(OneOf(['START_TIME_DESC', 'START_TIME_ASC']), 'START_TIME_DESC'),
  'By the expected start.',
);

const pageLimit = withDefault(Type.Integer({ minimum: 1, maximum: LARGEST_RUN_PAGE }), 100);
const history = described(
  Maybe(
    Shape('RunsViewHistory', {
      start: DateTime(),
      end: DateTime(),
      intervals: Type.Integer({ minimum: 1, maximum: 200 }),
    }),
  ),
  'Adds the counts and the history of the matching runs, which are the same on every page.',
);

export const RunsViewBody = Parts(
  {
    ...runsFilters,
    sort: runSort,
    limit: pageLimit,
    after: described(Maybe(RunPosition), 'The `next` of the previous page.'),
    history,
  },
  'Body_read_runs_view_views_runs_post',
);

export const TaskRunsViewBody = Parts(
  {
    ...taskRunsFilters,
    sort: taskRunSort,
    limit: pageLimit,
    after: described(Maybe(RunPosition), 'The `next` of the previous page.'),
    history,
  },
  'Body_read_task_runs_view_views_task_runs_post',
);

export const RunValuesBody = Parts(
  { ...runsFilters, ...valuesParts(flowRunFieldNames) },
  'Body_read_run_values_views_runs_values_post',
);

export const TaskRunValuesBody = Parts(
  { ...taskRunsFilters, ...valuesParts(taskRunFieldNames) },
  'Body_read_task_run_values_views_task_runs_values_post',
);

/** The names of the fields of a row, in the order in which a file has them unless it is asked for some. */
export const runColumns = Object.keys(RunRow.properties);
export const taskRunColumns = Object.keys(TaskRunRow.properties);

function exportedColumns(columns: readonly string[]) {
  return described(
    Maybe(Type.Array(OneOf(columns), { minItems: 1, maxItems: columns.length })),
    'The fields of a row, in the order of the file; all by default.',
  );
}

export const RunsExportBody = Parts(
  { ...runsFilters, sort: runSort, columns: exportedColumns(runColumns) },
  'Body_export_runs_views_runs_export_post',
);

export const TaskRunsExportBody = Parts(
  { ...taskRunsFilters, sort: taskRunSort, columns: exportedColumns(taskRunColumns) },
  'Body_export_task_runs_views_task_runs_export_post',
);

const MOST_COUNTED_VIEWS = 12;

export const RunCountsBody = Parts(
  {
    ...runsFilters,
    views: Type.Array(
      Shape('CountedRunsView', {
        where: FlowRunsWhere,
        start: described(Maybe(DateTime()), 'Only runs that started, or are expected, at this time or later.'),
        end: described(Maybe(DateTime()), 'Only runs that started, or are expected, at this time or earlier.'),
      }),
      { minItems: 1, maxItems: MOST_COUNTED_VIEWS },
    ),
  },
  'Body_count_runs_of_views_views_runs_counts_post',
);

export const RunCounts = Shape(
  'RunCounts',
  {
    counts: described(
      Type.Array(
        Shape(
          'RunCount',
          {
            count: Type.Integer(),
            counted_since: described(
              Nullable(DateTime()),
              'Only runs that started later are counted; null when all are.',
            ),
          },
          'ignore',
        ),
      ),
      'In the order of `views`.',
    ),
  },
  'ignore',
);

export const StateCount = Shape(
  'StateCount',
  { state_type: StateType, state_name: Type.String(), count: Type.Integer() },
  'ignore',
);
export type StateCount = Static<typeof StateCount>;

const RunInterval = Shape(
  'RunInterval',
  {
    interval_start: DateTime(),
    states: Type.Array(
      Shape(
        'RunIntervalState',
        { state_type: StateType, state_name: Type.String(), count_runs: Type.Integer() },
        'ignore',
      ),
    ),
  },
  'ignore',
);

const next = described(
  Nullable(RunPosition),
  'Null at the end. A short or empty page may still have a next one, because a request examines a bounded number of runs.',
);
const sums = {
  count: described(Nullable(Type.Integer()), 'All matching runs; null unless `history` was requested.'),
  history: described(
    Nullable(Type.Array(RunInterval)),
    'Matching runs by their start, or by their expected start before they start. Runs outside of the period are only in `count`.',
  ),
  counted_since: described(
    Nullable(DateTime()),
    'Set if no index answers the filter and there are many runs: only runs that started later are counted.',
  ),
};

export const RunsView = Shape('RunsView', { as_of: DateTime(), runs: Type.Array(RunRow), next, ...sums }, 'ignore');

export const TaskRunsView = Shape(
  'TaskRunsView',
  { as_of: DateTime(), task_runs: Type.Array(TaskRunRow), next, ...sums },
  'ignore',
);
