/** The queue of background task runs. A row leaves the queue when a task worker has confirmed the run. */
import { sql } from 'kysely';
import { statement } from '../../../database/statement.ts';
import type { Db, Tx } from '../../../database/store.ts';
import type { Timestamp } from '../../../time.ts';

/** The first run of a key that no worker has claimed. */
export interface QueueHead {
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

const claim = statement<{ id: string; claim: string; now: Timestamp; until: Timestamp }, unknown>(
  (_query, given) =>
    sql`update queued_task_run set claim = ${given.claim}, claimed_until = ${given.until}
      where "workspace" = ${given.workspace} and task_run_id = ${given.id}
        and (claimed_until is null or claimed_until < ${given.now})`,
);

const renew = statement<{ claim: string; id: string; until: Timestamp }, unknown>((query, given) =>
  query
    .updateTable('queued_task_run')
    .set({ claimed_until: given.until })
    .where('workspace', '=', given.workspace)
    .where('task_run_id', '=', given.id)
    .where('claim', '=', given.claim),
);

const release = statement<{ claim: string; id: string }, { task_key: string }>((query, given) =>
  query
    .updateTable('queued_task_run')
    .set({ claim: null, claimed_until: null, is_retry: true })
    .where('workspace', '=', given.workspace)
    .where('task_run_id', '=', given.id)
    .where('claim', '=', given.claim)
    .returning('task_key'),
);

const remove = statement<{ claim: string; id: string }, unknown>((query, given) =>
  query
    .deleteFrom('queued_task_run')
    .where('workspace', '=', given.workspace)
    .where('task_run_id', '=', given.id)
    .where('claim', '=', given.claim),
);

/** The next run of each key that has one; the keys in no fixed order. */
export function listQueueHeads(db: Db, keys: readonly string[], now: Timestamp): Promise<QueueHead[]> {
  return db.all(heads, { keys: JSON.stringify(keys), now });
}

/** False when another claim came first. */
export async function claimRow(
  tx: Tx,
  given: { id: string; claim: string; now: Timestamp; until: Timestamp },
): Promise<boolean> {
  return (await tx.run(claim, given)) > 0;
}

export async function renewClaim(tx: Tx, given: { claim: string; id: string; until: Timestamp }): Promise<void> {
  await tx.run(renew, given);
}

/** Returns the run to the head of the queue. Undefined when the claim had expired and another one has the run. */
export async function releaseRow(tx: Tx, given: { claim: string; id: string }): Promise<string | undefined> {
  return (await tx.first(release, given))?.task_key;
}

export async function deleteClaimedRow(tx: Tx, given: { claim: string; id: string }): Promise<void> {
  await tx.run(remove, given);
}
