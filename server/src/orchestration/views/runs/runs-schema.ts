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
import { valuesParts, whereOf } from '../narrowing/where-schema.ts';
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
    sort: described(
      withDefault(OneOf(runSorts), 'START_TIME_DESC'),
      '`START_TIME`: by the start, or by the expected start of a run that has not started. `RUN_TIME`: by the seconds in Running states that have ended. `STATE`: by the type of the state, the newest runs of each type first.',
    ),
    limit: pageLimit,
    after: described(Maybe(RunPosition), 'The `next` of the previous page.'),
    history,
  },
  'Body_read_runs_view_views_runs_post',
);

export const TaskRunsViewBody = Parts(
  {
    ...taskRunsFilters,
    sort: described(
      withDefault(OneOf(['START_TIME_DESC', 'START_TIME_ASC']), 'START_TIME_DESC'),
      'By the expected start.',
    ),
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
