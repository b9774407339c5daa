/**
 * Deletes old rows, so that the database does not grow forever. Each function deletes one batch, in a transaction for
 * which other writers wait at most some 10 ms on SQLite, and returns whether more is left.
 */
import type { Context } from '../../context/context.ts';
import { waitForDropSeconds } from '../../database/partitions.ts';
import type { Db } from '../../database/store.ts';
import type { Timestamp } from '../../values/time.ts';
import { deleteFlowRunRow, deleteSomeLogs, deleteSomeTaskRuns } from '../runs/removal.ts';
import { oldBefore } from './import-hold.ts';
import { deleteEventsBefore, deleteLogsBefore, endedBefore, listRunsEndedBefore } from './queries.ts';

/** Each batch takes 3 to 5 ms: an event has a row for each of its resources, and more indexes than a log. */
const EVENTS = 50;
const LOGS = 200;
const TASK_RUNS = 25;
const FLOW_RUNS = 20;

/** Deletes events that occurred before the retention time. `services/retention.test.ts` shows it. */
export async function deleteOldEvents(context: Context): Promise<boolean> {
  const { now, server } = context;
  return context.transaction(async (tx) => {
    const { eventRetentionSeconds: seconds } = server.config;
    const kept = seconds + waitForDropSeconds(server.store.partitions, seconds);
    const before = await oldBefore(tx, 'events', now, kept);
    return before !== undefined && (await tx.run(deleteEventsBefore, { before, limit: EVENTS })) === EVENTS;
  });
}

/** Deletes logs older than the retention time of runs, whether or not their run still exists. */
export async function deleteOldLogs(context: Context): Promise<boolean> {
  const { now, server } = context;
  return context.transaction(async (tx) => {
    const { runRetentionSeconds: seconds } = server.config;
    const kept = seconds + waitForDropSeconds(server.store.partitions, seconds);
    const before = await oldBefore(tx, 'flow_runs', now, kept);
    return before !== undefined && (await tx.run(deleteLogsBefore, { before, limit: LOGS })) === LOGS;
  });
}

/**
 * Deletes flow runs that ended too long ago, oldest first, with all their rows except artifacts. A run with many logs
 * or task runs is deleted in batches, the run itself last.
 */
export async function deleteOldFlowRuns(context: Context): Promise<boolean> {
  const before = await endOfRetention(context, context.db);
  if (before === undefined) return false;
  const ids = await listRunsEndedBefore(context.db, before, FLOW_RUNS);
  for (const id of ids) {
    if (!(await deletePiece(context, id))) return true;
  }
  return ids.length === FLOW_RUNS;
}

/** Read in the transaction that deletes, so that it sees an import together with the import's rows. */
function endOfRetention({ now, server }: Context, db: Db): Promise<Timestamp | undefined> {
  return oldBefore(db, 'flow_runs', now, server.config.runRetentionSeconds);
}

/** True when nothing is left of the run, or when it must no longer be deleted. */
function deletePiece(context: Context, id: string): Promise<boolean> {
  return context.transaction(async (tx) => {
    await tx.lock('flow_run', id);
    const before = await endOfRetention(context, tx);
    if (before === undefined || !(await endedBefore(tx, id, before))) return true;
    if ((await deleteSomeLogs(tx, [id], LOGS)) === LOGS) return false;
    if ((await deleteSomeTaskRuns(tx, [id], TASK_RUNS)) === TASK_RUNS) return false;
    await deleteFlowRunRow(tx, id);
    return true;
  });
}
