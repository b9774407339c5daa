/** The reasons why runs of a queue, or of a deployment that processes serve, do not start. */
import { addSeconds, type Timestamp } from '../../values/time.ts';
import { at, reason, slotsSentence } from './reason.ts';
import type { QueueOfRun } from './why-queries.ts';
import type { FlowRunReason, SlotHolder } from './why-schema.ts';

/** Workers and serving processes poll every 10 to 15 seconds. One that has not polled for this long counts as gone. */
const POLLED_RECENTLY_SECONDS = 60;

/** The runs that hold the slots of the pool and of the queue, if they are known. */
export interface QueueHolders {
  readonly pool: readonly SlotHolder[];
  readonly queue: readonly SlotHolder[];
}

export function isPoolFull({ pool_limit, pool_active }: PoolInUse): boolean {
  return pool_limit !== null && pool_active >= pool_limit;
}

export function isQueueFull({ concurrency_limit, active }: QueueOfRun): boolean {
  return concurrency_limit !== null && active >= concurrency_limit;
}

/** The facts from which the reasons of a pool follow. */
type PoolInUse = Pick<
  QueueOfRun,
  | 'pool_id'
  | 'pool_name'
  | 'pool_paused'
  | 'pool_limit'
  | 'pool_active'
  | 'workers_online'
  | 'last_heartbeat'
  | 'last_polled'
>;

/** Facts shared by a pool's queues. `last_polled` is the latest poll of any of them. */
export function poolReasons(pool: PoolInUse, now: Timestamp): FlowRunReason[] {
  const isIdle = pool.workers_online === 0 && !isRecent(pool.last_polled, now);
  return [...pausedPool(pool), ...fullPool(pool, []), ...(isIdle ? [noWorker(pool)] : [])];
}

export function queueReasons(queue: QueueOfRun, holders: QueueHolders, now: Timestamp): FlowRunReason[] {
  const own = { type: 'work_queue', id: queue.id, name: queue.name } as const;
  const name = `Work queue "${queue.name}" of work pool "${queue.pool_name}"`;
  const found = pausedPool(queue);
  if (queue.is_paused) found.push(reason('work_queue_paused', `${name} is paused.`, { resource: own }));
  found.push(...fullPool(queue, holders.pool));
  if (isQueueFull(queue)) {
    const limit = queue.concurrency_limit ?? 0;
    const full = { resource: own, limit, active_slots: queue.active, holders: [...holders.queue] };
    const message = `${name} is full: ${slotsSentence(queue.active, limit, holders.queue)}`;
    found.push(reason('work_queue_full', message, full));
  }
  const { last_polled, workers_online } = queue;
  if (isRecent(last_polled, now)) return found;
  if (workers_online === 0) return [...found, noWorker(queue)];
  const polled = last_polled === null ? 'was never polled' : `was last polled at ${at(last_polled)}`;
  const workers = workers_online === 1 ? 'one worker' : `${workers_online} workers`;
  const message = `${name} ${polled}, though the pool has ${workers} online.`;
  return [...found, reason('work_queue_not_polled', message, { resource: own, since: last_polled })];
}

function resourceOf({ pool_id, pool_name }: PoolInUse) {
  return { type: 'work_pool', id: pool_id, name: pool_name } as const;
}

function pausedPool(pool: PoolInUse): FlowRunReason[] {
  if (!pool.pool_paused) return [];
  return [reason('work_pool_paused', `Work pool "${pool.pool_name}" is paused.`, { resource: resourceOf(pool) })];
}

function fullPool(pool: PoolInUse, holders: readonly SlotHolder[]): FlowRunReason[] {
  if (!isPoolFull(pool)) return [];
  const limit = pool.pool_limit ?? 0;
  const details = { resource: resourceOf(pool), limit, active_slots: pool.pool_active, holders: [...holders] };
  const message = `Work pool "${pool.pool_name}" is full: ${slotsSentence(pool.pool_active, limit, holders)}`;
  return [reason('work_pool_full', message, details)];
}

function noWorker(pool: PoolInUse): FlowRunReason {
  const { last_heartbeat: last } = pool;
  const seen = last === null ? 'none was ever seen' : `the last heartbeat came at ${at(last)}`;
  const message = `Work pool "${pool.pool_name}" has no online worker: ${seen}.`;
  return reason('no_worker', message, { resource: resourceOf(pool), since: last });
}

export interface ServedDeployment {
  readonly id: string;
  readonly name: string;
  readonly last_polled: Timestamp | null;
}

/** The reasons for a deployment without a work pool. */
export function servingReasons({ id, name, last_polled }: ServedDeployment, now: Timestamp): FlowRunReason[] {
  if (isRecent(last_polled, now)) return [];
  const polled = last_polled === null ? 'none ever did' : `the last one asked at ${at(last_polled)}`;
  const message = `Deployment "${name}" has no work pool and no process serves it: ${polled}.`;
  const resource = { type: 'deployment', id, name } as const;
  return [reason('deployment_not_served', message, { resource, since: last_polled })];
}

function isRecent(polled: Timestamp | null, now: Timestamp): boolean {
  return polled !== null && polled >= addSeconds(now, -POLLED_RECENTLY_SECONDS);
}
