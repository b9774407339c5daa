/** Requests to the workers of a pool. A row stays until a worker has completed it or the server gives up. */
import { sql } from 'kysely';
import { rows } from '../../../database/rows.ts';
import { statement } from '../../../database/statement.ts';
import type { Db } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import type { Timestamp } from '../../../values/time.ts';

export type CleanupRow = Row<'worker_cleanup'>;

export const cleanups = rows('worker_cleanup');

/** The requests that a connection accepts: `queues` and `kinds` are JSON arrays. */
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

/** Reserves a request, unless another worker did so first, or it was delivered `deliveries` times. */
export const reserveCleanup = statement<
  { id: string; token: string; now: Timestamp; until: Timestamp; deliveries: number },
  CleanupRow
>(
  (_query, given) =>
    sql<CleanupRow>`update worker_cleanup set reservation_token = ${given.token}, lease_expires_at = ${given.until},
        deliveries = deliveries + 1
      where "workspace" = ${given.workspace} and id = ${given.id} and deliveries < ${given.deliveries}
        and (lease_expires_at is null or lease_expires_at < ${given.now}) returning *`,
);

/** Deletes and returns the requests that were delivered `deliveries` times and whose last reservation has ended. */
export const deleteExhaustedCleanups = statement<
  { now: Timestamp; deliveries: number; work_pool_id: string },
  CleanupRow
>(
  (_query, given) =>
    sql<CleanupRow>`delete from worker_cleanup where "workspace" = ${given.workspace}
      and work_pool_id = ${given.work_pool_id} and deliveries >= ${given.deliveries}
      and (lease_expires_at is null or lease_expires_at < ${given.now}) returning *`,
);

/** Deletes requests that were created before `before` and are not reserved. */
export const deleteOlderCleanups = statement<{ before: Timestamp; now: Timestamp }, unknown>(
  (_query, given) =>
    sql`delete from worker_cleanup where "workspace" = ${given.workspace} and created < ${given.before}
      and (lease_expires_at is null or lease_expires_at < ${given.now})`,
);

/** Ids of requests without a reservation, oldest first. */
export async function listFreeCleanups(
  db: Db,
  {
    queues,
    kinds,
    ...given
  }: Omit<Wanted, 'queues' | 'kinds'> & { queues: readonly string[]; kinds: readonly string[] },
): Promise<string[]> {
  const queueRows = JSON.stringify(queues.map((id) => ({ id })));
  const found = await db.all(free, { ...given, queues: queueRows, kinds: JSON.stringify(kinds) });
  return found.map(({ id }) => id);
}
