/**
 * Columns of a run that follow from its states.
 * Source: `POST /flow_runs/{id}/set_state` and `POST /task_runs/{id}/set_state` of the Prefect server 3.9.1.
 */
import { secondsBetween, type Timestamp } from '../../../values/time.ts';
import type { StateType } from '../../filters/field-schema.ts';
import { isTerminal, type State } from './state.ts';

export interface DerivedColumns {
  readonly state_id: string | null;
  readonly state_type: string | null;
  readonly state_name: string | null;
  readonly state_timestamp: Timestamp | null;
  readonly run_count: number;
  readonly expected_start_time: Timestamp | null;
  readonly next_scheduled_start_time: Timestamp | null;
  readonly start_time: Timestamp | null;
  readonly end_time: Timestamp | null;
  /** Seconds spent in RUNNING states that have ended. */
  readonly total_run_time: number;
}

/** The columns of a run before its first state. */
export const beforeFirstState: DerivedColumns = {
  state_id: null,
  state_type: null,
  state_name: null,
  state_timestamp: null,
  run_count: 0,
  expected_start_time: null,
  next_scheduled_start_time: null,
  start_time: null,
  end_time: null,
  total_run_time: 0,
};

/** Only these columns of a row that has more. */
export function derivedColumnsOf(given: DerivedColumns): DerivedColumns {
  return {
    state_id: given.state_id,
    state_type: given.state_type,
    state_name: given.state_name,
    state_timestamp: given.state_timestamp,
    run_count: given.run_count,
    expected_start_time: given.expected_start_time,
    next_scheduled_start_time: given.next_scheduled_start_time,
    start_time: given.start_time,
    end_time: given.end_time,
    total_run_time: given.total_run_time,
  };
}

/**
 * The columns after `state` was written. `countsAsRun` is false when a run continues after a pause: entering RUNNING
 * then does not count as a new attempt.
 */
export function deriveColumns(
  run: DerivedColumns,
  initial: Pick<State, 'type' | 'timestamp'> | undefined,
  state: State,
  countsAsRun: boolean,
): DerivedColumns {
  const { type, timestamp } = state;
  const leavesRunning = initial?.type === 'RUNNING';
  const startsNow = type === 'RUNNING' && run.start_time === null;
  const endsNow = isTerminal(type) && run.end_time === null;
  const reopens = isTerminal(initial?.type) && !isTerminal(type);
  const due = state.state_details.scheduled_time ?? null;
  return {
    state_id: state.id,
    state_type: type,
    state_name: state.name,
    state_timestamp: timestamp,
    run_count: run.run_count + (type === 'RUNNING' && countsAsRun ? 1 : 0),
    expected_start_time: run.expected_start_time ?? (type === 'SCHEDULED' ? due : timestamp),
    next_scheduled_start_time: type === 'SCHEDULED' ? due : null,
    start_time: startsNow || (endsNow && run.start_time === null) ? timestamp : run.start_time,
    end_time: reopens ? null : endsNow ? timestamp : run.end_time,
    total_run_time: addTimes(run.total_run_time, leavesRunning ? secondsBetween(initial.timestamp, timestamp) : 0),
  };
}

type Timing = Pick<
  DerivedColumns,
  'state_type' | 'state_timestamp' | 'start_time' | 'expected_start_time' | 'total_run_time'
>;

/** Seconds in RUNNING so far, including the current RUNNING state. */
export function estimatedRunTime(run: Omit<Timing, 'expected_start_time' | 'start_time'>, now: Timestamp): number {
  if (run.state_type !== 'RUNNING' || run.state_timestamp === null) return run.total_run_time;
  return addTimes(run.total_run_time, Math.max(0, secondsBetween(run.state_timestamp, now)));
}

/** Seconds from the expected start to the start, or until now while the run waits; 0 when it is on time. */
export function estimatedStartTimeDelta(run: Timing, now: Timestamp): number {
  if (run.expected_start_time === null) return 0;
  if (run.start_time !== null) return Math.max(0, secondsBetween(run.expected_start_time, run.start_time));
  if (isTerminal(run.state_type as StateType | null)) return 0;
  return Math.max(0, secondsBetween(run.expected_start_time, now));
}

/** Rounds sums of seconds to whole microseconds, so that answers do not show errors of binary fractions. */
function addTimes(left: number, right: number): number {
  return Math.round((left + right) * 1_000_000) / 1_000_000;
}
