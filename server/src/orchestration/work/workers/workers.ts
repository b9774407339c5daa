/** Workers and their heartbeats. Source: `/work_pools/{work_pool_name}/workers/` of the Prefect server 3.9.1. */
import type { Context } from '../../../context/context.ts';
import { found } from '../../../errors.ts';
import { newId } from '../../../values/id.ts';
import { addSeconds, type Timestamp } from '../../../values/time.ts';
import { poolNamed } from '../../lookups/work-pools.ts';
import { setPoolStatus } from '../pools/operations.ts';
import { findHeartbeatInterval, upsertWorker, type WorkerRow, workers } from './worker-queries.ts';

/** A worker is offline after it missed this many heartbeats. */
const HEARTBEATS_TO_MISS = 3;
const DEFAULT_INTERVAL_SECONDS = 30;
const LONGEST_INTERVAL_SECONDS = 10 * 365 * 86_400;

interface Heartbeat {
  readonly name: string;
  readonly heartbeat_interval_seconds?: number | null | undefined;
}

/**
 * Stores a worker's heartbeat, which adds the worker to its pool and makes the pool ready. A heartbeat without an
 * interval keeps the interval of the one before. Throws NotFound for the pool.
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

/** Deletes a worker. Throws NotFound for the pool and the worker. */
export function deleteWorker(context: Context, poolName: string, name: string): Promise<void> {
  return context.transaction(async (tx) => {
    const pool = await poolNamed(tx, poolName);
    found(await workers.remove(tx, { work_pool_id: pool.id, name }), 'Worker not found.');
  });
}

/** A worker in the shape of `WorkerResponse`. */
export function workerResponse(worker: WorkerRow, now: Timestamp) {
  return { ...worker, status: worker.online_until >= now ? 'ONLINE' : 'OFFLINE' };
}
