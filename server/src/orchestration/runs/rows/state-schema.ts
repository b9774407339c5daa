/** States of flow runs and task runs, and the answers of a proposed transition. */
import {
  DateTime,
  described,
  Enum,
  Json,
  JsonObjectOf,
  Literal,
  Maybe,
  Nullable,
  refine,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../../schema/kinds.ts';
import { isLongerThan } from '../../../schema/text-length.ts';
import { StateType } from '../../filters/field-schema.ts';

/** The server drops unknown keys, so newer clients may send more. */
export const StateDetails = Shape(
  'StateDetails',
  {
    flow_run_id: Maybe(Uuid()),
    task_run_id: Maybe(Uuid()),
    child_flow_run_id: Maybe(Uuid()),
    scheduled_time: Maybe(DateTime()),
    cache_key: Maybe(Type.String()),
    cache_expiration: Maybe(DateTime()),
    deferred: withDefault(Nullable(Type.Boolean()), false),
    untrackable_result: withDefault(Type.Boolean(), false),
    pause_timeout: Maybe(DateTime()),
    pause_reschedule: withDefault(Type.Boolean(), false),
    pause_key: Maybe(Type.String()),
    run_input_keyset: Maybe(JsonObjectOf(Type.String())),
    refresh_cache: Maybe(Type.Boolean()),
    retriable: Maybe(Type.Boolean()),
    transition_id: Maybe(Uuid()),
    task_parameters_id: Maybe(Uuid()),
    traceparent: Maybe(Type.String()),
    deployment_concurrency_lease_id: Maybe(Uuid()),
  },
  'ignore',
);
export type StateDetails = Static<typeof StateDetails>;

export const State = Shape(
  'State',
  {
    id: Uuid(),
    type: StateType,
    name: Maybe(Type.String()),
    timestamp: Type.Optional(DateTime()),
    message: Maybe(Type.String()),
    data: Maybe(Json()),
    state_details: Type.Optional(StateDetails),
  },
  'ignore',
);
export type State = Static<typeof State>;

/** Fits an event name of 1024 characters after `prefect.flow-run.`. The Prefect server 3.9.1 answers 500 for more. */
const MAX_STATE_NAME_LENGTH = 1007;

export const StateName = refine(Type.String(), (name) =>
  isLongerThan(MAX_STATE_NAME_LENGTH, name)
    ? `State name must be at most ${MAX_STATE_NAME_LENGTH} characters`
    : undefined,
);

/** The server sets id and timestamp. An absent or empty name follows from the type: "Scheduled" for SCHEDULED. */
export const StateCreate = Shape('StateCreate', {
  type: StateType,
  name: Maybe(StateName),
  message: Maybe(Type.String()),
  data: Maybe(Json()),
  state_details: Type.Optional(StateDetails),
});
export type StateCreate = Static<typeof StateCreate>;

export const SetStateStatus = Enum('SetStateStatus', ['ACCEPT', 'REJECT', 'ABORT', 'WAIT']);
export type SetStateStatus = Static<typeof SetStateStatus>;

export const StateAcceptDetails = Shape(
  'StateAcceptDetails',
  { type: withDefault(Literal('accept_details'), 'accept_details') },
  'ignore',
);
export type StateAcceptDetails = Static<typeof StateAcceptDetails>;

export const StateWaitDetails = Shape(
  'StateWaitDetails',
  {
    type: withDefault(Literal('wait_details'), 'wait_details'),
    delay_seconds: Type.Integer(),
    reason: Maybe(Type.String()),
  },
  'ignore',
);
export type StateWaitDetails = Static<typeof StateWaitDetails>;

export const StateRejectDetails = Shape(
  'StateRejectDetails',
  { type: withDefault(Literal('reject_details'), 'reject_details'), reason: Maybe(Type.String()) },
  'ignore',
);
export type StateRejectDetails = Static<typeof StateRejectDetails>;

export const StateAbortDetails = Shape(
  'StateAbortDetails',
  { type: withDefault(Literal('abort_details'), 'abort_details'), reason: Maybe(Type.String()) },
  'ignore',
);
export type StateAbortDetails = Static<typeof StateAbortDetails>;

export const StateResponseDetails = Type.Union([
  StateAcceptDetails,
  StateWaitDetails,
  StateRejectDetails,
  StateAbortDetails,
]);
export type StateResponseDetails = Static<typeof StateResponseDetails>;

export const OrchestrationResult = Shape(
  'OrchestrationResult',
  { state: Nullable(State), status: SetStateStatus, details: StateResponseDetails },
  'ignore',
);
export type OrchestrationResult = Static<typeof OrchestrationResult>;

/** The parts of a `set_state` body. `force` skips all rules but those that protect data. */
export const setStateParts = { state: StateCreate, force: withDefault(Type.Boolean(), false) };

/** Runs of one state within one interval of a history. Sums are in seconds. */
export const HistoryResponseState = Shape(
  'HistoryResponseState',
  {
    state_type: StateType,
    state_name: Type.String(),
    count_runs: Type.Integer(),
    sum_estimated_run_time: Type.Number(),
    sum_estimated_lateness: Type.Number(),
  },
  'ignore',
);
export type HistoryResponseState = Static<typeof HistoryResponseState>;

export const HistoryResponse = Shape(
  'HistoryResponse',
  { interval_start: DateTime(), interval_end: DateTime(), states: Type.Array(HistoryResponseState) },
  'ignore',
);
export type HistoryResponse = Static<typeof HistoryResponse>;

/** The span of a history. The handler refuses an interval below one second (422 `{"detail": ...}`). */
export const historyParts = {
  history_start: DateTime(),
  history_end: DateTime(),
  history_interval_seconds: described(Type.Number({ format: 'time-delta' }), 'Length of an interval in seconds.'),
};

export const stateQueries = {
  flowRun: Type.Object({ flow_run_id: Uuid() }),
  taskRun: Type.Object({ task_run_id: Uuid() }),
};
