import { sql } from 'kysely';
import { combine, compileField, type FilterFields } from '../../database/lists/filters.ts';
import { Maybe, Nullable, Shape, type Static, Type, withDefault } from '../../schema/kinds.ts';
import { ValueList } from '../../schema/value-list.ts';
import { StateType } from './field-schema.ts';
import { flag, ids, operator, text, texts, time } from './filter-schema.ts';
import { runTagsField, stateField } from './run-filter-fields.ts';

const TaskRunFilterState = Shape('TaskRunFilterState', {
  operator,
  type: Maybe(Shape('TaskRunFilterStateType', { any_: Maybe(ValueList(StateType)) })),
  name: Maybe(Shape('TaskRunFilterStateName', { any_: texts })),
});

/** An empty shape selects task runs with a flow run, because `is_null_` is false by default. */
const TaskRunFilterFlowRunId = Shape('TaskRunFilterFlowRunId', {
  operator,
  any_: ids,
  is_null_: withDefault(Nullable(Type.Boolean()), false),
});

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

/** Filterable fields of a task run. */
export const taskRunFields: FilterFields = {
  id: { kind: 'id', column: sql`task_run.id` },
  name: { kind: 'text', column: sql`task_run.name` },
  tags: runTagsField('task_run'),
  state: stateField('task_run'),
  start_time: { kind: 'time', column: sql`task_run.start_time` },
  end_time: { kind: 'time', column: sql`task_run.end_time` },
  expected_start_time: { kind: 'time', column: sql`task_run.expected_start_time` },
  /** Task runs that represent a subflow run, or do not. */
  subflow_runs: ({ exists_ }) => {
    if (typeof exists_ !== 'boolean') return combine([], 'and_');
    const isParent = sql<boolean>`exists (select 1 from flow_run child where child.workspace = task_run.workspace
      and child.parent_task_run_id = task_run.id)`;
    return exists_ ? isParent : sql<boolean>`not ${isParent}`;
  },
  /**
   * `is_null_` is false by default, so an empty criterion selects runs inside flow runs. When it is true, `any_` is
   * ignored; otherwise `any_` alone decides.
   */
  flow_run_id: ({ any_, is_null_ }, dialect) =>
    compileField(
      any_ && is_null_ !== true ? { any_ } : { is_null_ },
      { kind: 'id', column: sql`task_run.flow_run_id` },
      dialect,
    ),
};
