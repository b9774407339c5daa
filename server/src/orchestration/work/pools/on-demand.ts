/** Makes queues, and the pool for those without one, because a deployment or a run names them. */
import type { Context } from '../../../context/context.ts';
import type { Tx } from '../../../database/store.ts';
import { Unprocessable } from '../../../errors.ts';
import { NAME_PATTERN } from '../../filters/field-schema.ts';
import {
  findWorkQueueByNames,
  type WorkPoolRow,
  type WorkQueueRow,
  workPools,
  workQueues,
} from '../../lookups/work-pools.ts';
import { addQueue } from '../queues/queues.ts';
import { addPool } from './operations.ts';
import { AGENT_TYPE } from './queries.ts';

/** The pool of queues that were named without a pool. */
export const LEGACY_POOL = 'default-agent-pool';

/**
 * The queue of a pool by name, made if it does not exist; the pool's default queue when none is named. Throws NotFound
 * for an unknown pool, Unprocessable for an invalid name.
 */
export async function queueOnDemand(
  context: Context,
  tx: Tx,
  pool: string,
  queue: string | null | undefined,
): Promise<WorkQueueRow> {
  const workPool = queue ? await workPools.first(tx, { name: pool }) : undefined;
  if (!queue || !workPool) return findWorkQueueByNames(tx, pool, null);
  const found = await workQueues.first(tx, { work_pool_id: workPool.id, name: queue });
  return found ?? makeQueue(context, tx, workPool, queue, null);
}

/**
 * The queue with this name outside of named pools, made if it does not exist. A new one comes before the others.
 * Source: `POST /deployments/` of the Prefect server 3.9.1 with `work_queue_name` and without `work_pool_name`.
 */
export async function legacyQueueOnDemand(context: Context, tx: Tx, queue: string): Promise<WorkQueueRow> {
  const workPool = await legacyPool(context, tx);
  const found = await workQueues.first(tx, { work_pool_id: workPool.id, name: queue });
  return found ?? makeQueue(context, tx, workPool, queue, 1);
}

/** The pool of queues that were named without one, made if it does not exist. */
export async function legacyPool(context: Context, tx: Tx): Promise<WorkPoolRow & { readonly isNew: boolean }> {
  const known = await workPools.first(tx, { name: LEGACY_POOL });
  if (known) return { ...known, isNew: false };
  const made = await addPool(context, tx, { name: LEGACY_POOL, type: AGENT_TYPE, is_paused: false });
  const found = made ?? (await workPools.first(tx, { name: LEGACY_POOL }));
  if (!found) throw new Error(`The pool ${LEGACY_POOL} vanished while it was made.`);
  return { ...found, isNew: made !== undefined };
}

async function makeQueue(
  context: Context,
  tx: Tx,
  pool: WorkPoolRow,
  name: string,
  priority: number | null,
): Promise<WorkQueueRow> {
  if (!new RegExp(NAME_PATTERN, 'u').test(name)) {
    throw new Unprocessable(`Work queue name '${name}' must not contain any of / % & > <`);
  }
  // A transaction that waited for the pool finds the queue that another one made in the meantime.
  await tx.lock('work_pool', pool.id);
  const found = await workQueues.first(tx, { work_pool_id: pool.id, name });
  const queue = found ?? (await addQueue(context, tx, pool, { name, priority }));
  return queue ?? findWorkQueueByNames(tx, pool.name, name);
}
