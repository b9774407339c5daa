/** Which task workers are connected, to this process or another. */
import { deleteById } from '../../../database/by-id.ts';
import { rowOf, statement } from '../../../database/statement.ts';
import type { Db, Tx } from '../../../database/store.ts';
import type { NewRow, Row } from '../../../database/tables.ts';
import type { Timestamp } from '../../../time.ts';

export type TaskWorkerRow = Row<'task_worker'>;

const upsert = statement<NewRow<'task_worker'>, unknown>((query, given) =>
  query
    .insertInto('task_worker')
    .values(rowOf('task_worker', given))
    .onConflict((conflict) =>
      conflict
        .columns(['workspace', 'id'])
        .doUpdateSet({ timestamp: given.timestamp, online_until: given.online_until }),
    ),
);

const deleteRow = deleteById('task_worker');

const deleteSilent = statement<{ now: Timestamp }, unknown>((query, given) =>
  query.deleteFrom('task_worker').where('workspace', '=', given.workspace).where('online_until', '<', given.now),
);

const online = statement<{ now: Timestamp }, TaskWorkerRow>((query, given) =>
  query
    .selectFrom('task_worker')
    .selectAll()
    .where('workspace', '=', given.workspace)
    .where('online_until', '>=', given.now)
    .orderBy('id'),
);

/** Stores a connection, or renews it. */
export async function upsertTaskWorker(tx: Tx, worker: NewRow<'task_worker'>): Promise<void> {
  await tx.run(upsert, worker);
}

export async function deleteTaskWorkerRow(tx: Tx, id: string): Promise<void> {
  await tx.run(deleteRow, { id });
}

/** Deletes connections whose server stopped without ending them. Returns how many. */
export function deleteSilentTaskWorkers(tx: Tx, now: Timestamp): Promise<number> {
  return tx.run(deleteSilent, { now });
}

/** Every connection, the oldest first. */
export function listTaskWorkerRows(db: Db, now: Timestamp): Promise<TaskWorkerRow[]> {
  return db.all(online, { now });
}
