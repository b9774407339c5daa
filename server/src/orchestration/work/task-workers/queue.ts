/**
 * Hands out background task runs: one task worker at a time has a run, until one confirms it. The queue is in the
 * database, so it outlives the server, and any replica hands out runs that another one received. The Prefect server
 * 3.9.1 keeps its queue in memory (`/task_runs/subscriptions/scheduled`).
 */
import type { Context } from '../../../context/context.ts';
import { addSeconds } from '../../../values/time.ts';
import { findTaskRun, type TaskRunWithState } from '../../runs/task-runs/queries.ts';
import { claimTask, listQueueHeads, queuedTaskRuns } from './queue-queries.ts';

/** Seconds for which a silent worker keeps a run that it did not confirm: a crash is noticed within this time. */
export const CLAIM_SECONDS = 30;

/** A run that was handed out and is not yet confirmed. */
export interface Claim {
  /** The task run. */
  readonly id: string;
  /** The connection of the task worker that has the run. */
  readonly claim: string;
}

/**
 * The next run for `claim`: retries first, then by the order of `keys`. Undefined when no run waits. A run that is no
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
        const until = addSeconds(now, CLAIM_SECONDS);
        if ((await tx.run(claimTask, { id, claim, now, until })) === 0) return undefined;
        const found = await findTaskRun(tx, id);
        if (found?.state_type === 'SCHEDULED') return found;
        await queuedTaskRuns.removeAll(tx, { task_run_id: id, claim });
        return undefined;
      });
      if (run) return run;
    }
  }
}

/** Extends the claim, so that no other worker gets the run. */
export async function keepTaskRun(context: Context, { id, claim }: Claim): Promise<void> {
  const claimed_until = addSeconds(context.now, CLAIM_SECONDS);
  await context.transaction((tx) => queuedTaskRuns.changeAll(tx, { task_run_id: id, claim }, { claimed_until }));
}

/** Removes the run from the queue, because the worker has it. */
export async function confirmTaskRun(context: Context, { id, claim }: Claim): Promise<void> {
  await context.transaction((tx) => queuedTaskRuns.removeAll(tx, { task_run_id: id, claim }));
}

/**
 * Returns the run to the head of the queue, because the worker disconnected before it confirmed. Does nothing if the
 * claim had expired and another worker has the run.
 */
export function releaseTaskRun(context: Context, { id, claim }: Claim): Promise<void> {
  return context.transaction(async (tx) => {
    const free = { claim: null, claimed_until: null, is_retry: true };
    const released = await queuedTaskRuns.change(tx, { task_run_id: id, claim }, free);
    if (!released) return;
    const { task_key } = released;
    tx.afterCommit(() => context.server.hub.tell('queuedTasks', context.workspace, { task_key }));
  });
}
