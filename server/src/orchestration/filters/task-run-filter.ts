import { Maybe, Nullable, Shape, type Static, Type, withDefault } from '../../schema/kinds.ts';
import { ValueList } from '../../schema/value-list.ts';
import { StateType } from '../runs/rows/state-schema.ts';
import { flag, ids, operator, text, texts, time } from './filter-schema.ts';

export const TaskRunFilterState = Shape('TaskRunFilterState', {
  operator,
  type: Maybe(Shape('TaskRunFilterStateType', { any_: Maybe(ValueList(StateType)) })),
  name: Maybe(Shape('TaskRunFilterStateName', { any_: texts })),
});
export type TaskRunFilterState = Static<typeof TaskRunFilterState>;

/** An empty shape asks for task runs that have a flow run, because `is_null_` is false unless said otherwise. */
export const TaskRunFilterFlowRunId = Shape('TaskRunFilterFlowRunId', {
  operator,
  any_: ids,
  is_null_: withDefault(Nullable(Type.Boolean()), false),
});
export type TaskRunFilterFlowRunId = Static<typeof TaskRunFilterFlowRunId>;

export const TaskRunFilter = Shape('TaskRunFilter', {
  operator,
  id: Maybe(Shape('TaskRunFilterId', { any_: ids })),
  name: Maybe(Shape('TaskRunFilterName', { any_: texts, like_: text })),
  tags: Maybe(Shape('TaskRunFilterTags', { operator, all_: texts, is_null_: flag })),
  state: Maybe(TaskRunFilterState),
  start_time: Maybe(Shape('TaskRunFilterStartTime', { before_: time, after_: time, is_null_: flag })),
  end_time: Maybe(Shape('TaskRunFilterEndTime', { before_: time, after_: time, is_null_: flag })),
  expected_start_time: Maybe(Shape('TaskRunFilterExpectedStartTime', { before_: time, after_: time })),
  subflow_runs: Maybe(Shape('TaskRunFilterSubFlowRuns', { exists_: flag })),
  flow_run_id: Maybe(TaskRunFilterFlowRunId),
});
export type TaskRunFilter = Static<typeof TaskRunFilter>;
