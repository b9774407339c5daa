/**
 * What deleted workspaces leave: rows that hang on nothing that went with them. They are deleted in batches, each in a
 * transaction that other writers wait at most some 5 ms for on SQLite.
 */
import { sql } from 'kysely';
import type { Server } from '../../context.ts';
import { deleteFound } from '../../database/delete-found.ts';
import { platformStatement, type Statement, statement } from '../../database/statement.ts';
import type { Store } from '../../database/store.ts';
import type { TableName } from '../../database/tables.ts';
import { REMOVED_WORKSPACES } from '../../database/workspaces.ts';
import { addSeconds, type Timestamp } from '../../time.ts';

const BATCH = 50;
/** Requests and sockets of a workspace that was deleted under them have ended by then, and write nothing more. */
const SETTLED_SECONDS = 86_400;

/** The tables whose rows do not go with the workspace by themselves, with a column that its rows are told apart by. */
export const left = {
  variable: 'id',
  artifact_collection: 'id',
  artifact: 'id',
  saved_search: 'id',
  log: 'id',
  automation_event: 'position',
  event: 'id',
  task_run_state_cache: 'id',
  flow_run_count: 'state_type',
  flow_run_sum: 'begins',
} as const satisfies Partial<Record<TableName, string>>;

function deleteSome(table: string, column: string, limit: number): Statement<object, unknown> {
  const rows = sql.table(table);
  return statement((_query, given, dialect) => {
    const ofWorkspace = sql<boolean>`"workspace" = ${given.workspace}`;
    const some = sql`select ${sql.ref(column)} from ${rows} where ${ofWorkspace} limit ${sql.lit(limit)}`;
    return deleteFound(rows, ofWorkspace, sql.ref(column), some, dialect);
  });
}

const deletions = Object.entries(left).map(([table, column]) => deleteSome(table, column, BATCH));

const listUnsettled = platformStatement<Record<string, never>, { key: number; removed: Timestamp }>((query) =>
  query.selectFrom('removed_workspace').select(['key', 'removed']).where('emptied', 'is', null).orderBy('key'),
);

const noteEmptied = platformStatement<{ key: number; now: Timestamp }, unknown>((query, given) =>
  query.updateTable('removed_workspace').set({ emptied: given.now }).where('key', '=', given.key),
);

const listHidden = platformStatement<Record<string, never>, { key: number }>((query) =>
  query.selectFrom('workspace').select('key').where('organization_id', '=', REMOVED_WORKSPACES).orderBy('key'),
);

const deleteRow = platformStatement<{ key: number }, unknown>((query, given) =>
  query.deleteFrom('workspace').where('key', '=', given.key).where('organization_id', '=', REMOVED_WORKSPACES),
);

/**
 * Tables that hang on a workspace and can have many rows, with how many go together; those that hang on another of them
 * come first, so that no row takes many along. What is in none of them goes with the workspace itself.
 */
const large = Object.entries({
  task_run: 25,
  flow_run: 20,
  deployment: 20,
  automation: 20,
  block_document: 20,
  concurrency_lease: BATCH,
} as const).map(([table, limit]) => deleteSome(table, 'id', limit));

/** Deletes a batch of each table for each deleted workspace. True when there is more. */
export async function deleteRowsOfRemovedWorkspaces({ store }: Server, now: Timestamp): Promise<boolean> {
  let isMore = false;
  for (const { key } of await store.platform.reads().all(listHidden)) {
    isMore = true;
    if ((await deleteBatches(store, key, [...large, ...deletions])) > 0) continue;
    await store.platform.transaction((tx) => tx.run(deleteRow, { key }));
  }
  for (const { key, removed } of await store.platform.reads().all(listUnsettled)) {
    const deleted = await deleteBatches(store, key, deletions);
    isMore ||= deleted > 0;
    if (deleted > 0 || removed > addSeconds(now, -SETTLED_SECONDS)) continue;
    await store.platform.transaction((tx) => tx.run(noteEmptied, { key, now }));
  }
  return isMore;
}

async function deleteBatches(
  store: Store,
  key: number,
  batches: readonly Statement<object, unknown>[],
): Promise<number> {
  let deleted = 0;
  for (const batch of batches) deleted += await store.transaction(key, (tx) => tx.run(batch, {}));
  return deleted;
}
