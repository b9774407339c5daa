/** Runs that exist before they are due: what goes, and what is made again, when a deployment or its schedules change. */
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
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

const becomeDue = statement<{ deployment_id: string; now: Timestamp }, unknown>(
  (_query, given) =>
    sql`update deployment set schedule_due = ${given.now}
      where deployment."workspace" = ${given.workspace} and deployment.id = ${given.deployment_id}
        and exists (select 1 from deployment_schedule where deployment_schedule.workspace = ${given.workspace}
          and deployment_schedule.deployment_id = ${given.deployment_id} and deployment_schedule.active)`,
);

/**
 * Deletes the runs that the scheduler made and that are still to come, and has it make them again from what is stored
 * when the transaction ends. The caller keeps the deployment locked: a scheduler at work would put back what goes.
 */
export async function remakeRunsAhead(context: Context, tx: Tx, deployment_id: string): Promise<void> {
  await tx.run(deleteAhead, { deployment_id, now: context.now });
  await askForRunsAhead(context, tx, deployment_id);
}

/** Has the scheduler look at the deployment after the transaction, if it has active schedules. */
export async function askForRunsAhead(context: Context, tx: Tx, deployment_id: string): Promise<void> {
  if ((await tx.run(becomeDue, { deployment_id, now: context.now })) === 0) return;
  tx.afterCommit(() => context.server.wakeUps.wake('scheduler', context.workspace));
}

/** Deletes what the scheduler made and nobody started, the overdue too: a paused deployment starts nothing by itself. */
export async function deleteAutoScheduledRuns(tx: Tx, deployment_id: string): Promise<void> {
  await tx.run(deleteAutoScheduled, { deployment_id });
}

/** Deletes every run that nobody started, whoever made it. */
export async function deleteScheduledRuns(tx: Tx, deployment_id: string): Promise<void> {
  await tx.run(deleteScheduled, { deployment_id });
}
