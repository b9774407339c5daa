/**
 * Deletes old rows, so that the database does not grow forever. Each function deletes one batch, in a transaction for
 * which other writers wait at most some 10 ms on SQLite, and returns whether more is left.
 */
import type { Context } from '../../context/context.ts';
import type { Db } from '../../database/store.ts';
import type { Timestamp } from '../../values/time.ts';
import { deleteBlocksBefore, deleteBlocksOfRuns } from '../logs/search/blocks.ts';
import { deleteFlowRunRow, deleteLogs, deleteSomeLogs, deleteSomeTaskRuns } from '../runs/removal.ts';
import { oldBefore } from './import-hold.ts';
import { keptSeconds, type RuledKind } from './kept.ts';
import { deleteEventsBefore, deleteLogsBefore, endedBefore, listRunsEndedBefore, logsOfDeployment } from './queries.ts';
import { findRules } from './rules.ts';

const START_OF_TIME = '0001-01-01T00:00:00.000000Z' as Timestamp;
/** Each batch takes 3 to 5 ms: an event has a row for each of its resources, and more indexes than a log. */
const EVENTS = 50;
const LOGS = 200;
const TASK_RUNS = 25;
const FLOW_RUNS = 20;

/** Deletes events that occurred before the retention time. `services/old-rows/retention.test.ts` shows it. */
export async function deleteOldEvents(context: Context): Promise<boolean> {
  return context.transaction(async (tx) => {
    const before = await endOfRetention(context, tx, 'events');
    return before !== undefined && (await tx.run(deleteEventsBefore, { before, limit: EVENTS })) === EVENTS;
  });
}

/** Deletes logs older than their retention time, whether or not their run still exists. */
export async function deleteOldLogs(context: Context): Promise<boolean> {
  return context.transaction(async (tx) => {
    const before = await endOfRetention(context, tx, 'logs');
    if (before === undefined) return false;
    const deleted = [
      await tx.run(deleteLogsBefore, { before, limit: LOGS }),
      await deleteBlocksBefore(tx, before, LOGS),
    ];
    return deleted.includes(LOGS);
  });
}

/**
 * Deletes the logs of deployments with a shorter time. `done` has, for each, the time before which nothing is left, so a
 * pass reads only the logs that have become old since the last one.
 */
export async function deleteOldLogsOfDeployments(context: Context, done: Map<string, Timestamp>): Promise<boolean> {
  const { db, now } = context;
  let isLeft = false;
  for (const { deploymentId: deployment_id, logSeconds } of (await findRules(db)).deployments) {
    const since = done.get(deployment_id) ?? START_OF_TIME;
    const before = await oldBefore(db, 'flow_runs', now, logSeconds);
    if (before === undefined || before <= since) continue;
    const found = await db.all(logsOfDeployment, { deployment_id, since, before, limit: LOGS });
    if (found.length > 0) {
      await context.transaction(async (tx) => {
        if ((await oldBefore(tx, 'flow_runs', now, logSeconds)) === undefined) return;
        await deleteLogs(
          tx,
          found.map(({ id }) => id),
        );
        const runs = new Set(found.flatMap(({ flow_run_id }) => flow_run_id ?? []));
        await deleteBlocksOfRuns(tx, [...runs], LOGS, found.at(-1)!.timestamp);
      });
    }
    isLeft ||= found.length === LOGS;
    done.set(deployment_id, found.length === LOGS ? found.at(-1)!.timestamp : before);
  }
  return isLeft;
}

/**
 * Deletes flow runs that ended too long ago, oldest first, with all their rows except artifacts. A run with many logs
 * or task runs is deleted in batches, the run itself last.
 */
export async function deleteOldFlowRuns(context: Context): Promise<boolean> {
  const before = await endOfRetention(context, context.db, 'flow_runs');
  if (before === undefined) return false;
  const ids = await listRunsEndedBefore(context.db, before, FLOW_RUNS);
  for (const id of ids) {
    if (!(await deletePiece(context, id))) return true;
  }
  return ids.length === FLOW_RUNS;
}

/**
 * Read in the transaction that deletes, so that it sees an import together with the import's rows. Undefined if no row of
 * the kind is old.
 */
async function endOfRetention(context: Context, db: Db, kind: RuledKind): Promise<Timestamp | undefined> {
  const seconds = keptSeconds(context, kind, await findRules(db));
  return seconds === undefined
    ? undefined
    : oldBefore(db, kind === 'events' ? 'events' : 'flow_runs', context.now, seconds);
}

/** True when nothing is left of the run, or when it must no longer be deleted. */
function deletePiece(context: Context, id: string): Promise<boolean> {
  return context.transaction(async (tx) => {
    await tx.lock('flow_run', id);
    const before = await endOfRetention(context, tx, 'flow_runs');
    if (before === undefined || !(await endedBefore(tx, id, before))) return true;
    if ((await deleteSomeLogs(tx, [id], LOGS)) === LOGS) return false;
    if ((await deleteSomeTaskRuns(tx, [id], TASK_RUNS)) === TASK_RUNS) return false;
    await deleteFlowRunRow(tx, id);
    return true;
  });
}
