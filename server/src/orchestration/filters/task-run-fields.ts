import { sql } from 'kysely';
import { combine, compileField, type FilterFields } from '../../database/filters.ts';
import { runTagsField, stateField } from './run-filter-fields.ts';

/** Filterable fields of a task run. */
export const taskRunFields: FilterFields = {
  id: { kind: 'id', column: sql`task_run.id` },
  name: { kind: 'text', column: sql`task_run.name` },
  tags: runTagsField('task_run'),
  state: stateField('task_run'),
  start_time: { kind: 'time', column: sql`task_run.start_time` },
  end_time: { kind: 'time', column: sql`task_run.end_time` },
  expected_start_time: { kind: 'time', column: sql`task_run.expected_start_time` },
  /** Task runs that stand for a subflow run, or do not. */
  subflow_runs: ({ exists_ }) => {
    if (typeof exists_ !== 'boolean') return combine([], 'and_');
    const isParent = sql<boolean>`exists (select 1 from flow_run child where child.workspace = task_run.workspace
      and child.parent_task_run_id = task_run.id)`;
    return exists_ ? isParent : sql<boolean>`not ${isParent}`;
  },
  /**
   * `is_null_` is false unless given, so an empty criterion asks for runs inside flow runs; true stands alone, and so does
   * `any_` otherwise.
   */
  flow_run_id: ({ any_, is_null_ }, dialect) =>
    compileField(
      any_ && is_null_ !== true ? { any_ } : { is_null_ },
      { kind: 'id', column: sql`task_run.flow_run_id` },
      dialect,
    ),
};
