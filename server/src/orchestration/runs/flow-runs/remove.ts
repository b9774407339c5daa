/**
 * Deletes the task runs and logs of flow runs in batches, because a run can have ten thousand task runs and a flow a
 * hundred thousand runs. Each batch is a transaction that blocks other writers for at most about 10 ms on SQLite.
 */
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import type { Db, Tx } from '../../../database/store.ts';

/** Deleting a task run also deletes its two or three states. */
const TASK_RUNS = 50;
const LOGS = 200;

/** Deletes the task runs and logs of flow runs. The caller deletes the runs in its own transaction. */
export async function emptyFlowRuns(context: Context, ids: readonly string[]): Promise<void> {
  await deleteTaskRunsOf(context, ids);
  if (ids.length === 0) return;
  while ((await context.transaction((tx) => deleteSomeLogs(tx, ids))) === LOGS);
}

export async function deleteTaskRunsOf(context: Context, flowRunIds: readonly string[]): Promise<void> {
  if (flowRunIds.length === 0) return;
  while ((await context.transaction((tx) => deleteSomeTaskRuns(tx, flowRunIds))) === TASK_RUNS);
}

/** Runs that the task runs started stay, without a parent. */
async function deleteSomeTaskRuns(tx: Tx, flowRunIds: readonly string[]): Promise<number> {
  const ids = await idsOfRuns(tx, 'task_run', flowRunIds, TASK_RUNS);
  if (ids.length === 0) return 0;
  const isParent = tx.dialect.oneOf(sql`parent_task_run_id`, ids, 'uuid');
  await tx.execute(
    sql`update flow_run set parent_task_run_id = null where "workspace" = ${tx.workspace} and ${isParent}`,
  );
  await deleteByIds(tx, 'task_run', ids);
  return ids.length;
}

async function deleteSomeLogs(tx: Tx, flowRunIds: readonly string[]): Promise<number> {
  const ids = await idsOfRuns(tx, 'log', flowRunIds, LOGS);
  if (ids.length > 0) await deleteByIds(tx, 'log', ids);
  return ids.length;
}

async function idsOfRuns(
  db: Db,
  table: 'task_run' | 'log',
  flowRunIds: readonly string[],
  limit: number,
): Promise<string[]> {
  const isOfRun = db.dialect.oneOf(sql`flow_run_id`, flowRunIds, 'uuid');
  const rows = await db.query(
    sql<{ id: string }>`select id from ${sql.table(table)} where "workspace" = ${db.workspace} and ${isOfRun}
      limit ${limit}`,
  );
  return rows.map(({ id }) => id);
}

/** Answers how many there were. Flow runs take their states, tags and inputs along. */
export function deleteByIds(tx: Tx, table: 'flow_run' | 'task_run' | 'log', ids: readonly string[]): Promise<number> {
  const isOne = tx.dialect.oneOf(sql`id`, ids, 'uuid');
  return tx.execute(sql`delete from ${sql.table(table)} where "workspace" = ${tx.workspace} and ${isOne}`);
}
