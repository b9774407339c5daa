import { Maybe, Shape, type Static } from '../../schema/kinds.ts';
import { ValueList } from '../../schema/value-list.ts';
import { StateType } from '../runs/rows/state-schema.ts';
import { flag, ids, operator, text, texts, time } from './filter-schema.ts';

const stateTypes = Maybe(ValueList(StateType));

export const FlowRunFilterState = Shape('FlowRunFilterState', {
  operator,
  type: Maybe(Shape('FlowRunFilterStateType', { any_: stateTypes, not_any_: stateTypes })),
  name: Maybe(Shape('FlowRunFilterStateName', { any_: texts, not_any_: texts })),
});
export type FlowRunFilterState = Static<typeof FlowRunFilterState>;

export const FlowRunFilter = Shape('FlowRunFilter', {
  operator,
  id: Maybe(Shape('FlowRunFilterId', { any_: ids, not_any_: ids })),
  name: Maybe(Shape('FlowRunFilterName', { any_: texts, like_: text })),
  tags: Maybe(Shape('FlowRunFilterTags', { operator, all_: texts, any_: texts, is_null_: flag })),
  deployment_id: Maybe(Shape('FlowRunFilterDeploymentId', { operator, any_: ids, is_null_: flag })),
  work_queue_name: Maybe(Shape('FlowRunFilterWorkQueueName', { operator, any_: texts, is_null_: flag })),
  state: Maybe(FlowRunFilterState),
  flow_version: Maybe(Shape('FlowRunFilterFlowVersion', { any_: texts })),
  start_time: Maybe(Shape('FlowRunFilterStartTime', { before_: time, after_: time, is_null_: flag })),
  end_time: Maybe(Shape('FlowRunFilterEndTime', { before_: time, after_: time, is_null_: flag })),
  expected_start_time: Maybe(Shape('FlowRunFilterExpectedStartTime', { before_: time, after_: time })),
  next_scheduled_start_time: Maybe(Shape('FlowRunFilterNextScheduledStartTime', { before_: time, after_: time })),
  parent_flow_run_id: Maybe(Shape('FlowRunFilterParentFlowRunId', { operator, any_: ids })),
  parent_task_run_id: Maybe(Shape('FlowRunFilterParentTaskRunId', { operator, any_: ids, is_null_: flag })),
  idempotency_key: Maybe(Shape('FlowRunFilterIdempotencyKey', { any_: texts, not_any_: texts })),
  created_by: Maybe(Shape('FlowRunFilterCreatedBy', { operator, id_: ids, type_: texts, is_null_: flag })),
});
export type FlowRunFilter = Static<typeof FlowRunFilter>;
