import { sql } from 'kysely';
import type { Condition } from '../../database/dialect/dialect.ts';
import { combine, compileField, type FilterFields } from '../../database/lists/filters.ts';
import { Maybe, Shape, type Static } from '../../schema/kinds.ts';
import { ValueList } from '../../schema/value-list.ts';
import { StateType } from './field-schema.ts';
import { flag, ids, operator, text, texts, time } from './filter-schema.ts';
import { runTagsField, stateField } from './run-filter-fields.ts';

const stateTypes = Maybe(ValueList(StateType));

const FlowRunFilterState = Shape('FlowRunFilterState', {
  operator,
  type: Maybe(Shape('FlowRunFilterStateType', { any_: stateTypes, not_any_: stateTypes })),
  name: Maybe(Shape('FlowRunFilterStateName', { any_: texts, not_any_: texts })),
});

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

/** The start of the run, or its expected start before that. START_TIME sorts by it and `start_time` filters it. */
export const effectiveStart = sql`coalesce(flow_run.start_time, flow_run.expected_start_time)`;

/** Filterable fields of a flow run. */
export const flowRunFields: FilterFields = {
  id: { kind: 'id', column: sql`flow_run.id` },
  name: { kind: 'text', column: sql`flow_run.name` },
  tags: runTagsField('flow_run'),
  deployment_id: { kind: 'id', column: sql`flow_run.deployment_id` },
  work_queue_name: { kind: 'text', column: sql`flow_run.work_queue_name` },
  state: stateField('flow_run'),
  flow_version: { kind: 'text', column: sql`flow_run.flow_version` },
  /** The bounds compare the effective start, `is_null_` the start itself. */
  start_time: ({ is_null_, ...bounds }, dialect) =>
    combine(
      [
        compileField(bounds, { kind: 'time', column: effectiveStart }, dialect),
        compileField({ is_null_ }, { kind: 'time', column: sql`flow_run.start_time` }, dialect),
      ],
      'and_',
    ),
  end_time: { kind: 'time', column: sql`flow_run.end_time` },
  expected_start_time: { kind: 'time', column: sql`flow_run.expected_start_time` },
  next_scheduled_start_time: { kind: 'time', column: sql`flow_run.next_scheduled_start_time` },
  /** Runs whose parent task run belongs to one of these flow runs. */
  parent_flow_run_id: ({ any_ }, dialect) =>
    any_
      ? sql<boolean>`exists (select 1 from task_run parent where parent.workspace = flow_run.workspace
          and parent.id = flow_run.parent_task_run_id
          and ${dialect.nested.oneOf(sql`parent.flow_run_id`, any_ as string[], 'uuid')})`
      : combine([], 'and_'),
  parent_task_run_id: { kind: 'id', column: sql`flow_run.parent_task_run_id` },
  idempotency_key: { kind: 'text', column: sql`flow_run.idempotency_key` },
  created_by: ({ id_, type_, is_null_, operator }, dialect) => {
    const conditions: Condition[] = [];
    const inside = (key: string) => dialect.jsonText(sql`flow_run.created_by`, key);
    if (id_) conditions.push(dialect.oneOf(inside('id'), id_ as string[], 'text'));
    if (type_) conditions.push(dialect.oneOf(inside('type'), type_ as string[], 'text'));
    if (typeof is_null_ === 'boolean') {
      conditions.push(is_null_ ? sql`flow_run.created_by is null` : sql`flow_run.created_by is not null`);
    }
    return combine(conditions, operator);
  },
};
