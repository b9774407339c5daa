import { sql } from 'kysely';
import { and, type Condition } from '../../../database/dialect/dialect.ts';
import { compileFilter, type FilterFields } from '../../../database/lists/filters.ts';
import { rows } from '../../../database/rows.ts';
import { rowOf, statement } from '../../../database/statement.ts';
import type { Db, Tx } from '../../../database/store.ts';
import type { NewRow, Row } from '../../../database/tables/tables.ts';
import type { Timestamp } from '../../../values/time.ts';
import type { WorkerFilter, WorkerStatus } from '../../filters/work-pool-filter.ts';

export type WorkerRow = Row<'worker'>;

export const workers = rows('worker');

const upsert = statement<NewRow<'worker'>, Pick<Row<'worker'>, 'id'>>((query, given) =>
  query
    .insertInto('worker')
    .values(rowOf('worker', given))
    .onConflict((conflict) =>
      // As on the reference, a heartbeat does not count as a change of the worker: `updated` stays.
      conflict.columns(['workspace', 'work_pool_id', 'name']).doUpdateSet({
        last_heartbeat_time: given.last_heartbeat_time,
        heartbeat_interval_seconds: given.heartbeat_interval_seconds,
        online_until: given.online_until,
      }),
    )
    .returning('id'),
);

const intervalOf = statement<{ work_pool_id: string; name: string }, Pick<Row<'worker'>, 'heartbeat_interval_seconds'>>(
  (query, given) =>
    query
      .selectFrom('worker')
      .select('heartbeat_interval_seconds')
      .where('workspace', '=', given.workspace)
      .where('work_pool_id', '=', given.work_pool_id)
      .where('name', '=', given.name),
);

/** Writes the heartbeat of a worker, known or new, and returns the worker's id. */
export async function upsertWorker(tx: Tx, worker: NewRow<'worker'>): Promise<string> {
  return (await tx.first(upsert, worker))?.id ?? worker.id;
}

/** Seconds between heartbeats that a worker last announced; null for an unknown worker or without an announcement. */
export async function findHeartbeatInterval(tx: Tx, work_pool_id: string, name: string): Promise<number | null> {
  return (await tx.first(intervalOf, { work_pool_id, name }))?.heartbeat_interval_seconds ?? null;
}

interface WorkerPage {
  readonly work_pool_id: string;
  readonly filter: WorkerFilter | null | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** The worker with the latest heartbeat comes first. */
export function listWorkers(
  db: Db,
  now: Timestamp,
  { work_pool_id, filter, limit, offset }: WorkerPage,
): Promise<WorkerRow[]> {
  return db.query(
    sql<WorkerRow>`select worker.* from worker where worker."workspace" = ${db.workspace}
      and worker.work_pool_id = ${work_pool_id} and ${compileFilter(filter, workerFields(now), db.dialect)}
      order by worker.last_heartbeat_time desc, worker.id limit ${limit} offset ${offset}`,
  );
}

function workerFields(now: Timestamp): FilterFields {
  const is = (status: WorkerStatus): Condition =>
    status === 'ONLINE' ? sql`worker.online_until >= ${now}` : sql`worker.online_until < ${now}`;
  return {
    last_heartbeat_time: { kind: 'time', column: sql`worker.last_heartbeat_time` },
    status: (criteria) => {
      const { any_, not_any_ } = criteria as { any_?: WorkerStatus[] | null; not_any_?: WorkerStatus[] | null };
      const both: readonly WorkerStatus[] = ['ONLINE', 'OFFLINE'];
      const unwanted = both.filter((status) => (any_ && !any_.includes(status)) || not_any_?.includes(status));
      return and(unwanted.map((status) => is(status === 'ONLINE' ? 'OFFLINE' : 'ONLINE')));
    },
  };
}
