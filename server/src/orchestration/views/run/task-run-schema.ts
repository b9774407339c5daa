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
    name: Nullable(described(Type.String(), 'Null for a run that was deleted.')),
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
    runs: described(Type.Array(LinkedRun), 'The runs whose results it holds; the first 100 of all inputs together.'),
    run_count: described(Type.Integer(), 'How many runs it names.'),
    parameters: described(Type.Array(Type.String()), 'Parameters of the flow run that it holds.'),
    types: described(Type.Array(Type.String()), 'The types of constants.'),
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
      'Index of the last frame that lies in neither Python nor an installed package.',
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
    child: described(Nullable(LinkedRun), 'The subflow run that this task run stands for.'),
    states: described(Type.Array(PastState), 'Every state of the task run, oldest first, at most 50.'),
    failure: described(Nullable(TaskRunFailure), 'Of a task run that has failed or crashed.'),
    inputs: described(Type.Array(TaskInput), 'By the name of the argument.'),
    used_by: described(
      Type.Array(LinkedRun),
      'Task runs of the same flow run that take the result of this one, the first 50.',
    ),
  },
  'ignore',
);
