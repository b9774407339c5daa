/** Queries that other resources use for the work pools and queues to which they refer. */
import { sql } from 'kysely';
import { rows } from '../../database/rows.ts';
import { statement } from '../../database/statement.ts';
import type { Db } from '../../database/store.ts';
import type { Row } from '../../database/tables/tables.ts';
import { found } from '../../errors.ts';

export type WorkPoolRow = Row<'work_pool'>;
export type WorkQueueRow = Row<'work_queue'>;

export const workPools = rows('work_pool');
export const workQueues = rows('work_queue');

export function missingPool(name: string): string {
  return `Work pool "${name}" not found.`;
}

export function missingQueue(pool: string, name: string): string {
  return `Work pool queue '${pool}/${name}' not found.`;
}

/** The pool with a name. Throws NotFound. */
export async function poolNamed(db: Db, name: string): Promise<WorkPoolRow> {
  return found(await workPools.first(db, { name }), missingPool(name));
}

/** The named queue of a pool; without a name, its default queue. Throws NotFound in the reference's words. */
export async function findWorkQueueByNames(db: Db, pool: string, name: string | null): Promise<WorkQueueRow> {
  const workPool = await workPools.first(db, { name: pool });
  if (name !== null) {
    const queue = workPool && (await workQueues.first(db, { work_pool_id: workPool.id, name }));
    return found(queue, missingQueue(pool, name));
  }
  const id = workPool?.default_queue_id;
  return found(id ? await workQueues.first(db, { id }) : undefined, missingPool(pool));
}

/** All queues, oldest first. */
export const allWorkQueues = statement<Record<string, never>, WorkQueueRow>(
  (_query, given) =>
    // A pool that is created together with its second queue comes before that queue with its own.
    sql<WorkQueueRow>`select queue.* from work_queue queue
      left join work_pool pool on pool.workspace = queue.workspace and pool.default_queue_id = queue.id
      where queue."workspace" = ${given.workspace}
      order by queue.created, case when pool.id is null then 1 else 0 end, queue.id`,
);
