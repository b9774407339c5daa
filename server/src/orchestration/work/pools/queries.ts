import { sql } from 'kysely';
import { compileFilter } from '../../../database/lists/filters.ts';
import { listedColumns } from '../../../database/lists/large-values.ts';
import { statement } from '../../../database/statement.ts';
import type { Db } from '../../../database/store.ts';
import type { Timestamp } from '../../../values/time.ts';
import type { WorkPoolFilter } from '../../filters/work-pool-filter.ts';
import { workPoolFields } from '../../filters/work-pool-filter.ts';
import type { WorkPoolRow } from '../../lookups/work-pools.ts';

/** The type of pools that agents poll. */
export const AGENT_TYPE = 'prefect-agent';

/** Pools of agents are paused without becoming PAUSED, and clients see no status for them (`work-pools.test.ts`). */
export function hasStatus({ type }: Pick<WorkPoolRow, 'type'>): boolean {
  return type !== AGENT_TYPE;
}

/** A pool with the columns that follow from its workers and runs at the time of the query. */
export interface WorkPoolNow extends WorkPoolRow {
  readonly status_now: 'READY' | 'NOT_READY' | 'PAUSED';
  /** Null when the pool has no limit. */
  readonly active_slots: number | null;
}

/** `now` is a value or a placeholder. */
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

export const workPoolNow = statement<{ name: string; now: Timestamp }, WorkPoolNow>(
  (_query, given) =>
    sql<WorkPoolNow>`select work_pool.*, ${computedColumns(given.now)} from work_pool
      where work_pool."workspace" = ${given.workspace} and work_pool.name = ${given.name}`,
);

type Filter = WorkPoolFilter | null | undefined;

/** Lists pools by name. */
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
