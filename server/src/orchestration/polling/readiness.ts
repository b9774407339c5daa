/**
 * Makes pools not ready when no worker is online, and queues and deployments when their polls stop. Heartbeats and
 * polls make them ready at once. `services/foreman.test.ts` shows both.
 */
import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { statement } from '../../database/statement.ts';
import type { Row } from '../../database/tables/tables.ts';
import { addSeconds, type Timestamp } from '../../values/time.ts';
import { recordDeploymentEvent } from '../deployments/events.ts';
import { findDeployment } from '../deployments/queries.ts';
import { workPools } from '../lookups/work-pools.ts';
import { recordQueueStatus } from '../work/events.ts';
import { setPoolStatus } from '../work/pools/operations.ts';
import { workPoolNow } from '../work/pools/queries.ts';
import { READY_SECONDS } from '../work/queues/queues.ts';

/** Pools, queues or deployments per transaction. */
const BATCH = 200;

const poolsWithoutWorkers = statement<{ now: Timestamp }, { id: string; name: string }>(
  (_query, given) =>
    sql<{ id: string; name: string }>`select work_pool.id, work_pool.name from work_pool
      where work_pool."workspace" = ${given.workspace} and work_pool.status = 'READY'
        and not exists (select 1 from worker where worker.workspace = work_pool.workspace
          and worker.work_pool_id = work_pool.id and worker.online_until >= ${given.now})
      order by work_pool.id limit ${BATCH}`,
);

const makeQueuesUnready = statement<{ now: Timestamp; oldest: Timestamp }, Row<'work_queue'>>(
  (_query, given, dialect) =>
    sql<Row<'work_queue'>>`update work_queue set status = 'NOT_READY', updated = ${given.now}
      where "workspace" = ${given.workspace} and ${dialect.isAmong(
        sql`id`,
        sql`select stale.id from work_queue stale where stale."workspace" = ${given.workspace}
          and stale.status = 'READY' and (stale.last_polled is null or stale.last_polled < ${given.oldest})
          order by stale.id limit ${BATCH} ${dialect.forUpdateSkipLocked}`,
      )} returning *`,
);

/** `updated` stays: the deployments themselves did not change. */
const makeDeploymentsUnready = statement<{ oldest: Timestamp }, { id: string }>(
  (_query, given, dialect) =>
    sql<{ id: string }>`update deployment set status = 'NOT_READY'
      where "workspace" = ${given.workspace} and ${dialect.isAmong(
        sql`id`,
        sql`select stale.id from deployment stale where stale."workspace" = ${given.workspace}
          and stale.status = 'READY' and (stale.last_polled is null or stale.last_polled < ${given.oldest})
          and not exists (select 1 from work_queue where work_queue.workspace = stale.workspace
            and work_queue.id = stale.work_queue_id and work_queue.last_polled >= ${given.oldest})
          order by stale.id limit ${BATCH} ${dialect.forUpdateSkipLocked}`,
      )} returning id`,
);

/**
 * Makes pools, queues and deployments that are no longer ready NOT_READY, and records one event for each, however many
 * replicas check. Resolves to true when more may be left.
 */
export async function noticeSilence(context: Context): Promise<boolean> {
  const counts = [await unreadyPools(context), await unreadyQueues(context), await unreadyDeployments(context)];
  return counts.some((count) => count === BATCH);
}

async function unreadyPools(context: Context): Promise<number> {
  const { now } = context;
  const pools = await context.db.all(poolsWithoutWorkers, { now });
  for (const { id, name } of pools) {
    await context.transaction(async (tx) => {
      await tx.lock('work_pool', id);
      const pool = await tx.first(workPoolNow, { name, now });
      // A heartbeat, a pause or another replica may have come first.
      if (pool?.status === 'READY') await setPoolStatus(context, tx, pool, pool.status_now);
    });
  }
  return pools.length;
}

function unreadyQueues(context: Context): Promise<number> {
  const { now } = context;
  return context.transaction(async (tx) => {
    const queues = await tx.all(makeQueuesUnready, { now, oldest: addSeconds(now, -READY_SECONDS) });
    for (const queue of queues) {
      const pool = await workPools.first(tx, { id: queue.work_pool_id });
      if (pool) await recordQueueStatus(context, tx, pool, queue);
    }
    return queues.length;
  });
}

function unreadyDeployments(context: Context): Promise<number> {
  return context.transaction(async (tx) => {
    const ids = await tx.all(makeDeploymentsUnready, { oldest: addSeconds(context.now, -READY_SECONDS) });
    for (const { id } of ids) {
      const deployment = await findDeployment(tx, id);
      if (deployment) await recordDeploymentEvent(context, tx, deployment, 'not-ready');
    }
    return ids.length;
  });
}
