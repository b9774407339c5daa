import { DateTime, described, Nullable, OneOf, Shape, type Static, Type, Uuid } from '../../../schema/kinds.ts';
import { StateType } from '../../filters/field-schema.ts';
import { TaskRun } from '../../runs/task-runs/schema.ts';
import { CodeFrame, PastState, RaisedException } from './flow-run-schema.ts';

/** A run from which another one takes a result, or to which it gives its own. */
export const LinkedRun = Shape(
  'LinkedRun',
  {
    kind: OneOf(['task_run', 'flow_run']),
    id: Uuid(),
    name: Nullable(described(Type.String(), 'Null for a deleted run.')),
    state_type: Nullable(StateType),
    state_name: Nullable(Type.String()),
  },
  'ignore',
);
export type LinkedRun = Static<typeof LinkedRun>;

export const TaskInput = Shape(
  'TaskInput',
  {
    name: described(Type.String(), 'The name of the argument.'),
    runs: described(
      Type.Array(LinkedRun),
      'The runs whose results the argument contains; the first 100 of all inputs together.',
    ),
    run_count: described(Type.Integer(), 'Number of runs that the argument refers to.'),
    parameters: described(Type.Array(Type.String()), 'Parameters of the flow run that the argument contains.'),
    types: described(Type.Array(Type.String()), 'Types of the constants that the argument contains.'),
  },
  'ignore',
);
export type TaskInput = Static<typeof TaskInput>;

const TaskRunFailure = Shape(
  'TaskRunFailure',
  {
    message: Nullable(Type.String()),
    exception: Nullable(RaisedException),
    frames: Type.Array(CodeFrame),
    user_frame: described(
      Nullable(Type.Integer()),
      'Index of the last frame that belongs to neither Python nor an installed package.',
    ),
  },
  'ignore',
);

export const TaskRunView = Shape(
  'TaskRunView',
  {
    as_of: DateTime(),
    task_run: TaskRun,
    flow_run: described(
      Nullable(Shape('FlowRunOfTask', { id: Uuid(), name: Type.String(), flow_name: Type.String() }, 'ignore')),
      'Null for a background task run.',
    ),
    child: described(Nullable(LinkedRun), 'The subflow run that this task run represents.'),
    states: described(Type.Array(PastState), 'Every state of the task run, oldest first, at most 50.'),
    failure: described(Nullable(TaskRunFailure), 'The failure of a failed or crashed task run.'),
    inputs: described(Type.Array(TaskInput), 'Ordered by the name of the argument.'),
    used_by: described(
      Type.Array(LinkedRun),
      'The first 50 task runs of the same flow run that use the result of this one.',
    ),
  },
  'ignore',
);
