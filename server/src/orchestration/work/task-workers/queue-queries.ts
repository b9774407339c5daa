/** The queue of background task runs. A row leaves the queue when a task worker has confirmed the run. */
import { sql } from 'kysely';
import { rows } from '../../../database/rows.ts';
import { statement } from '../../../database/statement.ts';
import type { Db } from '../../../database/store.ts';
import type { Timestamp } from '../../../values/time.ts';

export const queuedTaskRuns = rows('queued_task_run');

/** The first run of a key that no worker has claimed. */
interface QueueHead {
  readonly task_key: string;
  readonly task_run_id: string;
  readonly is_retry: boolean;
}

const heads = statement<{ keys: string; now: Timestamp }, QueueHead>(
  (_query, given, dialect) =>
    sql<QueueHead>`select head.task_key, head.task_run_id, head.is_retry
      from ${dialect.textsFrom(given.keys)} key
      join queued_task_run head on head."workspace" = ${given.workspace} and head.task_run_id =
        (select queued.task_run_id from queued_task_run queued
          where queued."workspace" = ${given.workspace} and queued.task_key = key.value
            and (queued.claimed_until is null or queued.claimed_until < ${given.now})
          order by queued.is_retry desc, queued.position limit 1)`,
);

/** Changes no row when another claim came first. */
export const claimTask = statement<{ id: string; claim: string; now: Timestamp; until: Timestamp }, unknown>(
  (_query, given) =>
    sql`update queued_task_run set claim = ${given.claim}, claimed_until = ${given.until}
      where "workspace" = ${given.workspace} and task_run_id = ${given.id}
        and (claimed_until is null or claimed_until < ${given.now})`,
);

/** The next run of each key that has one; the keys in no particular order. */
export function listQueueHeads(db: Db, keys: readonly string[], now: Timestamp): Promise<QueueHead[]> {
  return db.all(heads, { keys: JSON.stringify(keys), now });
}
