/** The task workers that are connected, to this process or another. */
import { rows } from '../../../database/rows.ts';
import { rowOf, statement } from '../../../database/statement.ts';
import type { NewRow, Row } from '../../../database/tables/tables.ts';
import type { Timestamp } from '../../../values/time.ts';

export const taskWorkers = rows('task_worker');

/** Stores a connection, or renews it. */
export const upsertTaskWorker = statement<NewRow<'task_worker'>, unknown>((query, given) =>
  query
    .insertInto('task_worker')
    .values(rowOf('task_worker', given))
    .onConflict((conflict) =>
      conflict
        .columns(['workspace', 'id'])
        .doUpdateSet({ timestamp: given.timestamp, online_until: given.online_until }),
    ),
);

/** Deletes connections whose server stopped without ending them. */
export const deleteSilentTaskWorkers = statement<{ now: Timestamp }, unknown>((query, given) =>
  query.deleteFrom('task_worker').where('workspace', '=', given.workspace).where('online_until', '<', given.now),
);

/** The connections that are online, oldest first. */
export const onlineTaskWorkers = statement<{ now: Timestamp }, Row<'task_worker'>>((query, given) =>
  query
    .selectFrom('task_worker')
    .selectAll()
    .where('workspace', '=', given.workspace)
    .where('online_until', '>=', given.now)
    .orderBy('id'),
);
