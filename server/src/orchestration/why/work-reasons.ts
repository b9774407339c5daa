/** What keeps runs of a queue, or of a deployment that processes serve, from starting. */
import { addSeconds, type Timestamp } from '../../time.ts';
import { at, reason, slotsSentence } from './reason.ts';
import type { QueueOfRun } from './why-queries.ts';
import type { FlowRunReason, SlotHolder } from './why-schema.ts';

/** Workers and serving processes poll every 10 to 15 seconds. One that has not polled for this long counts as gone. */
const POLLED_RECENTLY_SECONDS = 60;

/** The runs that take the slots of the pool and of the queue, where they are known. */
export interface QueueHolders {
  readonly pool: readonly SlotHolder[];
  readonly queue: readonly SlotHolder[];
}

export function isPoolFull({ pool_limit, pool_active }: QueueOfRun): boolean {
  return pool_limit !== null && pool_active >= pool_limit;
}

export function isQueueFull({ concurrency_limit, active }: QueueOfRun): boolean {
  return concurrency_limit !== null && active >= concurrency_limit;
}

export function queueReasons(queue: QueueOfRun, holders: QueueHolders, now: Timestamp): FlowRunReason[] {
  const found: FlowRunReason[] = [];
  const pool = { type: 'work_pool', id: queue.pool_id, name: queue.pool_name } as const;
  const own = { type: 'work_queue', id: queue.id, name: queue.name } as const;
  const poolName = `Work pool "${queue.pool_name}"`;
  const queueName = `Work queue "${queue.name}" of work pool "${queue.pool_name}"`;
  if (queue.pool_paused) found.push(reason('work_pool_paused', `${poolName} is paused.`, { resource: pool }));
  if (queue.is_paused) found.push(reason('work_queue_paused', `${queueName} is paused.`, { resource: own }));
  if (isPoolFull(queue)) {
    const limit = queue.pool_limit ?? 0;
    const full = { resource: pool, limit, active_slots: queue.pool_active, holders: [...holders.pool] };
    const message = `${poolName} is full: ${slotsSentence(queue.pool_active, limit, holders.pool)}`;
    found.push(reason('work_pool_full', message, full));
  }
  if (isQueueFull(queue)) {
    const limit = queue.concurrency_limit ?? 0;
    const full = { resource: own, limit, active_slots: queue.active, holders: [...holders.queue] };
    const message = `${queueName} is full: ${slotsSentence(queue.active, limit, holders.queue)}`;
    found.push(reason('work_queue_full', message, full));
  }
  return [...found, ...pollReasons(queue, poolName, queueName, now)];
}

function pollReasons(queue: QueueOfRun, poolName: string, queueName: string, now: Timestamp): FlowRunReason[] {
  const { last_polled, last_heartbeat, workers_online } = queue;
  if (isRecent(last_polled, now)) return [];
  if (workers_online === 0) {
    const seen = last_heartbeat === null ? 'none was ever seen' : `the last heartbeat came at ${at(last_heartbeat)}`;
    const resource = { type: 'work_pool', id: queue.pool_id, name: queue.pool_name } as const;
    const message = `${poolName} has no online worker: ${seen}.`;
    return [reason('no_worker', message, { resource, since: last_heartbeat })];
  }
  const polled = last_polled === null ? 'was never polled' : `was last polled at ${at(last_polled)}`;
  const workers = workers_online === 1 ? 'one worker' : `${workers_online} workers`;
  const resource = { type: 'work_queue', id: queue.id, name: queue.name } as const;
  const message = `${queueName} ${polled}, though the pool has ${workers} online.`;
  return [reason('work_queue_not_polled', message, { resource, since: last_polled })];
}

interface ServedDeployment {
  readonly id: string;
  readonly name: string;
  readonly last_polled: Timestamp | null;
}

/** Of a deployment without a work pool. */
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
