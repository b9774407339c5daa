/**
 * Deletes flow runs with the rows that belong to them. A run can have ten thousand task runs, and a flow a hundred
 * thousand runs, so these go in batches. Each batch is a transaction that blocks other writers for at most about 10 ms on
 * SQLite. Rows that another replica is deleting are left to it.
 */
import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { statement } from '../../database/statement.ts';
import type { Tx } from '../../database/store.ts';
import type { Timestamp } from '../../values/time.ts';
import { logs } from '../logs/queries.ts';
import { deleteBlocksOfRuns, logBlocks } from '../logs/search/blocks.ts';
import { flowRuns } from './rows/flow-runs.ts';

/** Deleting a task run also deletes its two or three states. */
const TASK_RUNS = 50;
const LOGS = 200;

const forgetParent = statement<{ id: string }, unknown>(
  (_query, given) =>
    sql`update flow_run set parent_task_run_id = null where "workspace" = ${given.workspace} and parent_task_run_id in
      (select task_run.id from task_run where task_run."workspace" = ${given.workspace} and task_run.flow_run_id = ${given.id})`,
);

/** Deletes the task runs and logs of flow runs. The caller deletes the runs in its own transaction. */
export async function emptyFlowRuns(context: Context, ids: readonly string[]): Promise<void> {
  await deleteTaskRunsOf(context, ids);
  if (ids.length === 0) return;
  while ((await context.transaction((tx) => deleteSomeLogs(tx, ids, LOGS))) === LOGS);
}

export async function deleteTaskRunsOf(context: Context, flowRunIds: readonly string[]): Promise<void> {
  if (flowRunIds.length === 0) return;
  while ((await context.transaction((tx) => deleteSomeTaskRuns(tx, flowRunIds, TASK_RUNS))) === TASK_RUNS);
}

/**
 * Deletes the run with its states, task runs, inputs and logs. Runs that it started stay, without a parent. False when
 * the run does not exist.
 */
export async function deleteFlowRunRow(tx: Tx, id: string): Promise<boolean> {
  await tx.run(forgetParent, { id });
  const deleted = await flowRuns.removeAll(tx, { id });
  if (deleted > 0) {
    await logs.removeAll(tx, { flow_run_id: id });
    await logBlocks.removeAll(tx, { flow_run_id: id });
  }
  return deleted > 0;
}

/** Deletes runs whose task runs were deleted, with their states, tags and inputs, but without their logs. */
export function deleteFlowRunRows(tx: Tx, ids: readonly string[]): Promise<number> {
  return deleteByIds(tx, 'flow_run', ids);
}

/** Returns the number of deleted task runs. Runs that the task runs started stay, without a parent. */
export async function deleteSomeTaskRuns(tx: Tx, flowRunIds: readonly string[], limit: number): Promise<number> {
  const ids = await idsOfRuns(tx, 'task_run', flowRunIds, limit);
  if (ids.length === 0) return 0;
  const isParent = tx.dialect.oneOf(sql`parent_task_run_id`, ids, 'uuid');
  await tx.execute(
    sql`update flow_run set parent_task_run_id = null where "workspace" = ${tx.workspace} and ${isParent}`,
  );
  await deleteByIds(tx, 'task_run', ids);
  return ids.length;
}

/**
 * Returns the number of deleted logs, or of their deleted blocks if these are more. `before` excludes logs that were
 * received later.
 */
export async function deleteSomeLogs(
  tx: Tx,
  flowRunIds: readonly string[],
  limit: number,
  before?: Timestamp,
): Promise<number> {
  const ids = await idsOfRuns(tx, 'log', flowRunIds, limit, before);
  if (ids.length > 0) await deleteByIds(tx, 'log', ids);
  return Math.max(ids.length, await deleteBlocksOfRuns(tx, flowRunIds, limit, before));
}

export async function deleteLogs(tx: Tx, ids: readonly string[]): Promise<void> {
  await deleteByIds(tx, 'log', ids);
}

async function idsOfRuns(
  tx: Tx,
  table: 'task_run' | 'log',
  flowRunIds: readonly string[],
  limit: number,
  before?: Timestamp,
): Promise<string[]> {
  const isOfRun = tx.dialect.oneOf(sql`flow_run_id`, flowRunIds, 'uuid');
  const isOld = before === undefined ? sql`` : sql`and created < ${before}`;
  const rows = await tx.query(
    sql<{ id: string }>`select id from ${sql.table(table)} where "workspace" = ${tx.workspace} and ${isOfRun} ${isOld}
      limit ${limit} ${tx.dialect.forUpdateSkipLocked}`,
  );
  return rows.map(({ id }) => id);
}

function deleteByIds(tx: Tx, table: 'flow_run' | 'task_run' | 'log', ids: readonly string[]): Promise<number> {
  const isOne = tx.dialect.oneOf(sql`id`, ids, 'uuid');
  return tx.execute(sql`delete from ${sql.table(table)} where "workspace" = ${tx.workspace} and ${isOne}`);
}
