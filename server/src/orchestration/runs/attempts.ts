/**
 * A flow run can have several attempts: it is retried after a failure, or a person reschedules it. This file lists
 * which columns and rows end with an attempt, and which belong to the whole run.
 */
import { sql } from 'kysely';
import { statement } from '../../database/statement.ts';
import type { Db } from '../../database/store.ts';
import type { flow_run } from '../../database/tables/runs.ts';
import type { tables } from '../../database/tables/tables.ts';
import type { Timestamp } from '../../values/time.ts';

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

interface Beginning {
  readonly began: Timestamp;
  readonly has_run: boolean;
}

const terminal = sql`('COMPLETED', 'FAILED', 'CRASHED', 'CANCELLED')`;

/** A run that continues after a pause is in the same attempt. */
const beginnings = statement<{ id: string }, Beginning>(
  (_query, given) =>
    sql<Beginning>`select timestamp as began, coalesce(last_running >= timestamp, false) as has_run from (
        select timestamp, type, name, lag(type) over (order by timestamp) as previous,
          max(case when type = 'RUNNING' then timestamp end) over () as last_running
        from flow_run_state where "workspace" = ${given.workspace} and flow_run_id = ${given.id}) state
      where (type = 'SCHEDULED' and name = 'AwaitingRetry') or (previous in ${terminal} and type not in ${terminal})
      order by timestamp desc limit 1`,
);

/** The latest attempt: its start, null for the first one, and its number, from 1. */
export async function latestAttempt(
  db: Db,
  { id, run_count }: { readonly id: string; readonly run_count: number },
): Promise<{ readonly began: Timestamp | null; readonly number: number }> {
  const found = await db.first(beginnings, { id });
  return { began: found?.began ?? null, number: found && !found.has_run ? run_count + 1 : run_count };
}
