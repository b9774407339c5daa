/** Queries of other resources about work pools and queues that they name. */
import { sql } from 'kysely';
import { selectById } from '../../database/by-id.ts';
import { statement } from '../../database/statement.ts';
import type { Db } from '../../database/store.ts';
import type { Row } from '../../database/tables.ts';
import { NotFound } from '../../errors.ts';

export type WorkPoolRow = Row<'work_pool'>;

const poolByName = statement<{ name: string }, Row<'work_pool'>>((query, given) =>
  query.selectFrom('work_pool').selectAll().where('workspace', '=', given.workspace).where('name', '=', given.name),
);

const poolById = selectById('work_pool');

const queueByName = statement<{ work_pool_id: string; name: string }, Row<'work_queue'>>((query, given) =>
  query
    .selectFrom('work_queue')
    .selectAll()
    .where('workspace', '=', given.workspace)
    .where('work_pool_id', '=', given.work_pool_id)
    .where('name', '=', given.name),
);

const queueById = selectById('work_queue');

export function findWorkPool(db: Db, name: string): Promise<Row<'work_pool'> | undefined> {
  return db.first(poolByName, { name });
}

export function findWorkPoolById(db: Db, id: string): Promise<Row<'work_pool'> | undefined> {
  return db.first(poolById, { id });
}

export function findWorkQueue(db: Db, id: string): Promise<Row<'work_queue'> | undefined> {
  return db.first(queueById, { id });
}

export function findWorkQueueInPool(
  db: Db,
  work_pool_id: string,
  name: string,
): Promise<Row<'work_queue'> | undefined> {
  return db.first(queueByName, { work_pool_id, name });
}

/** The named queue of a pool, without a name its default queue. Throws NotFound in the reference's words. */
export async function findWorkQueueByNames(db: Db, pool: string, queue: string | null): Promise<Row<'work_queue'>> {
  const workPool = await findWorkPool(db, pool);
  if (queue === null) {
    const found = workPool?.default_queue_id && (await findWorkQueue(db, workPool.default_queue_id));
    if (!found) throw new NotFound(`Work pool "${pool}" not found.`);
    return found;
  }
  const found = workPool && (await findWorkQueueInPool(db, workPool.id, queue));
  if (!found) throw new NotFound(`Work pool queue '${pool}/${queue}' not found.`);
  return found;
}

const allQueues = statement<Record<string, never>, Row<'work_queue'>>(
  (_query, given) =>
    // A pool that is made with its second queue has its own first.
    sql<Row<'work_queue'>>`select queue.* from work_queue queue
      left join work_pool pool on pool.workspace = queue.workspace and pool.default_queue_id = queue.id
      where queue."workspace" = ${given.workspace}
      order by queue.created, case when pool.id is null then 1 else 0 end, queue.id`,
);

/** Every queue, the oldest first. */
export function listAllWorkQueues(db: Db): Promise<Row<'work_queue'>[]> {
  return db.all(allQueues);
}
