/** A task run as a row of a list. */
import { sql } from 'kysely';
import { markedColumn } from '../../../database/lists/large-values.ts';
import { DateTime, described, Nullable, Shape, type Static, Type, Uuid } from '../../../schema/kinds.ts';
import type { Timestamp } from '../../../values/time.ts';
import { StateType, Tags } from '../../filters/field-schema.ts';
import { taskRunsByStart } from '../../runs/history/start-order.ts';
import { estimatedRunTime } from '../../runs/rows/derived-columns.ts';
import type { RunList } from './run-page.ts';
import { MESSAGE_LENGTH, shortName } from './run-row.ts';

export const TaskRunRow = Shape(
  'TaskRunRow',
  {
    id: Uuid(),
    name: described(Type.String(), 'The first 300 characters.'),
    task_key: described(Type.String(), 'The first 300 characters.'),
    flow_run_id: Nullable(Uuid()),
    flow_run_name: described(
      Nullable(Type.String()),
      'The first 300 characters. Null for a task run in the background.',
    ),
    flow_id: Nullable(Uuid()),
    flow_name: described(Nullable(Type.String()), 'The first 300 characters.'),
    deployment_id: Nullable(Uuid()),
    deployment_name: described(
      Nullable(Type.String()),
      'The first 300 characters. Null also for a deleted deployment.',
    ),
    state_type: Nullable(StateType),
    state_name: Nullable(Type.String()),
    state_message: described(Nullable(Type.String()), 'The first 300 characters.'),
    state_timestamp: Nullable(DateTime()),
    expected_start_time: Nullable(DateTime()),
    start_time: Nullable(DateTime()),
    end_time: Nullable(DateTime()),
    run_time: described(Type.Number(), 'Seconds in Running, including the current period.'),
    run_count: described(Type.Integer(), 'Number of times that the run has entered Running.'),
    tags: Tags,
  },
  'ignore',
);
export type TaskRunRow = Static<typeof TaskRunRow>;

/** The row as read from the database. */
interface StoredTaskRunRow extends Omit<TaskRunRow, 'run_time' | 'tags' | 'state_type'> {
  readonly state_type: string | null;
  readonly total_run_time: number;
  readonly tags: string;
}

export const taskRunList: RunList<StoredTaskRunRow> = {
  runs: taskRunsByStart,
  columns: sql`task_run.id, ${shortName('task_run.name')} as name, ${shortName('task_run.task_key')} as task_key,
    task_run.flow_run_id, ${shortName('flow_run.name')} as flow_run_name, flow_run.flow_id,
    ${shortName('flow.name')} as flow_name, flow_run.deployment_id, ${shortName('deployment.name')} as deployment_name,
    task_run.state_type, task_run.state_name, substr(state.message, 1, ${sql.lit(MESSAGE_LENGTH)}) as state_message,
    task_run.state_timestamp, task_run.expected_start_time, task_run.start_time, task_run.end_time,
    task_run.total_run_time, task_run.run_count, ${markedColumn('task_run', 'tags')}`,
  joins: sql`left join task_run_state state on state.workspace = task_run.workspace and state.id = task_run.state_id
    left join flow_run on flow_run.workspace = task_run.workspace and flow_run.id = task_run.flow_run_id
    left join flow on flow.workspace = flow_run.workspace and flow.id = flow_run.flow_id
    left join deployment on deployment.workspace = flow_run.workspace and deployment.id = flow_run.deployment_id`,
  startOf: ({ expected_start_time }) => expected_start_time,
};

/** Converts a row to a `TaskRunRow`, as of `now`. */
export function taskRunRow(run: StoredTaskRunRow, now: Timestamp) {
  return { ...run, run_time: estimatedRunTime(run as never, now) };
}
