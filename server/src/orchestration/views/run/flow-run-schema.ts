import {
  DateTime,
  described,
  Nullable,
  OneOf,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../../schema/kinds.ts';
import { StateType } from '../../filters/field-schema.ts';
import { FlowRunResponse } from '../../runs/flow-runs/schema.ts';
import { FlowRunExplanation } from '../../why/why-schema.ts';
import { StateCount } from '../runs/runs-schema.ts';

const Named = Shape('NamedObject', { id: Uuid(), name: Type.String() }, 'ignore');

/** Characters of a shown message: a message may have a megabyte, and a run has many states. */
export const MESSAGE_LENGTH = 2000;

export const PastState = Shape(
  'PastState',
  {
    id: Uuid(),
    type: StateType,
    name: Nullable(Type.String()),
    timestamp: DateTime(),
    message: described(Nullable(Type.String()), `The first ${MESSAGE_LENGTH} characters.`),
  },
  'ignore',
);
export type PastState = Static<typeof PastState>;

export const CodeFrame = Shape(
  'CodeFrame',
  {
    file: Type.String(),
    line: Type.Integer(),
    function: Type.String(),
    code: Nullable(Type.String()),
  },
  'ignore',
);

export const RaisedException = Shape('RaisedException', { type: Type.String(), message: Type.String() }, 'ignore');

const FailedTask = Shape(
  'FailedTask',
  {
    id: Uuid(),
    name: Type.String(),
    state_type: StateType,
    state_name: Nullable(Type.String()),
    start_time: Nullable(DateTime()),
    end_time: Nullable(DateTime()),
    attempts: described(Type.Array(PastState), 'States of the task run, oldest first, at most 50.'),
  },
  'ignore',
);

export const RunFailure = Shape(
  'RunFailure',
  {
    message: described(
      Nullable(Type.String()),
      'Message of the task run that is the cause, or of the run that failed by itself.',
    ),
    exception: Nullable(RaisedException),
    subflows: described(
      Type.Array(Shape('FailedSubflow', { id: Uuid(), name: Type.String(), flow_name: Type.String() }, 'ignore')),
      'The subflow runs that lead to the cause, each in the one before; empty when the cause is in the run itself.',
    ),
    task: described(
      Nullable(FailedTask),
      'The task run that made the last of these runs fail; null when that failed by itself.',
    ),
    frames: described(
      Type.Array(CodeFrame),
      'The frames of the traceback, from the first call to the one that raised; empty if there is none.',
    ),
    user_frame: described(
      Nullable(Type.Integer()),
      'Index of the last frame that belongs to neither Python nor an installed package.',
    ),
    similar: described(
      Type.Integer(),
      'Other failed runs of the flow with the same cause in the seven days before, among the last 500.',
    ),
  },
  'ignore',
);
export type RunFailure = Static<typeof RunFailure>;

export const flowRunQuery = Type.Object({
  attempt: Type.Optional(
    described(
      Type.Integer({ minimum: 1, maximum: 1_000_000 }),
      'The attempt to explain. By default, the latest that has run.',
    ),
  ),
});

const RunAttempt = Shape(
  'RunAttempt',
  {
    number: described(Type.Integer(), 'From 1.'),
    began: described(Nullable(DateTime()), 'Null for the first.'),
    until: described(Nullable(DateTime()), 'When the next one began; null for the last.'),
    state_type: described(StateType, 'The state in which it ended, or the present one of the last.'),
    state_name: Type.String(),
    timestamp: described(DateTime(), 'The time of that state.'),
    message: Nullable(Type.String()),
  },
  'ignore',
);

const Difference = Shape(
  'ParameterDifference',
  {
    name: described(Type.String(), 'The path of the value, such as `load.limits` or `rows[3].id`.'),
    before: described(
      Nullable(Type.String()),
      'JSON of the value in the last successful run, cut at 500 characters; null if absent. An item that an array of single values has lost or gained is a difference with the name of the array.',
    ),
    now: Nullable(Type.String()),
  },
  'ignore',
);

const LastSuccess = Shape(
  'LastSuccess',
  {
    id: Uuid(),
    name: Type.String(),
    start_time: Nullable(DateTime()),
    run_time: described(Type.Number(), 'Seconds in Running.'),
    flow_version: Nullable(Type.String()),
    deployment_version: Nullable(Type.String()),
    parameters: described(Type.Array(Difference), 'Parameters that differ, at most 50.'),
  },
  'ignore',
);

const UnrecordedTasks = Shape(
  'UnrecordedTasks',
  {
    count: described(Type.Integer(), 'Task runs that the first 1,000 log lines of the run name.'),
    cures: described(Type.Array(Type.String()), 'What the client may lack, judged by the address that it uses.'),
  },
  'ignore',
);

export const FlowRunView = Shape(
  'FlowRunView',
  {
    as_of: DateTime(),
    flow_run: FlowRunResponse,
    flow: Named,
    deployment: described(Nullable(Named), 'Null also for a deleted one.'),
    parent: described(Nullable(Named), 'The parent flow run, if this one is a subflow.'),
    attempts: described(
      Type.Array(RunAttempt),
      'The newest 50 attempts, oldest first. A run begins another when it runs again after its end, or when its policy retries it.',
    ),
    explained: described(
      Type.Integer(),
      'The number of the attempt to which `failure` belongs: the one that was asked for, or the latest that has run.',
    ),
    states: described(Type.Array(PastState), 'Every state of the run, oldest first, at most 200.'),
    task_runs: described(Type.Array(StateCount), 'Task runs by state. A subflow counts once, by its own state.'),
    failure: described(Nullable(RunFailure), 'Present if the attempt failed or crashed.'),
    last_success: described(
      Nullable(LastSuccess),
      'The last completed run of the deployment before this one, or of the flow if the deployment has none.',
    ),
    waiting: described(Nullable(FlowRunExplanation), 'Why the run has not started or does not continue.'),
    unrecorded_tasks: described(
      Nullable(UnrecordedTasks),
      'Present if the logs name task runs and the server received none: the websockets of the client are refused.',
    ),
  },
  'ignore',
);

const Subflow = Shape(
  'Subflow',
  {
    id: Uuid(),
    parent_id: described(Uuid(), 'The run in which it ran.'),
    name: Type.String(),
    flow_name: Type.String(),
  },
  'ignore',
);
export type Subflow = Static<typeof Subflow>;

export const SubflowsView = Shape(
  'SubflowsView',
  {
    subflows: described(Type.Array(Subflow), 'At most 200 subflow runs, at most 20 levels deep, in no order.'),
    is_complete: described(Type.Boolean(), 'False if the run has more of them.'),
  },
  'ignore',
);

const RepeatedTask = Shape(
  'RepeatedTask',
  {
    task: described(Type.String(), 'The name of the task.'),
    count: described(Type.Integer(), 'Its task runs in the latest attempt.'),
    reason: described(
      OneOf(['not_completed', 'no_result', 'expired']),
      'They have not completed, their results are not kept where the next attempt looks for them, or the results have expired.',
    ),
  },
  'ignore',
);
export type RepeatedTask = Static<typeof RepeatedTask>;

export const RetryPlan = Shape(
  'RetryPlan',
  {
    repeated: described(Type.Array(RepeatedTask), 'Tasks that run again, at most 50, those with most runs first.'),
    kept: described(
      Type.Array(Shape('KeptTask', { task: Type.String(), count: Type.Integer() }, 'ignore')),
      'Tasks whose results are kept, at most 50. They are not repeated for the same inputs.',
    ),
    is_complete: described(Type.Boolean(), 'False if the run has more task runs, or more tasks, than were looked at.'),
  },
  'ignore',
);

const shownAttempt = Type.Optional(
  described(Type.Integer({ minimum: 1, maximum: 1_000_000 }), 'The attempt to show; all of them without it.'),
);

export const timelineQuery = Type.Object({
  attempt: shownAttempt,
  givers: withDefault(described(Type.Boolean(), 'Whether to return the runs whose results each task run uses.'), false),
});

/** Columns of a table by name: position `n` of each describes task `n`. Times are in milliseconds from `origin`. */
export const TimelineView = Shape(
  'TimelineView',
  {
    as_of: DateTime(),
    origin: DateTime(),
    total: described(Type.Integer(), 'Task runs of the run; `id` has at most 10,000 of them.'),
    id: Type.Array(Uuid()),
    kind: described(Type.Array(OneOf(['task-run', 'flow-run'])), 'A subflow is a `flow-run`, with the id of that run.'),
    name: Type.Array(Type.String()),
    state_type: Type.Array(Nullable(StateType)),
    state_name: Type.Array(Nullable(Type.String())),
    expected: Type.Array(Nullable(Type.Number())),
    start: Type.Array(Nullable(Type.Number())),
    end: Type.Array(Nullable(Type.Number())),
    run_count: Type.Array(Type.Integer()),
    attempts: described(
      Type.Array(
        Shape(
          'TimelineState',
          { task: Type.Integer(), at: Type.Number(), type: StateType, name: Nullable(Type.String()) },
          'ignore',
        ),
      ),
      'States of the task runs that ran more than once, in the order of task runs and times.',
    ),
    states: described(
      Type.Array(
        Shape('TimelineRunState', { at: Type.Number(), type: StateType, name: Nullable(Type.String()) }, 'ignore'),
      ),
      'States of the flow run itself.',
    ),
    givers: described(
      Nullable(Type.Array(Type.Array(Type.Integer()))),
      'Positions of the task runs whose results each task run uses. Null unless `givers` is true.',
    ),
  },
  'ignore',
);
