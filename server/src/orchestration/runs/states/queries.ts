import { sql } from 'kysely';
import { listedColumns } from '../../../database/lists/large-values.ts';
import { rows } from '../../../database/rows.ts';
import { statement } from '../../../database/statement.ts';
import type { Db, Tx } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';

export const flowRunStates = rows('flow_run_state');
export const taskRunStates = rows('task_run_state');

const deleteInputsByKey = statement<{ flow_run_id: string; keys: string }, unknown>(
  (_query, given, dialect) => sql`delete from flow_run_input where "workspace" = ${given.workspace}
    and flow_run_id = ${given.flow_run_id} and key in
      (select key from ${dialect.rowsFrom(given.keys, { key: 'text' })} ended)`,
);

/** Deletes inputs of a flow run by their keys. */
export async function deleteInputs(tx: Tx, flow_run_id: string, keys: readonly string[]): Promise<void> {
  await tx.run(deleteInputsByKey, { flow_run_id, keys: JSON.stringify(keys.map((key) => ({ key }))) });
}

/** Oldest first. Empty when the run does not exist. */
export function listFlowRunStates(db: Db, flow_run_id: string): Promise<Row<'flow_run_state'>[]> {
  return listStates(db, 'flow_run_state', 'flow_run_id', flow_run_id);
}

/** Oldest first. Empty when the run does not exist. */
export function listTaskRunStates(db: Db, task_run_id: string): Promise<Row<'task_run_state'>[]> {
  return listStates(db, 'task_run_state', 'task_run_id', task_run_id);
}

function listStates<Table extends 'flow_run_state' | 'task_run_state'>(
  db: Db,
  table: Table,
  column: string,
  run: string,
) {
  return db.query(
    sql<Row<Table>>`select ${listedColumns(db, table)} from ${sql.table(table)}
      where "workspace" = ${db.workspace} and ${sql.ref(column)} = ${run} order by timestamp`,
    { recurs: true },
  );
}
