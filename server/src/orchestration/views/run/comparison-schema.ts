import { DateTime, described, Nullable, Shape, type Static, Type, Uuid } from '../../../schema/kinds.ts';
import { StateType, Tags } from '../../filters/field-schema.ts';
import { Difference, Named, PastState } from './flow-run-schema.ts';

const ComparedRun = Shape(
  'ComparedRun',
  {
    id: Uuid(),
    name: Type.String(),
    flow: Named,
    flow_version: Nullable(Type.String()),
    deployment: described(Nullable(Named), 'Null also for a deleted one.'),
    deployment_version: Nullable(Type.String()),
    work_pool_name: Nullable(Type.String()),
    work_queue_name: Nullable(Type.String()),
    infrastructure_pid: Nullable(Type.String()),
    created_by: described(Nullable(Type.String()), 'The person, deployment or automation that made the run.'),
    tags: Tags,
    state_type: Nullable(StateType),
    state_name: Nullable(Type.String()),
    expected_start_time: Nullable(DateTime()),
    start_time: Nullable(DateTime()),
    end_time: Nullable(DateTime()),
    run_time: described(Type.Number(), 'Seconds in Running, including the current period.'),
    run_count: Type.Integer(),
    states: described(Type.Array(PastState), 'States of the run, oldest first, at most 200.'),
  },
  'ignore',
);

const TaskTimes = Shape(
  'TaskTimes',
  {
    count: described(Type.Integer(), 'Task runs of the task.'),
    failed: described(Type.Integer(), 'Those of them that failed or crashed.'),
    run_time: described(Type.Number(), 'Seconds in Running of all of them together, including the current period.'),
    id: described(Uuid(), 'One of them: the first that failed, or else the one that ran longest.'),
    is_subflow: described(Type.Boolean(), 'Whether they stand for subflow runs.'),
  },
  'ignore',
);
export type TaskTimes = Static<typeof TaskTimes>;

const ComparedTask = Shape(
  'ComparedTask',
  {
    name: described(Type.String(), 'The name in the key of the task.'),
    a: described(Nullable(TaskTimes), 'Null if the first run has no such task.'),
    b: Nullable(TaskTimes),
    is_changed: described(
      Type.Boolean(),
      'Whether the keys of the task differ. The client makes them from its name and its code.',
    ),
  },
  'ignore',
);
export type ComparedTask = Static<typeof ComparedTask>;

export const RunComparison = Shape(
  'RunComparison',
  {
    as_of: DateTime(),
    a: ComparedRun,
    b: ComparedRun,
    parameters: described(Type.Array(Difference), 'Parameters that differ, at most 50. `before` is of the first run.'),
    job_variables: described(Type.Array(Difference), 'Job variables that differ, at most 50.'),
    tasks: described(
      Type.Array(ComparedTask),
      'Tasks of the first 10,000 task runs of each run, at most 1,000, those with the greatest difference first.',
    ),
    are_all_tasks: described(Type.Boolean(), 'Whether `tasks` covers every task run of both.'),
  },
  'ignore',
);

/** Records of the log of a run that are compared. */
export const MOST_LOGS = 1000;
/** Characters of a compared message. A traceback says most at its end. */
export const LOG_LENGTH = 4000;

export const LogExcerpt = Shape(
  'LogExcerpt',
  {
    logs: described(
      Type.Array(
        Shape(
          'ExcerptLog',
          {
            id: Uuid(),
            timestamp: DateTime(),
            level: Type.Integer(),
            message: described(Type.String(), `The last ${LOG_LENGTH} characters.`),
            task_run_id: Nullable(Uuid()),
          },
          'ignore',
        ),
      ),
      `Oldest first. A log of more than ${MOST_LOGS} records is here with its first and its last ${MOST_LOGS / 2}.`,
    ),
    gap: described(Nullable(Type.Integer()), 'The index before which records are left out; null if all are here.'),
  },
  'ignore',
);
