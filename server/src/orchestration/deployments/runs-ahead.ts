/** Runs that exist before they are due: what goes when a deployment or its schedules change. */
import { sql } from 'kysely';
import { statement } from '../../database/statement.ts';
import type { Tx } from '../../database/store.ts';
import type { Timestamp } from '../../time.ts';

/** A run that never started. One that waits for a concurrency slot was about to, and stays. */
const neverStarted = sql`flow_run.state_type = 'SCHEDULED' and flow_run.state_name <> 'AwaitingConcurrencySlot'
  and flow_run.run_count = 0`;

const deleteAhead = statement<{ deployment_id: string; now: Timestamp }, unknown>(
  (_query, given) =>
    sql`delete from flow_run where flow_run."workspace" = ${given.workspace}
      and flow_run.deployment_id = ${given.deployment_id} and flow_run.auto_scheduled and ${neverStarted}
      and flow_run.next_scheduled_start_time > ${given.now}`,
);

const deleteAutoScheduled = statement<{ deployment_id: string }, unknown>(
  (_query, given) =>
    sql`delete from flow_run where flow_run."workspace" = ${given.workspace}
      and flow_run.deployment_id = ${given.deployment_id} and flow_run.auto_scheduled and ${neverStarted}`,
);

const deleteScheduled = statement<{ deployment_id: string }, unknown>(
  (_query, given) =>
    sql`delete from flow_run where flow_run."workspace" = ${given.workspace}
      and flow_run.deployment_id = ${given.deployment_id} and ${neverStarted}`,
);

/** Deletes the runs that the scheduler made and that are still to come: it makes them again from what is stored now. */
export async function deleteRunsAhead(tx: Tx, deployment_id: string, now: Timestamp): Promise<void> {
  await tx.run(deleteAhead, { deployment_id, now });
}

/** Deletes what the scheduler made and nobody started, the overdue too: a paused deployment starts nothing by itself. */
export async function deleteAutoScheduledRuns(tx: Tx, deployment_id: string): Promise<void> {
  await tx.run(deleteAutoScheduled, { deployment_id });
}

/** Deletes every run that nobody started, whoever made it. */
export async function deleteScheduledRuns(tx: Tx, deployment_id: string): Promise<void> {
  await tx.run(deleteScheduled, { deployment_id });
}
