/**
 * A flow run can have several attempts: it is retried after a failure, or a person reschedules it. This file lists
 * which columns and rows end with an attempt, and which belong to the whole run.
 */
import { sql } from 'kysely';
import { statement } from '../../database/statement.ts';
import type { Db } from '../../database/store.ts';
import type { flow_run } from '../../database/tables/runs.ts';
import type { Row, tables } from '../../database/tables/tables.ts';
import type { Timestamp } from '../../values/time.ts';
import type { StateType } from '../filters/field-schema.ts';
import { terminalTypes } from './rows/state.ts';
import type { JoinedState } from './rows/stored-state.ts';

type Tables = typeof tables;
/** The tables whose rows belong to a flow run. */
type PartTable = {
  [Name in keyof Tables]: 'flow_run_id' extends keyof Tables[Name] ? Name : never;
}[keyof Tables];

/** `state` is the current state of the run or the attempt, which the next state replaces. */
type Standing = 'run' | 'attempt' | 'state';

/** The validity of each column of a flow run, and of each row that belongs to one. */
export const standingOf = {
  id: 'run',
  workspace: 'run',
  created: 'run',
  updated: 'state',
  name: 'run',
  flow_id: 'run',
  deployment_id: 'run',
  deployment_version: 'run',
  work_queue_id: 'run',
  work_queue_name: 'run',
  flow_version: 'run',
  parameters: 'run',
  /** A second request with the key gets the same run, whatever its number of attempts. */
  idempotency_key: 'run',
  context: 'run',
  tags: 'run',
  labels: 'run',
  parent_task_run_id: 'run',
  created_by: 'run',
  job_variables: 'run',
  auto_scheduled: 'run',
  infrastructure_document_id: 'run',
  /** Stays until the next worker writes its own, as on the reference. */
  infrastructure_pid: 'run',
  expected_start_time: 'run',
  /** The first start. */
  start_time: 'run',
  /** Counts all attempts. */
  run_count: 'run',
  /** Covers all attempts. */
  total_run_time: 'run',
  /** Retries, and the pauses that have fired; the latter end with the attempt. */
  empirical_policy: 'attempt',
  end_time: 'attempt',
  state_id: 'state',
  state_type: 'state',
  state_name: 'state',
  state_timestamp: 'state',
  next_scheduled_start_time: 'state',
  flow_run_state: 'run',
  failure: 'run',
  flow_run_tag: 'run',
  log: 'run',
  log_block: 'run',
  artifact: 'run',
  /** The latest artifact of a key, from any attempt. */
  artifact_collection: 'run',
  backfill_date: 'run',
  /** A task that runs again keeps its row. A task that failed in an earlier attempt does not explain a later failure. */
  task_run: 'attempt',
  /** Stored under the keys of an accepted pause. */
  flow_run_input: 'attempt',
  flow_run_heartbeat: 'attempt',
  concurrency_lease: 'attempt',
  flow_run_pause: 'state',
  flow_run_cancellation: 'state',
} as const satisfies Record<keyof typeof flow_run | PartTable, Standing>;

export interface Attempt {
  /** From 1. */
  readonly number: number;
  /** Null for the first. */
  readonly began: Timestamp | null;
  /** When the next one began; null for the last. */
  readonly until: Timestamp | null;
  /** The numbers of times that the run had entered Running, which its task runs carry; none if it has not run. */
  readonly first_run: number;
  readonly last_run: number;
  /** The state in which it ended, or the present one. An attempt that its policy retried has failed. */
  readonly state_type: StateType;
  readonly state_name: string;
  readonly timestamp: Timestamp;
  readonly message: string | null;
}

interface EndedBefore extends Pick<Attempt, 'number' | 'state_type' | 'state_name' | 'timestamp' | 'message'> {
  /** The beginning of the next attempt. */
  readonly began: Timestamp;
  /** Number of times that the run entered Running since. */
  readonly runs_since: number;
}

const MOST_ATTEMPTS = 50;
const MESSAGE_LENGTH = 2000;
const terminal = sql`(${sql.join(terminalTypes.map(sql.lit))})`;

/** The beginning of each attempt but the first. A run that continues after a pause is in the same attempt. */
const beginnings = statement<{ id: string }, EndedBefore>(
  (_query, given) =>
    sql<EndedBefore>`select number, began, runs_since, case when is_retry then 'FAILED' else before_type end as state_type,
        case when is_retry then 'Failed' else before_name end as state_name,
        case when is_retry then began else before_time end as timestamp,
        substr(case when is_retry then message else before_message end, 1, ${sql.lit(MESSAGE_LENGTH)}) as message
      from (
        select timestamp as began, message, before_type, before_name, before_time, before_message, runs_since,
          before_type not in ${terminal} as is_retry, row_number() over (order by timestamp) as number
        from (
          select timestamp, type, name, message, lag(type) over history as before_type, lag(name) over history as before_name,
            lag(timestamp) over history as before_time, lag(message) over history as before_message,
            sum(case when type = 'RUNNING' then 1 else 0 end) over (order by timestamp desc) as runs_since
          from flow_run_state where "workspace" = ${given.workspace} and flow_run_id = ${given.id}
          window history as (order by timestamp)
        ) state
        where before_type is not null and ((type = 'SCHEDULED' and name = 'AwaitingRetry')
          or (before_type in ${terminal} and type not in ${terminal}))
      ) beginning
      order by began desc limit ${sql.lit(MOST_ATTEMPTS)}`,
);

type RunWithState = Pick<Row<'flow_run'>, 'id' | 'created' | 'run_count'> &
  Pick<JoinedState, 'joined_type' | 'joined_name' | 'joined_timestamp' | 'joined_message'>;

/** The newest 50 attempts, oldest first; at least one. */
export async function listAttempts(db: Db, run: RunWithState): Promise<[Attempt, ...Attempt[]]> {
  const ended = (await db.all(beginnings, { id: run.id })).toReversed();
  const states = [
    ...ended,
    {
      number: (ended.at(-1)?.number ?? 0) + 1,
      state_type: run.joined_type ?? 'SCHEDULED',
      state_name: run.joined_name ?? 'Scheduled',
      timestamp: run.joined_timestamp ?? run.created,
      message: run.joined_message,
    },
  ];
  const attempts = states.map(({ number, state_type, state_name, timestamp, message }, index): Attempt => {
    const [before, next] = [ended[index - 1], ended[index]];
    return {
      number,
      began: before?.began ?? null,
      until: next?.began ?? null,
      first_run: before ? run.run_count - before.runs_since + 1 : 1,
      last_run: run.run_count - (next?.runs_since ?? 0),
      state_type,
      state_name,
      timestamp,
      message,
    };
  });
  return attempts.slice(-MOST_ATTEMPTS) as [Attempt, ...Attempt[]];
}

/** Undefined when the run has no such attempt, or when it is too old. */
export async function findAttempt(db: Db, run: RunWithState, number: number): Promise<Attempt | undefined> {
  return (await listAttempts(db, run)).find((attempt) => attempt.number === number);
}

export function hasFailed({ state_type }: Pick<Attempt, 'state_type'>): boolean {
  return state_type === 'FAILED' || state_type === 'CRASHED';
}
