/** Workers and their heartbeats. Source: reference behaviour, "Work pools, queues, workers", Workers. */
import type { Context } from '../../../context.ts';
import { NotFound } from '../../../errors.ts';
import { newId } from '../../../id.ts';
import { addSeconds, type Timestamp } from '../../../time.ts';
import { setPoolStatus } from '../pools/operations.ts';
import { poolNamed } from '../queues/queues.ts';
import { deleteWorkerRow, findHeartbeatInterval, upsertWorker, type WorkerRow } from './worker-queries.ts';

/** A worker is offline after it missed so many heartbeats. */
const HEARTBEATS_TO_MISS = 3;
const DEFAULT_INTERVAL_SECONDS = 30;
const LONGEST_INTERVAL_SECONDS = 10 * 365 * 86_400;

export interface Heartbeat {
  readonly name: string;
  readonly heartbeat_interval_seconds?: number | null | undefined;
}

/**
 * Notes that a worker is there, and makes it known to its pool, which is then ready. One that does not say how often it
 * will be heard of keeps what it said before. Throws NotFound for the pool.
 */
export function recordHeartbeat(context: Context, poolName: string, heartbeat: Heartbeat): Promise<string> {
  const { now } = context;
  return context.transaction(async (tx) => {
    const pool = await poolNamed(tx, poolName);
    const interval = heartbeat.heartbeat_interval_seconds ?? (await findHeartbeatInterval(tx, pool.id, heartbeat.name));
    const id = await upsertWorker(tx, {
      id: newId(),
      created: now,
      updated: now,
      name: heartbeat.name,
      work_pool_id: pool.id,
      last_heartbeat_time: now,
      heartbeat_interval_seconds: interval,
      online_until: onlineUntil(now, interval),
    });
    if (pool.status !== 'NOT_READY') return id;
    await tx.lock('work_pool', pool.id);
    const locked = await poolNamed(tx, poolName);
    if (locked.status === 'NOT_READY') await setPoolStatus(context, tx, locked, 'READY');
    return id;
  });
}

function onlineUntil(heartbeat: Timestamp, interval: number | null): Timestamp {
  const seconds = Math.min(Math.max(interval ?? DEFAULT_INTERVAL_SECONDS, 0), LONGEST_INTERVAL_SECONDS);
  return addSeconds(heartbeat, HEARTBEATS_TO_MISS * seconds);
}

/** Forgets a worker. Throws NotFound for the pool and the worker. */
export function deleteWorker(context: Context, poolName: string, name: string): Promise<void> {
  return context.transaction(async (tx) => {
    const pool = await poolNamed(tx, poolName);
    if (!(await deleteWorkerRow(tx, pool.id, name))) throw new NotFound('Worker not found.');
  });
}

/** A worker in the shape of `WorkerResponse`. */
export function workerResponse(worker: WorkerRow, now: Timestamp) {
  return { ...worker, status: worker.online_until >= now ? 'ONLINE' : 'OFFLINE' };
}
