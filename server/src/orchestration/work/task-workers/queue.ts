/**
 * Handing out background task runs: one task worker at a time has a run, until one confirms it. The queue is in the
 * database, so it outlives the server, and any replica hands out runs that another one received. The Prefect server
 * 3.9.1 keeps its queue in memory (`/task_runs/subscriptions/scheduled`).
 */
import type { Context } from '../../../context.ts';
import { addSeconds } from '../../../time.ts';
import { findTaskRun, type TaskRunWithState } from '../../runs/task-runs/queries.ts';
import { claimRow, deleteClaimedRow, listQueueHeads, releaseRow, renewClaim } from './queue-queries.ts';

/** Seconds that a silent worker keeps a run that it did not confirm: a crash is noticed no later. */
export const CLAIM_SECONDS = 30;

/** A run that was handed out and is not confirmed. */
export interface Claim {
  /** The task run. */
  readonly id: string;
  /** The connection of the task worker that has the run. */
  readonly claim: string;
}

/**
 * The next run for `claim`: retries first, then by the order of `keys`. Undefined when nothing waits. A run that is no
 * longer scheduled leaves the queue and is not handed out.
 */
export async function claimTaskRun(
  context: Context,
  keys: readonly string[],
  claim: string,
): Promise<TaskRunWithState | undefined> {
  const { now } = context;
  const turn = new Map(keys.map((key, index) => [key, index]));
  for (;;) {
    const heads = await listQueueHeads(context.db, keys, now);
    if (heads.length === 0) return undefined;
    heads.sort(
      (left, right) =>
        Number(right.is_retry) - Number(left.is_retry) || turn.get(left.task_key)! - turn.get(right.task_key)!,
    );
    for (const { task_run_id: id } of heads) {
      const run = await context.transaction(async (tx) => {
        if (!(await claimRow(tx, { id, claim, now, until: addSeconds(now, CLAIM_SECONDS) }))) return undefined;
        const found = await findTaskRun(tx, id);
        if (found?.state_type === 'SCHEDULED') return found;
        await deleteClaimedRow(tx, { id, claim });
        return undefined;
      });
      if (run) return run;
    }
  }
}

/** Keeps the run from others for a while longer. */
export function keepTaskRun(context: Context, claim: Claim): Promise<void> {
  return context.transaction((tx) => renewClaim(tx, { ...claim, until: addSeconds(context.now, CLAIM_SECONDS) }));
}

/** The worker has the run: it leaves the queue. */
export function confirmTaskRun(context: Context, claim: Claim): Promise<void> {
  return context.transaction((tx) => deleteClaimedRow(tx, claim));
}

/** The worker disconnected before it confirmed: the run returns to the head of the queue. */
export function releaseTaskRun(context: Context, claim: Claim): Promise<void> {
  return context.transaction(async (tx) => {
    const task_key = await releaseRow(tx, claim);
    if (task_key === undefined) return;
    tx.afterCommit(() => context.server.hub.publish('queuedTasks', context.workspace, [{ task_key }]));
  });
}
