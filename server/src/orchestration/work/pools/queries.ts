import { sql } from 'kysely';
import { deleteById } from '../../../database/by-id.ts';
import { compileFilter } from '../../../database/filters.ts';
import { listedColumns } from '../../../database/large-values.ts';
import { rowOf, statement } from '../../../database/statement.ts';
import type { Db, Tx } from '../../../database/store.ts';
import type { NewRow } from '../../../database/tables.ts';
import type { Timestamp } from '../../../time.ts';
import type { WorkPoolFilter } from '../../filters/work-pool-filter.ts';
import { workPoolFields } from '../../filters/work-pool-filter.ts';
import type { WorkPoolRow } from '../../lookups/work-pools.ts';

/** The type of pools that agents poll. */
export const AGENT_TYPE = 'prefect-agent';

/** Pools of agents are paused without becoming PAUSED, and clients see no status of them (`work-pools.test.ts`). */
export function hasStatus({ type }: Pick<WorkPoolRow, 'type'>): boolean {
  return type !== AGENT_TYPE;
}

/** A pool with what follows from its workers and runs at the time of the query. */
export interface WorkPoolNow extends WorkPoolRow {
  readonly status_now: 'READY' | 'NOT_READY' | 'PAUSED';
  /** Null when the pool has no limit. */
  readonly active_slots: number | null;
}

/** `now` is a value or a placeholder. */
function columns(now: Timestamp) {
  return sql`work_pool.*, ${computedColumns(now)}`;
}

function computedColumns(now: Timestamp) {
  return sql`case when work_pool.is_paused and work_pool.type <> ${AGENT_TYPE} then 'PAUSED'
      when exists (select 1 from worker where worker.workspace = work_pool.workspace
        and worker.work_pool_id = work_pool.id and worker.online_until >= ${now}) then 'READY'
      else 'NOT_READY' end as status_now,
    case when work_pool.concurrency_limit is not null then
      (select count(*) from work_queue join flow_run on flow_run.workspace = work_queue.workspace
          and flow_run.work_queue_id = work_queue.id
        where work_queue.workspace = work_pool.workspace and work_queue.work_pool_id = work_pool.id
          and flow_run.state_type in ('PENDING', 'RUNNING', 'CANCELLING') and flow_run.state_type <> 'CANCELLING')
      end as active_slots`;
}

const poolByName = statement<{ name: string; now: Timestamp }, WorkPoolNow>(
  (_query, given) =>
    sql<WorkPoolNow>`select ${columns(given.now)} from work_pool
      where work_pool."workspace" = ${given.workspace} and work_pool.name = ${given.name}`,
);

const insertIfAbsent = statement<NewRow<'work_pool'>, WorkPoolRow>((query, given) =>
  query
    .insertInto('work_pool')
    .values(rowOf('work_pool', given))
    .onConflict((conflict) => conflict.columns(['workspace', 'name']).doNothing())
    .returningAll(),
);

const deletePool = deleteById('work_pool');

const setStatus = statement<Pick<WorkPoolRow, 'id' | 'status' | 'last_status_event_id' | 'updated'>, unknown>(
  (query, given) =>
    query
      .updateTable('work_pool')
      .set({ status: given.status, last_status_event_id: given.last_status_event_id, updated: given.updated })
      .where('workspace', '=', given.workspace)
      .where('id', '=', given.id),
);

export function findWorkPoolNow(db: Db, name: string, now: Timestamp): Promise<WorkPoolNow | undefined> {
  return db.first(poolByName, { name, now });
}

/** Undefined when the name is taken. */
export function insertWorkPoolIfAbsent(tx: Tx, pool: NewRow<'work_pool'>): Promise<WorkPoolRow | undefined> {
  return tx.first(insertIfAbsent, pool);
}

/** Everything of a pool that a client can change. */
export type WorkPoolChange = Partial<
  Pick<
    WorkPoolRow,
    'description' | 'is_paused' | 'base_job_template' | 'concurrency_limit' | 'storage_configuration' | 'updated'
  >
>;

export async function updateWorkPoolColumns(tx: Tx, id: string, change: WorkPoolChange): Promise<void> {
  await tx.execute(
    tx.dialect.builder.updateTable('work_pool').set(change).where('workspace', '=', tx.workspace).where('id', '=', id),
  );
}

export async function updateWorkPoolStatus(
  tx: Tx,
  change: Pick<WorkPoolRow, 'id' | 'status' | 'last_status_event_id' | 'updated'>,
): Promise<void> {
  await tx.run(setStatus, change);
}

/** Deletes the pool with its queues and workers. Call `forgetQueuesOfPool` first: it clears references to them. */
export async function deleteWorkPoolRow(tx: Tx, id: string): Promise<void> {
  await tx.run(deletePool, { id });
}

type Filter = WorkPoolFilter | null | undefined;

/** By name. */
export function listWorkPools(
  db: Db,
  filter: Filter,
  now: Timestamp,
  page: { limit: number; offset: number },
): Promise<WorkPoolNow[]> {
  return db.query(
    sql<WorkPoolNow>`select ${listedColumns(db, 'work_pool', ['storage_configuration'])}, ${computedColumns(now)}
      from work_pool where work_pool."workspace" = ${db.workspace}
      and ${compileFilter(filter, workPoolFields, db.dialect)}
      order by work_pool.name limit ${page.limit} offset ${page.offset}`,
  );
}

export async function countWorkPools(db: Db, filter: Filter): Promise<number> {
  const [row] = await db.query(
    sql<{ count: number }>`select count(*) as count from work_pool where work_pool."workspace" = ${db.workspace}
      and ${compileFilter(filter, workPoolFields, db.dialect)}`,
  );
  return row?.count ?? 0;
}
