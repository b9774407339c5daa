/**
 * Deletes the rows of deleted workspaces that no foreign key removed with them, in batches. On SQLite, the transaction
 * of a batch delays other writers by at most some 5 ms.
 */
import { sql } from 'kysely';
import type { Server } from '../../context/context.ts';
import { deletionOfSome } from '../../database/delete-found.ts';
import { rows } from '../../database/rows.ts';
import { platformStatement, type Statement } from '../../database/statement.ts';
import type { Store } from '../../database/store.ts';
import type { TableName } from '../../database/tables/tables.ts';
import { REMOVED_WORKSPACES, workspaces } from '../../database/workspaces.ts';
import { addSeconds, type Timestamp } from '../../values/time.ts';

const BATCH = 50;
/**
 * After this time, the requests and sockets that were open when the workspace was deleted have ended and write nothing
 * more.
 */
const SETTLED_SECONDS = 86_400;

/** The tables whose rows the database does not delete with the workspace, with a column that identifies a row in it. */
export const left = {
  variable: 'id',
  artifact_collection: 'id',
  artifact: 'id',
  saved_search: 'id',
  log: 'id',
  log_block: 'number',
  automation_event: 'position',
  event: 'id',
  task_run_state_cache: 'id',
  flow_run_count: 'state_type',
  flow_run_sum: 'begins',
  bulk_work: 'id',
} as const satisfies Partial<Record<TableName, string>>;

const batchOf = (table: string, column: string, limit: number) =>
  deletionOfSome<object>(table, column, () => sql`limit ${sql.lit(limit)}`);

const deletions = Object.entries(left).map(([table, column]) => batchOf(table, column, BATCH));

const listUnsettled = platformStatement<Record<string, never>, { key: number; removed: Timestamp }>((query) =>
  query.selectFrom('removed_workspace').select(['key', 'removed']).where('emptied', 'is', null).orderBy('key'),
);

const removedWorkspaces = rows('removed_workspace');
const hidden = { organization_id: REMOVED_WORKSPACES };

/**
 * Tables of a workspace that can have many rows, with the size of a batch. A table that refers to another one comes
 * before it, so that no deleted row cascades to many others. Rows of other tables are deleted with the workspace
 * itself.
 */
const large = Object.entries({
  task_run: 25,
  flow_run: 20,
  deployment: 20,
  automation: 20,
  block_document: 20,
  concurrency_lease: BATCH,
  bulk_work: 1,
} as const).map(([table, limit]) => batchOf(table, 'id', limit));

/** Deletes a batch of each table for each deleted workspace. True when more is left. */
export async function deleteRowsOfRemovedWorkspaces({ store }: Server, now: Timestamp): Promise<boolean> {
  let isMore = false;
  for (const { key } of await workspaces.all(store.platform.reads(), hidden)) {
    isMore = true;
    if ((await deleteBatches(store, key, [...large, ...deletions])) > 0) continue;
    await store.platform.transaction((tx) => workspaces.remove(tx, { ...hidden, key }));
  }
  for (const { key, removed } of await store.platform.reads().all(listUnsettled)) {
    const deleted = await deleteBatches(store, key, deletions);
    isMore ||= deleted > 0;
    if (deleted > 0 || removed > addSeconds(now, -SETTLED_SECONDS)) continue;
    await store.platform.transaction((tx) => removedWorkspaces.change(tx, { key }, { emptied: now }));
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
