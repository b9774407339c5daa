/**
 * Deletes old rows, so that the database does not grow for ever. Each function deletes one batch, in a transaction for
 * which other writers wait at most some 10 ms on SQLite, and returns whether there is more.
 */
import type { Context } from '../../context.ts';
import { addSeconds, type Timestamp } from '../../time.ts';
import { deleteFlowRunRow, deleteSomeLogs, deleteSomeTaskRuns } from '../runs/removal.ts';
import { deleteEventsBefore, deleteLogsBefore, endedBefore, listRunsEndedBefore } from './queries.ts';

/** Each batch takes 3 to 5 ms: an event has an entry for each resource it is about, and more indexes than a log. */
const EVENTS = 50;
const LOGS = 200;
const TASK_RUNS = 25;
const FLOW_RUNS = 20;

/** Deletes events that occurred before the retention time. `services/retention.test.ts` shows it. */
export async function deleteOldEvents(context: Context): Promise<boolean> {
  const before = addSeconds(context.now, -context.server.config.eventRetentionSeconds);
  return (await context.transaction((tx) => deleteEventsBefore(tx, before, EVENTS))) === EVENTS;
}

/** Deletes logs older than runs are kept, whether their run still exists or not. */
export async function deleteOldLogs(context: Context): Promise<boolean> {
  const before = endOfRetention(context);
  return (await context.transaction((tx) => deleteLogsBefore(tx, before, LOGS))) === LOGS;
}

/**
 * Deletes flow runs that ended too long ago, oldest first, with all their rows except artifacts. A run with many logs
 * or task runs is deleted in batches, the run itself last.
 */
export async function deleteOldFlowRuns(context: Context): Promise<boolean> {
  const before = endOfRetention(context);
  const ids = await listRunsEndedBefore(context.db, before, FLOW_RUNS);
  for (const id of ids) {
    if (!(await deletePiece(context, id, before))) return true;
  }
  return ids.length === FLOW_RUNS;
}

function endOfRetention({ now, server }: Context): Timestamp {
  return addSeconds(now, -server.config.runRetentionSeconds);
}

/** True when nothing is left of the run, or it must not be deleted any more. */
function deletePiece(context: Context, id: string, before: Timestamp): Promise<boolean> {
  return context.transaction(async (tx) => {
    await tx.lock('flow_run', id);
    if (!(await endedBefore(tx, id, before))) return true;
    if ((await deleteSomeLogs(tx, [id], LOGS)) === LOGS) return false;
    if ((await deleteSomeTaskRuns(tx, [id], TASK_RUNS)) === TASK_RUNS) return false;
    await deleteFlowRunRow(tx, id);
    return true;
  });
}
