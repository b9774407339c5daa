import { newTimeOrderedId } from '../../../values/id.ts';
import { type JsonText, parseObject } from '../../../values/json.ts';
import type { Timestamp } from '../../../values/time.ts';
import type { StateType } from '../../filters/field-schema.ts';
import type { StateCreate, StateDetails } from './state-schema.ts';

/** A state of a run in the form of the server. */
export interface State {
  readonly id: string;
  readonly type: StateType;
  readonly name: string;
  readonly timestamp: Timestamp;
  readonly message: string | null;
  readonly data: JsonText | null;
  readonly state_details: StateDetails;
}

export const terminalTypes = ['COMPLETED', 'CANCELLED', 'FAILED', 'CRASHED'] as const satisfies readonly StateType[];

export function isTerminal(type: StateType | null | undefined): boolean {
  return (terminalTypes as readonly unknown[]).includes(type);
}

/** The name of a state without a given name: the type, capitalised. */
export function defaultStateName(type: StateType): string {
  return type.charAt(0) + type.slice(1).toLowerCase();
}

/** All details at their defaults. */
export const noDetails: StateDetails = {
  flow_run_id: null,
  task_run_id: null,
  child_flow_run_id: null,
  scheduled_time: null,
  cache_key: null,
  cache_expiration: null,
  deferred: false,
  untrackable_result: false,
  pause_timeout: null,
  pause_reschedule: false,
  pause_key: null,
  run_input_keyset: null,
  refresh_cache: null,
  retriable: null,
  transition_id: null,
  task_parameters_id: null,
  traceparent: null,
  deployment_concurrency_lease_id: null,
};

/** A state that a rule or a client proposes, without an id and a time. */
export interface Proposal {
  readonly type: StateType;
  readonly name?: string | null | undefined;
  readonly message?: string | null | undefined;
  readonly data?: JsonText | null | undefined;
  readonly state_details?: Partial<StateDetails> | null | undefined;
}

/**
 * Completes a proposal: a new id, `now` as its time, a name from its type, and `now` as the due time of a scheduled
 * state without one. Source: `POST /flow_runs/{id}/set_state` of the Prefect server 3.9.1.
 */
export function createState(proposal: Proposal | StateCreate, now: Timestamp): State {
  const details: StateDetails = { ...noDetails, ...proposal.state_details };
  const due = proposal.type === 'SCHEDULED' ? (details.scheduled_time ?? now) : details.scheduled_time;
  return {
    id: newTimeOrderedId(),
    type: proposal.type,
    name: proposal.name ?? defaultStateName(proposal.type),
    timestamp: now,
    message: proposal.message ?? null,
    data: proposal.data ?? null,
    state_details: { ...details, scheduled_time: due ?? null },
  };
}

/** `state` with other details. */
export function withDetails(state: State, details: Partial<StateDetails>): State {
  return { ...state, state_details: { ...state.state_details, ...details } };
}

/**
 * True when a result was persisted: the data is an object whose `type` is not `unpersisted`.
 * Source: `POST /flow_runs/{id}/set_state` of the Prefect server 3.9.1.
 */
export function hasPersistedData(state: State): boolean {
  return state.data?.startsWith('{') === true && parseObject(state.data)['type'] !== 'unpersisted';
}
