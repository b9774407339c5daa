/** Runs that exist before they are due: deletes and recreates them when a deployment or its schedules change. */
import { sql } from 'kysely';
import type { Hub } from '../../changes/hub.ts';
import { always, type Condition } from '../../database/dialect/dialect.ts';
import { statement } from '../../database/statement.ts';
import type { Tx } from '../../database/store.ts';
import type { Timestamp } from '../../values/time.ts';

/** A run that never started. A run that waits for a concurrency slot was about to start, so it is kept. */
const neverStarted = sql`flow_run.state_type = 'SCHEDULED' and flow_run.state_name <> 'AwaitingConcurrencySlot'
  and flow_run.run_count = 0`;

interface OfDeployment {
  readonly deployment_id: string;
}

/** Deletes runs of a deployment that never started. Their child runs stay, without a parent. */
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

/** The workspace and the time of a change, and the wake-up of its scheduler. `Context` has them. */
interface SchedulingContext {
  readonly workspace: number;
  readonly now: Timestamp;
  readonly server: { readonly hub: Hub };
}

/**
 * Deletes the future runs that the scheduler created, and makes it recreate them from the stored schedules after the
 * transaction. The caller must lock the deployment: otherwise the scheduler could restore deleted runs.
 */
export async function remakeRunsAhead(context: SchedulingContext, tx: Tx, deployment_id: string): Promise<void> {
  await deleteAhead(tx, { deployment_id, now: context.now });
  await askForRunsAhead(context, tx, deployment_id);
}

/** Makes the scheduler process the deployment after the transaction, if it has active schedules. */
export async function askForRunsAhead(context: SchedulingContext, tx: Tx, deployment_id: string): Promise<void> {
  if ((await tx.run(becomeDue, { deployment_id, now: context.now })) === 0) return;
  tx.afterCommit(() => context.server.hub.tell('work', 'scheduler', context.workspace));
}

/**
 * Deletes the runs that the scheduler created and that never started, including overdue ones: neither a paused
 * deployment nor a deleted schedule starts runs.
 */
export async function deleteAutoScheduledRuns(tx: Tx, deployment_id: string): Promise<void> {
  await deleteAutoScheduled(tx, { deployment_id });
}

/** Deletes all runs that never started, whether the scheduler or a client created them. */
export async function deleteScheduledRuns(tx: Tx, deployment_id: string): Promise<void> {
  await deleteScheduled(tx, { deployment_id });
}
