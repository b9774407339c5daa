/** Changes of work queues. Source: the routes `/work_pools/{work_pool_name}/queues` of the Prefect server 3.9.1. */
import type { Context } from '../../../context/context.ts';
import type { Tx } from '../../../database/store.ts';
import type { NewRow } from '../../../database/tables/tables.ts';
import { Conflict, found, IntegrityConflict } from '../../../errors.ts';
import { compileEncoder } from '../../../schema/encode.ts';
import { newId } from '../../../values/id.ts';
import type { JsonText } from '../../../values/json.ts';
import { addSeconds, type Timestamp } from '../../../values/time.ts';
import { type WorkPoolRow, type WorkQueueRow, workPools, workQueues } from '../../lookups/work-pools.ts';
import { recordQueueEvent, recordQueueStatus, recordQueueUpdate } from '../events.ts';
import type { WorkQueueCreate, WorkQueueUpdate } from '../request-schema.ts';
import { QueueFilter } from '../schema.ts';
import { forgetQueue, queuesOfPool } from './queue-queries.ts';

/** Seconds without a poll after which a queue is not ready. */
export const READY_SECONDS = 60;

const encodeFilter = compileEncoder(QueueFilter) as (filter: QueueFilter) => JsonText;

/** The fields of a new queue; `priority` null requests the first free place. */
type NewQueue = Partial<Omit<NewRow<'work_queue'>, 'priority' | 'work_pool_id'>> & {
  readonly name: string;
  readonly priority: number | null;
};

/**
 * Adds a queue to the pool at its place: the queue at that place moves one later, and so on up to the next free place.
 * Undefined when the pool has a queue of this name; the caller must then roll the transaction back.
 */
export async function addQueue(
  context: Context,
  tx: Tx,
  pool: WorkPoolRow,
  { priority, ...given }: NewQueue,
): Promise<WorkQueueRow | undefined> {
  const { now } = context;
  const id = given.id ?? newId();
  // One transaction at a time assigns the priorities of a pool.
  await tx.lock('work_pool', pool.id);
  const queue = await workQueues.insertUnlessThere(tx, {
    description: '',
    is_paused: false,
    concurrency_limit: null,
    last_polled: null,
    status: 'NOT_READY',
    filter: null,
    ...given,
    id,
    created: now,
    updated: now,
    priority: await makeRoom(tx, { id, work_pool_id: pool.id, wanted: priority, updated: now }),
    work_pool_id: pool.id,
  });
  if (queue) await recordQueueEvent(context, tx, pool, queue, 'created');
  return queue;
}

/**
 * Makes room for a queue at its requested place, and returns the place that it gets; queues that shared a place move
 * apart. When `wanted` is null, no queue moves: the new one gets the first number at which the ordered queues and their
 * own numbers differ. That is the first free place unless queues share one. Source: answers of the Prefect server 3.9.1
 * to `POST /work_pools/{work_pool_name}/queues`.
 */
async function makeRoom(
  tx: Tx,
  {
    id,
    work_pool_id,
    wanted,
    updated,
  }: { id: string; work_pool_id: string; wanted: number | null; updated: Timestamp },
): Promise<number> {
  const others = (await tx.all(queuesOfPool, { work_pool_id })).filter((queue) => queue.id !== id);
  if (wanted === null) {
    const gap = others.findIndex(({ priority }, index) => priority !== index + 1);
    return (gap < 0 ? others.length : gap) + 1;
  }
  return moveApart(tx, others, updated, wanted);
}

/**
 * Moves queues that share a place apart, in their order, and returns the place of the queue that wants `wanted`.
 * Without `wanted`, no queue is added.
 */
async function moveApart(
  tx: Tx,
  queues: readonly WorkQueueRow[],
  updated: Timestamp,
  wanted = Number.POSITIVE_INFINITY,
): Promise<number> {
  const behind = queues.findIndex(({ priority }) => priority >= wanted);
  let place = wanted;
  let last = 0;
  for (const [index, queue] of queues.entries()) {
    if (index === behind) last = place = Math.max(wanted, last + 1);
    const moved = Math.max(queue.priority, last + 1);
    if (moved !== queue.priority) await workQueues.changeAll(tx, { id: queue.id }, { priority: moved, updated });
    last = moved;
  }
  return place;
}

/**
 * Creates a queue in a pool, or returns the default queue of a pool that was made for it. Throws NotFound for the pool,
 * and Conflict with the text `taken` for the name.
 */
export function createQueue(
  context: Context,
  poolForQueue: (tx: Tx) => Promise<WorkPoolRow & { readonly isNew?: boolean }>,
  input: WorkQueueCreate,
  taken: string,
): Promise<WorkQueueRow> {
  return context.transaction(async (tx) => {
    const pool = await poolForQueue(tx);
    const own =
      pool.isNew && pool.default_queue_id !== null
        ? await workQueues.first(tx, { id: pool.default_queue_id })
        : undefined;
    if (own?.name === input.name) return own;
    const queue = await addQueue(context, tx, pool, {
      name: input.name,
      description: input.description ?? '',
      is_paused: input.is_paused,
      concurrency_limit: input.concurrency_limit ?? null,
      priority: input.priority ?? null,
      filter: input.filter ? encodeFilter(input.filter) : null,
    });
    if (!queue) throw new Conflict(taken);
    return queue;
  });
}

/** The pool and the current row of a queue that is about to change; other changes wait for the transaction. */
async function queueForChange(
  tx: Tx,
  id: string,
  missing: string,
): Promise<{ pool: WorkPoolRow; queue: WorkQueueRow }> {
  const known = found(await workQueues.first(tx, { id }), missing);
  await tx.lock('work_pool', known.work_pool_id);
  const [queue, pool] = await Promise.all([
    workQueues.first(tx, { id }),
    workPools.first(tx, { id: known.work_pool_id }),
  ]);
  return { queue: found(queue, missing), pool: found(pool, missing) };
}

/**
 * Changes the given fields. With `movesOthers`, the queues from the given priority on move down to free its place; the
 * older routes without pools do not move them. Throws NotFound with `missing`, IntegrityConflict for null or a taken
 * name.
 */
export function updateQueue(
  context: Context,
  id: string,
  input: WorkQueueUpdate,
  missing: string,
  movesOthers: boolean,
): Promise<void> {
  return context.transaction(async (tx) => {
    const { pool, queue: before } = await queueForChange(tx, id, missing);
    const { filter, ...plain } = input;
    if ([input.name, input.description, input.priority, input.is_paused].includes(null as never)) {
      throw new IntegrityConflict();
    }
    const change = {
      ...(plain as Partial<WorkQueueRow>),
      filter: filter && encodeFilter(filter),
      status: input.is_paused === undefined ? undefined : statusAfter(context, input, before),
      updated: context.now,
    };
    // Moves them even for the queue's current priority, because another queue may share it.
    if (movesOthers && input.priority) {
      const { updated } = change;
      change.priority = await makeRoom(tx, { id, work_pool_id: pool.id, wanted: input.priority, updated });
    }
    const after = found(await workQueues.change(tx, { id }, change), missing);
    await recordQueueUpdate(context, tx, pool, before, after);
    if (after.status !== before.status) await recordQueueStatus(context, tx, pool, after);
  });
}

/** Resuming a queue that is not paused changes no status: only a poll, or the lack of polls, makes it ready or not. */
function statusAfter({ now }: Context, input: WorkQueueUpdate, before: WorkQueueRow): string {
  if (input.is_paused) return 'PAUSED';
  if (!before.is_paused) return before.status;
  const polled = input.last_polled === undefined ? before.last_polled : input.last_polled;
  return polled !== null && polled >= addSeconds(now, -READY_SECONDS) ? 'READY' : 'NOT_READY';
}

/**
 * Deletes a queue; its runs and deployments stay. With `movesOthers`, queues that share a place move apart; the older
 * routes without pools do not move them. Throws NotFound with `missing`, Conflict for the default queue of a pool (500
 * in the reference).
 */
export function deleteQueue(context: Context, id: string, missing: string, movesOthers: boolean): Promise<void> {
  return context.transaction(async (tx) => {
    const { pool, queue } = await queueForChange(tx, id, missing);
    if (pool.default_queue_id === queue.id) {
      throw new Conflict(
        `Work queue '${queue.name}' is the default queue of work pool '${pool.name}' and cannot be deleted.`,
      );
    }
    await forgetQueue(tx, id);
    await workQueues.removeAll(tx, { id });
    if (movesOthers) await moveApart(tx, await tx.all(queuesOfPool, { work_pool_id: pool.id }), context.now);
    await recordQueueEvent(context, tx, pool, queue, 'deleted');
  });
}
