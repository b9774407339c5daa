/** Queues, and the pool for those without one, that are made because a deployment or a run names them. */
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { rowOf, statement } from '../../database/statement.ts';
import type { Tx } from '../../database/store.ts';
import type { NewRow, Row } from '../../database/tables.ts';
import { Unprocessable } from '../../errors.ts';
import { recordEvent } from '../../events/record.ts';
import { newId, newTimeOrderedId } from '../../id.ts';
import type { JsonText } from '../../json.ts';
import type { Timestamp } from '../../time.ts';
import { NAME_PATTERN } from '../field-schema.ts';
import { findWorkPool, findWorkQueueByNames, findWorkQueueInPool } from './lookups.ts';

type WorkPool = Row<'work_pool'>;
type WorkQueue = Row<'work_queue'>;

/** Where queues are that were named without a pool. */
const LEGACY_POOL = 'default-agent-pool';
const LEGACY_TYPE = 'prefect-agent';

const emptyStorage =
  '{"bundle_upload_step":null,"bundle_execution_step":null,"default_result_storage_block_id":null}' as JsonText;

const insertPool = statement<NewRow<'work_pool'>, WorkPool>((query, given) =>
  query
    .insertInto('work_pool')
    .values(rowOf('work_pool', given))
    .onConflict((conflict) => conflict.columns(['workspace', 'name']).doNothing())
    .returningAll(),
);

const insertQueue = statement<NewRow<'work_queue'>, WorkQueue>((query, given) =>
  query
    .insertInto('work_queue')
    .values(rowOf('work_queue', given))
    .onConflict((conflict) => conflict.columns(['workspace', 'work_pool_id', 'name']).doNothing())
    .returningAll(),
);

const priorities = statement<{ work_pool_id: string }, Pick<WorkQueue, 'priority'>>((query, given) =>
  query
    .selectFrom('work_queue')
    .select('priority')
    .where('workspace', '=', given.workspace)
    .where('work_pool_id', '=', given.work_pool_id),
);

const moveDown = statement<{ work_pool_id: string; end: number; updated: Timestamp }, unknown>(
  (_query, given) =>
    sql`update work_queue set priority = priority + 1, updated = ${given.updated} where "workspace" = ${given.workspace}
      and work_pool_id = ${given.work_pool_id} and priority < ${given.end}`,
);

/**
 * The queue of a pool by name, made when it is absent; the pool's default queue when none is named. Throws NotFound for
 * an unknown pool, Unprocessable for a name that no queue can have.
 */
export async function queueOnDemand(
  context: Context,
  tx: Tx,
  pool: string,
  queue: string | null | undefined,
): Promise<WorkQueue> {
  const workPool = queue ? await findWorkPool(tx, pool) : undefined;
  if (!queue || !workPool) return findWorkQueueByNames(tx, pool, null);
  const found = await findWorkQueueInPool(tx, workPool.id, queue);
  return found ?? makeQueue(context, tx, workPool, queue, 'last');
}

/**
 * The queue with this name outside of named pools, made when it is absent. It comes before the others then.
 * Source: reference behaviour, "Deployments" (queue name without a pool).
 */
export async function legacyQueueOnDemand(context: Context, tx: Tx, queue: string): Promise<WorkQueue> {
  const workPool = (await findWorkPool(tx, LEGACY_POOL)) ?? (await makeLegacyPool(context, tx));
  const found = await findWorkQueueInPool(tx, workPool.id, queue);
  return found ?? makeQueue(context, tx, workPool, queue, 'first');
}

async function makeLegacyPool(context: Context, tx: Tx): Promise<WorkPool> {
  const default_queue_id = newId();
  const made = await tx.first(insertPool, {
    id: newId(),
    created: context.now,
    updated: context.now,
    name: LEGACY_POOL,
    description: null,
    type: LEGACY_TYPE,
    base_job_template: '{}' as JsonText,
    is_paused: false,
    default_queue_id,
    concurrency_limit: null,
    storage_configuration: emptyStorage,
    status: 'NOT_READY',
  });
  if (!made) {
    const other = await findWorkPool(tx, LEGACY_POOL);
    if (!other) throw new Error(`The pool ${LEGACY_POOL} vanished while it was made.`);
    return other;
  }
  const queue = await tx.first(insertQueue, {
    ...newQueue(context, made, 'default', 1),
    id: default_queue_id,
    description: "The work pool's default queue.",
  });
  if (queue) await recordQueueCreated(context, tx, made, queue);
  await recordEvent(context, tx, {
    id: newTimeOrderedId(),
    occurred: context.now,
    event: 'prefect.work-pool.created',
    resource: poolResource(made),
    related: [
      { 'prefect.resource.id': `prefect.work-queue.${default_queue_id}`, 'prefect.resource.role': 'default-queue' },
    ],
    payload: '{}' as JsonText,
    follows: null,
  });
  return made;
}

async function makeQueue(
  context: Context,
  tx: Tx,
  pool: WorkPool,
  name: string,
  place: 'first' | 'last',
): Promise<WorkQueue> {
  if (!new RegExp(NAME_PATTERN, 'u').test(name)) {
    throw new Unprocessable(`Work queue name '${name}' must not contain any of / % & > <`);
  }
  // The priorities of a pool are given out one queue at a time.
  await tx.lock('work_pool', pool.id);
  const taken = new Set((await tx.all(priorities, { work_pool_id: pool.id })).map(({ priority }) => priority));
  let free = 1;
  while (taken.has(free)) free++;
  if (place === 'first' && free > 1) {
    await tx.run(moveDown, { work_pool_id: pool.id, end: free, updated: context.now });
  }
  const made = await tx.first(insertQueue, newQueue(context, pool, name, place === 'first' ? 1 : free));
  if (made) {
    await recordQueueCreated(context, tx, pool, made);
    return made;
  }
  return findWorkQueueByNames(tx, pool.name, name);
}

function newQueue(context: Context, pool: WorkPool, name: string, priority: number): NewRow<'work_queue'> {
  return {
    id: newId(),
    created: context.now,
    updated: context.now,
    name,
    description: '',
    is_paused: false,
    concurrency_limit: null,
    priority,
    last_polled: null,
    status: 'NOT_READY',
    work_pool_id: pool.id,
  };
}

async function recordQueueCreated(context: Context, tx: Tx, pool: WorkPool, queue: WorkQueue): Promise<void> {
  await recordEvent(context, tx, {
    id: newTimeOrderedId(),
    occurred: context.now,
    event: 'prefect.work-queue.created',
    resource: {
      'prefect.resource.id': `prefect.work-queue.${queue.id}`,
      'prefect.resource.name': queue.name,
      'prefect.resource.role': 'work-queue',
    },
    related: [poolResource(pool)],
    payload: '{}' as JsonText,
    follows: null,
  });
}

function poolResource(pool: WorkPool) {
  return {
    'prefect.resource.id': `prefect.work-pool.${pool.id}`,
    'prefect.resource.name': pool.name,
    'prefect.work-pool.type': pool.type,
    'prefect.resource.role': 'work-pool',
  };
}
