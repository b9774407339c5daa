/** Runs that exist before they are due: which are deleted and remade when a deployment or its schedules change. */
import { sql } from 'kysely';
import type { WakeUps } from '../../changes/wake-ups.ts';
import { always, type Condition } from '../../database/dialect/dialect.ts';
import { statement } from '../../database/statement.ts';
import type { Tx } from '../../database/store.ts';
import type { Timestamp } from '../../values/time.ts';

/** A run that never started. A run that waits for a concurrency slot was about to start, and stays. */
const neverStarted = sql`flow_run.state_type = 'SCHEDULED' and flow_run.state_name <> 'AwaitingConcurrencySlot'
  and flow_run.run_count = 0`;

interface OfDeployment {
  readonly deployment_id: string;
}

/** Deletes those of a deployment's runs that never started. Runs that these had started stay, without their parent. */
function deletion<Given extends OfDeployment>(which: (given: Given) => Condition) {
  const chosen = (given: Given) =>
    sql`flow_run.deployment_id = ${given.deployment_id} and ${neverStarted} and ${which(given)}`;
  const orphanChildren = statement<Given, unknown>(
    (_query, given) =>
      sql`update flow_run as child set parent_task_run_id = null where child."workspace" = ${given.workspace}
        and child.parent_task_run_id in (select task_run.id from flow_run
          join task_run on task_run.workspace = flow_run.workspace and task_run.flow_run_id = flow_run.id
          where flow_run."workspace" = ${given.workspace} and ${chosen(given)})`,
  );
  const deleteRuns = statement<Given, unknown>(
    (_query, given) => sql`delete from flow_run where flow_run."workspace" = ${given.workspace} and ${chosen(given)}`,
  );
  return async (tx: Tx, given: Given): Promise<void> => {
    await tx.run(orphanChildren, given);
    await tx.run(deleteRuns, given);
  };
}

const deleteAhead = deletion<OfDeployment & { now: Timestamp }>(
  ({ now }) => sql<boolean>`flow_run.auto_scheduled and flow_run.next_scheduled_start_time > ${now}`,
);
const deleteAutoScheduled = deletion(() => sql<boolean>`flow_run.auto_scheduled`);
const deleteScheduled = deletion(() => always);

const becomeDue = statement<{ deployment_id: string; now: Timestamp }, unknown>(
  (_query, given) =>
    sql`update deployment set schedule_due = ${given.now}
      where deployment."workspace" = ${given.workspace} and deployment.id = ${given.deployment_id}
        and exists (select 1 from deployment_schedule where deployment_schedule.workspace = ${given.workspace}
          and deployment_schedule.deployment_id = ${given.deployment_id} and deployment_schedule.active)`,
);

/** When a deployment becomes due, and who wakes its scheduler. `Context` has it. */
interface SchedulingContext {
  readonly workspace: number;
  readonly now: Timestamp;
  readonly server: { readonly wakeUps: WakeUps };
}

/**
 * Deletes the future runs that the scheduler made, and has it make them again from the stored schedules when the
 * transaction ends. The caller locks the deployment: otherwise the scheduler could put deleted runs back.
 */
export async function remakeRunsAhead(context: SchedulingContext, tx: Tx, deployment_id: string): Promise<void> {
  await deleteAhead(tx, { deployment_id, now: context.now });
  await askForRunsAhead(context, tx, deployment_id);
}

/** Has the scheduler process the deployment after the transaction, if it has active schedules. */
export async function askForRunsAhead(context: SchedulingContext, tx: Tx, deployment_id: string): Promise<void> {
  if ((await tx.run(becomeDue, { deployment_id, now: context.now })) === 0) return;
  tx.afterCommit(() => context.server.wakeUps.wake('scheduler', context.workspace));
}

/**
 * Deletes the runs that the scheduler made and that never started, overdue ones too: a paused deployment starts no
 * scheduled runs, and neither does a deleted schedule.
 */
export async function deleteAutoScheduledRuns(tx: Tx, deployment_id: string): Promise<void> {
  await deleteAutoScheduled(tx, { deployment_id });
}

/** Deletes every run that never started, whether the scheduler or a client made it. */
export async function deleteScheduledRuns(tx: Tx, deployment_id: string): Promise<void> {
  await deleteScheduled(tx, { deployment_id });
}
