/**
 * Deletes what hangs on flow runs in pieces, each a transaction that other writers wait at most some 10 ms for on SQLite:
 * a run can have ten thousand task runs, and a flow a hundred thousand runs.
 */
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import type { Db, Tx } from '../../../database/store.ts';

/** A task run takes two or three states along. */
const TASK_RUNS = 50;
const LOGS = 200;

/** Deletes the task runs and logs of flow runs. The runs stay: the caller deletes them in a transaction of its own. */
export async function emptyFlowRuns(context: Context, ids: readonly string[]): Promise<void> {
  await deleteTaskRunsOf(context, ids);
  if (ids.length === 0) return;
  while ((await context.transaction((tx) => deleteSomeLogs(tx, ids))) === LOGS);
}

export async function deleteTaskRunsOf(context: Context, flowRunIds: readonly string[]): Promise<void> {
  if (flowRunIds.length === 0) return;
  while ((await context.transaction((tx) => deleteSomeTaskRuns(tx, flowRunIds))) === TASK_RUNS);
}

/** Runs that the task runs started stay, without their parent. */
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
