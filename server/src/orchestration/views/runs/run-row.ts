/** A flow run as a row of a list. */
import { sql } from 'kysely';
import { markedColumn } from '../../../database/lists/large-values.ts';
import { DateTime, described, Maybe, Nullable, Shape, type Static, Type, Uuid } from '../../../schema/kinds.ts';
import type { Timestamp } from '../../../values/time.ts';
import { StateType, Tags } from '../../filters/field-schema.ts';
import { flowRunsByStart } from '../../runs/history/start-order.ts';
import { estimatedRunTime, estimatedStartTimeDelta } from '../../runs/rows/derived-columns.ts';
import type { RunList } from './run-page.ts';

export const RunRow = Shape(
  'RunRow',
  {
    id: Uuid(),
    name: described(Type.String(), 'The first 300 characters.'),
    flow_id: Uuid(),
    flow_name: described(Type.String(), 'The first 300 characters.'),
    deployment_id: Nullable(Uuid()),
    deployment_name: described(
      Nullable(Type.String()),
      'The first 300 characters. Null also for a deleted deployment.',
    ),
    work_pool_name: described(Nullable(Type.String()), 'The first 300 characters.'),
    work_queue_name: described(Nullable(Type.String()), 'The first 300 characters.'),
    state_type: Nullable(StateType),
    state_name: Nullable(Type.String()),
    state_message: described(Nullable(Type.String()), 'The first 300 characters.'),
    state_timestamp: Nullable(DateTime()),
    expected_start_time: Nullable(DateTime()),
    start_time: Nullable(DateTime()),
    end_time: Nullable(DateTime()),
    run_time: described(Type.Number(), 'Seconds in Running, including the current period.'),
    lateness: described(Type.Number(), 'Seconds from the expected to the actual start, or to now before the start.'),
    run_count: described(Type.Integer(), 'Number of times that the run has entered Running.'),
    tags: Tags,
    is_subflow: Type.Boolean(),
    reason: described(
      Maybe(Type.String()),
      'Why the run waits: `no worker in gpu-k8s`. Only in lists of runs; null for a run that does not wait.',
    ),
    waits_until: described(Maybe(DateTime()), 'When a waiting run tries again, or when its wait ends.'),
  },
  'ignore',
);
export type RunRow = Static<typeof RunRow>;

export const MESSAGE_LENGTH = 300;
/** Characters of a shown name: a name may have a megabyte, and views show many. */
export const NAME_LENGTH = 300;

export const shortName = (name: string) => sql`substr(${sql.raw(name)}, 1, ${sql.lit(NAME_LENGTH)})`;

/**
 * Columns of `flow_run` and those that `runRowJoins` adds. Large lists of tags are omitted, as in the lists of the API.
 */
export const runRowColumns = sql`flow_run.id, ${shortName('flow_run.name')} as name, flow_run.flow_id,
  ${shortName('flow.name')} as flow_name, flow_run.deployment_id, ${shortName('deployment.name')} as deployment_name,
  ${shortName('work_pool.name')} as work_pool_name,
  ${shortName('coalesce(work_queue.name, flow_run.work_queue_name)')} as work_queue_name,
  flow_run.state_type, flow_run.state_name, substr(state.message, 1, ${sql.lit(MESSAGE_LENGTH)}) as state_message, flow_run.state_timestamp,
  flow_run.expected_start_time, flow_run.next_scheduled_start_time, flow_run.start_time, flow_run.end_time,
  flow_run.total_run_time, flow_run.run_count, flow_run.parent_task_run_id,
  ${markedColumn('flow_run', 'tags')}`;

export const runRowJoins = sql`join flow on flow.workspace = flow_run.workspace and flow.id = flow_run.flow_id
  left join flow_run_state state on state.workspace = flow_run.workspace and state.id = flow_run.state_id
  left join deployment on deployment.workspace = flow_run.workspace and deployment.id = flow_run.deployment_id
  left join work_queue on work_queue.workspace = flow_run.workspace and work_queue.id = flow_run.work_queue_id
  left join work_pool on work_pool.workspace = work_queue.workspace and work_pool.id = work_queue.work_pool_id`;

type Derived = 'run_time' | 'lateness' | 'is_subflow' | 'tags' | 'reason' | 'waits_until';

/** The row as read from the database. */
export interface StoredRunRow extends Omit<RunRow, Derived | 'state_type'> {
  readonly state_type: string | null;
  readonly next_scheduled_start_time: Timestamp | null;
  readonly total_run_time: number;
  readonly tags: string;
  readonly parent_task_run_id: string | null;
}

export const flowRunList: RunList<StoredRunRow> = {
  runs: flowRunsByStart,
  columns: runRowColumns,
  joins: runRowJoins,
  startOf: ({ start_time, expected_start_time }) => start_time ?? expected_start_time,
};

/** Converts a row to a `RunRow`, as of `now`. */
export function runRow(run: StoredRunRow, now: Timestamp) {
  return {
    ...run,
    run_time: estimatedRunTime(run as never, now),
    lateness: estimatedStartTimeDelta(run as never, now),
    is_subflow: run.parent_task_run_id !== null,
  };
}
