import {
  DateTime,
  Enum,
  givenFieldsOnly,
  Literal,
  Maybe,
  Parts,
  RecordOf,
  refine,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../../schema/kinds.ts';
import { isLongerThan } from '../../../schema/text-length.ts';
import { Labels, RunName, StateType, stamps, Tags } from '../../filters/field-schema.ts';
import { limit, offset, Page, page } from '../../filters/filter-schema.ts';
import { nullableRunFilters, runFilters } from '../../filters/related-filters.ts';
import { dueTimes, run_count, runTimes } from '../rows/run-schema.ts';
import { historyParts, State, StateCreate, setStateParts } from '../rows/state-schema.ts';
import { TaskRunPolicy } from '../rows/task-run-policy.ts';

/** An input that is the result of another task run. */
export const TaskRunResult = Shape(
  'TaskRunResult',
  { input_type: withDefault(Literal('task_run'), 'task_run'), id: Uuid() },
  'ignore',
);
export type TaskRunResult = Static<typeof TaskRunResult>;

export const FlowRunResult = Shape(
  'FlowRunResult',
  { input_type: withDefault(Literal('flow_run'), 'flow_run'), id: Uuid() },
  'ignore',
);
export type FlowRunResult = Static<typeof FlowRunResult>;

/** An input that is a parameter of the flow run. */
export const Parameter = Shape(
  'Parameter',
  { input_type: withDefault(Literal('parameter'), 'parameter'), name: Type.String() },
  'ignore',
);
export type Parameter = Static<typeof Parameter>;

/** An input of which only the type is known. */
export const Constant = Shape(
  'Constant',
  { input_type: withDefault(Literal('constant'), 'constant'), type: Type.String() },
  'ignore',
);
export type Constant = Static<typeof Constant>;

/** The inputs of a task run, by the name of the parameter. */
export const TaskInputs = RecordOf(Type.Array(Type.Union([TaskRunResult, FlowRunResult, Parameter, Constant])));
export type TaskInputs = Static<typeof TaskInputs>;

const MAX_CACHE_KEY_LENGTH = 2000;

const CacheKey = refine(Type.String(), (key) =>
  isLongerThan(MAX_CACHE_KEY_LENGTH, key)
    ? `Cache key exceeded maximum allowed length of ${MAX_CACHE_KEY_LENGTH} characters.`
    : undefined,
);

export const TaskRunCreate = Shape('TaskRunCreate', {
  id: Maybe(Uuid()),
  state: Maybe(StateCreate),
  name: RunName,
  flow_run_id: Maybe(Uuid()),
  task_key: Type.String(),
  dynamic_key: Type.String(),
  cache_key: Maybe(CacheKey),
  cache_expiration: Maybe(DateTime()),
  task_version: Maybe(Type.String()),
  empirical_policy: Type.Optional(TaskRunPolicy),
  tags: Type.Optional(Tags),
  labels: Maybe(Labels),
  task_inputs: Type.Optional(TaskInputs),
});
export type TaskRunCreate = Static<typeof TaskRunCreate>;

export const TaskRunUpdate = givenFieldsOnly(Shape('TaskRunUpdate', { name: RunName }));
export type TaskRunUpdate = Static<typeof TaskRunUpdate>;

export const TaskRun = Shape(
  'TaskRun',
  {
    ...stamps,
    name: Type.Optional(Type.String()),
    flow_run_id: Maybe(Uuid()),
    task_key: Type.String(),
    dynamic_key: Type.String(),
    cache_key: Maybe(Type.String()),
    cache_expiration: Maybe(DateTime()),
    task_version: Maybe(Type.String()),
    empirical_policy: Type.Optional(TaskRunPolicy),
    tags: Type.Optional(Tags),
    labels: Maybe(Labels),
    state_id: Maybe(Uuid()),
    task_inputs: Type.Optional(TaskInputs),
    state_type: Maybe(StateType),
    state_name: Maybe(Type.String()),
    run_count,
    flow_run_run_count: withDefault(Type.Integer(), 0),
    ...dueTimes,
    ...runTimes,
    state: Maybe(State),
  },
  'ignore',
);
export type TaskRun = Static<typeof TaskRun>;

/** The smaller form of a task run, for pages. */
export const TaskRunResponse = Shape(
  'TaskRunResponse',
  {
    ...stamps,
    name: Type.Optional(Type.String()),
    flow_run_id: Maybe(Uuid()),
    task_key: Type.String(),
    state_id: Maybe(Uuid()),
    state: Maybe(State),
    task_version: Maybe(Type.String()),
    task_inputs: Type.Optional(TaskInputs),
    empirical_policy: Type.Optional(TaskRunPolicy),
    tags: Type.Optional(Tags),
    ...runTimes,
  },
  'ignore',
);
export type TaskRunResponse = Static<typeof TaskRunResponse>;

export const TaskRunSort = Enum('TaskRunSort', [
  'ID_DESC',
  'EXPECTED_START_TIME_ASC',
  'EXPECTED_START_TIME_DESC',
  'NAME_ASC',
  'NAME_DESC',
  'NEXT_SCHEDULED_START_TIME_ASC',
  'END_TIME_DESC',
  'DURATION_DESC',
  'DURATION_ASC',
]);
export type TaskRunSort = Static<typeof TaskRunSort>;

export const TaskRunPaginationResponse = Page('TaskRunPaginationResponse', TaskRunResponse);
export type TaskRunPaginationResponse = Static<typeof TaskRunPaginationResponse>;

const sort = withDefault(TaskRunSort, 'ID_DESC');

/** Bodies by the last segment of their route. */
export const taskRunBodies = {
  count: Parts(runFilters, 'Body_count_task_runs_task_runs_count_post'),
  filter: Parts({ sort, offset, ...nullableRunFilters, limit }, 'Body_read_task_runs_task_runs_filter_post'),
  paginate: Parts({ sort, page, ...nullableRunFilters, limit }, 'Body_paginate_task_runs_task_runs_paginate_post'),
  history: Parts({ ...historyParts, ...runFilters }, 'Body_task_run_history_task_runs_history_post'),
  set_state: Parts(setStateParts, 'Body_set_task_run_state_task_runs__id__set_state_post'),
};
