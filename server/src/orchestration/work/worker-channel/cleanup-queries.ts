/** Requests to the workers of a pool. A row stays until a worker has carried it out or the server gives up. */
import { sql } from 'kysely';
import { rowOf, statement } from '../../../database/statement.ts';
import type { Db, Tx } from '../../../database/store.ts';
import type { NewRow, Row } from '../../../database/tables.ts';
import type { Timestamp } from '../../../time.ts';

export type CleanupRow = Row<'worker_cleanup'>;

const insertIfAbsent = statement<NewRow<'worker_cleanup'>, Pick<CleanupRow, 'id'>>((query, given) =>
  query
    .insertInto('worker_cleanup')
    .values(rowOf('worker_cleanup', given))
    .onConflict((conflict) => conflict.columns(['workspace', 'id']).doNothing())
    .returning('id'),
);

/** The requests that a connection takes: `queues` and `kinds` are JSON arrays. */
interface Wanted {
  readonly work_pool_id: string;
  readonly queues: string;
  readonly kinds: string;
  readonly now: Timestamp;
  readonly limit: number;
}

const free = statement<Wanted, { id: string }>(
  (_query, given, dialect) =>
    sql<{ id: string }>`select cleanup.id from worker_cleanup cleanup
      where cleanup."workspace" = ${given.workspace} and cleanup.work_pool_id = ${given.work_pool_id}
        and (cleanup.lease_expires_at is null or cleanup.lease_expires_at < ${given.now})
        and cleanup.kind in (select value from ${dialect.textsFrom(given.kinds)} kind)
        and (cleanup.work_queue_id is null or cleanup.work_queue_id in
          (select queue.id from ${dialect.rowsFrom(given.queues, { id: 'uuid' })} queue))
      order by cleanup.created, cleanup.id limit ${given.limit}`,
);

const reserve = statement<
  { id: string; token: string; now: Timestamp; until: Timestamp; deliveries: number },
  CleanupRow
>(
  (_query, given) =>
    sql<CleanupRow>`update worker_cleanup set reservation_token = ${given.token}, lease_expires_at = ${given.until},
        deliveries = deliveries + 1
      where "workspace" = ${given.workspace} and id = ${given.id} and deliveries < ${given.deliveries}
        and (lease_expires_at is null or lease_expires_at < ${given.now}) returning *`,
);

/** Deletes requests that were delivered as often as allowed and whose last reservation is over. */
const deleteExhausted = statement<{ now: Timestamp; deliveries: number; work_pool_id: string }, CleanupRow>(
  (_query, given) =>
    sql<CleanupRow>`delete from worker_cleanup where "workspace" = ${given.workspace}
      and work_pool_id = ${given.work_pool_id} and deliveries >= ${given.deliveries}
      and (lease_expires_at is null or lease_expires_at < ${given.now}) returning *`,
);

const byId = statement<{ id: string; work_pool_id: string }, CleanupRow>((query, given) =>
  query
    .selectFrom('worker_cleanup')
    .selectAll()
    .where('workspace', '=', given.workspace)
    .where('work_pool_id', '=', given.work_pool_id)
    .where('id', '=', given.id),
);

const setLease = statement<{ id: string; token: string; until: Timestamp }, unknown>((query, given) =>
  query
    .updateTable('worker_cleanup')
    .set({ lease_expires_at: given.until })
    .where('workspace', '=', given.workspace)
    .where('id', '=', given.id)
    .where('reservation_token', '=', given.token),
);

const clearReservation = statement<{ id: string; token: string }, unknown>((query, given) =>
  query
    .updateTable('worker_cleanup')
    .set({ reservation_token: null, lease_expires_at: null })
    .where('workspace', '=', given.workspace)
    .where('id', '=', given.id)
    .where('reservation_token', '=', given.token),
);

const deleteReserved = statement<{ id: string; token: string }, unknown>((query, given) =>
  query
    .deleteFrom('worker_cleanup')
    .where('workspace', '=', given.workspace)
    .where('id', '=', given.id)
    .where('reservation_token', '=', given.token),
);

const deleteOlder = statement<{ before: Timestamp; now: Timestamp }, unknown>(
  (_query, given) =>
    sql`delete from worker_cleanup where "workspace" = ${given.workspace} and created < ${given.before}
      and (lease_expires_at is null or lease_expires_at < ${given.now})`,
);

/** False when the request exists already. */
export async function insertCleanupIfAbsent(tx: Tx, cleanup: NewRow<'worker_cleanup'>): Promise<boolean> {
  return (await tx.first(insertIfAbsent, cleanup)) !== undefined;
}

/** Ids of requests without a reservation, the oldest first. */
export async function listFreeCleanups(
  db: Db,
  {
    queues,
    kinds,
    ...given
  }: Omit<Wanted, 'queues' | 'kinds'> & { queues: readonly string[]; kinds: readonly string[] },
): Promise<string[]> {
  const queueRows = JSON.stringify(queues.map((id) => ({ id })));
  const rows = await db.all(free, { ...given, queues: queueRows, kinds: JSON.stringify(kinds) });
  return rows.map(({ id }) => id);
}

/** Undefined when another worker reserved it first, or it was delivered `deliveries` times. */
export function reserveCleanup(
  tx: Tx,
  given: { id: string; token: string; now: Timestamp; until: Timestamp; deliveries: number },
): Promise<CleanupRow | undefined> {
  return tx.first(reserve, given);
}

/** Deletes and returns the requests that were delivered `deliveries` times in vain. */
export function deleteExhaustedCleanups(
  tx: Tx,
  given: { now: Timestamp; deliveries: number; work_pool_id: string },
): Promise<CleanupRow[]> {
  return tx.all(deleteExhausted, given);
}

export function findCleanup(db: Db, work_pool_id: string, id: string): Promise<CleanupRow | undefined> {
  return db.first(byId, { id, work_pool_id });
}

type Reservation = { readonly id: string; readonly token: string };

/** False when the reservation belongs to another worker by now; the same for the next two. */
export async function setCleanupLease(tx: Tx, given: Reservation & { until: Timestamp }): Promise<boolean> {
  return (await tx.run(setLease, given)) > 0;
}

export async function clearCleanupReservation(tx: Tx, given: Reservation): Promise<boolean> {
  return (await tx.run(clearReservation, given)) > 0;
}

export async function deleteReservedCleanup(tx: Tx, given: Reservation): Promise<boolean> {
  return (await tx.run(deleteReserved, given)) > 0;
}

/** Deletes requests that were created before `before` and are not reserved. */
export async function deleteOlderCleanups(tx: Tx, before: Timestamp, now: Timestamp): Promise<void> {
  await tx.run(deleteOlder, { before, now });
}
