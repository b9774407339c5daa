/** The order of the start of runs, in which lists show them and counts place them. */
import { sql } from 'kysely';
import type { Condition, Expression, SqlDialect } from '../../../database/dialect/dialect.ts';
import { effectiveStart } from '../../filters/flow-run-filter.ts';
import { flowRunCondition, type RelatedFilters, taskRunCondition } from '../../filters/related-conditions.ts';
import type { RunTable } from '../rows/run-estimates.ts';

export interface StartOrder {
  readonly table: RunTable;
  readonly start: Expression;
  /** The filter of the table's own rows, and its criterion for their start. */
  readonly own: 'flow_runs' | 'task_runs';
  readonly criterion: 'start_time' | 'expected_start_time';
  readonly conditionOf: (filters: RelatedFilters, dialect: SqlDialect) => Condition;
}

/** Flow runs by their start, or by their expected start before that. */
export const flowRunsByStart: StartOrder = {
  table: 'flow_run',
  start: effectiveStart,
  own: 'flow_runs',
  criterion: 'start_time',
  conditionOf: flowRunCondition,
};

/** Task runs by their expected start, which an index contains. */
export const taskRunsByStart: StartOrder = {
  table: 'task_run',
  start: sql`task_run.expected_start_time`,
  own: 'task_runs',
  criterion: 'expected_start_time',
  conditionOf: taskRunCondition,
};
