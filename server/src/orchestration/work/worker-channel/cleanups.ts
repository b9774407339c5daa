/**
 * Requests to the workers of a pool: to remove what a run left behind after its cancellation timed out. A request is
 * delivered to one worker at a time, until one confirms it; the database stores requests, so a restart loses none. The
 * Prefect server 3.9.1 keeps its queue in memory (`/work_pools/{work_pool_name}/workers/connect`).
 */
import { randomBytes } from 'node:crypto';
import type { Context } from '../../../context/context.ts';
import type { Tx } from '../../../database/store.ts';
import { jsonTextOf } from '../../../values/json.ts';
import { addSeconds, type Timestamp } from '../../../values/time.ts';
import { workPools, workQueues } from '../../lookups/work-pools.ts';
import {
  type CleanupRow,
  cleanups,
  deleteExhaustedCleanups,
  deleteOlderCleanups,
  listFreeCleanups,
  reserveCleanup,
} from './cleanup-queries.ts';

const CANCELLING_TIMEOUT_TEARDOWN = 'cancelling_timeout_teardown.v1';

/** Seconds for which a worker reserves a request before it must renew. */
export const LEASE_SECONDS = 30;
const MAX_DELIVERIES = 3;
/** Age at which a request without a worker is dropped: its target no longer exists, or was removed by hand. */
const KEEP_SECONDS = 7 * 86_400;

/**
 * Asks the workers of the run's pool to remove its infrastructure. Does nothing for a run without a pool, and for pools
 * without workers (push and managed). The caller gives up waiting for a cancellation in the same transaction.
 */
export async function requestTeardown(
  context: Context,
  tx: Tx,
  run: { readonly id: string; readonly work_queue_id: string | null; readonly infrastructure_pid: string | null },
): Promise<void> {
  const queue = run.work_queue_id === null ? undefined : await workQueues.first(tx, { id: run.work_queue_id });
  const pool = queue && (await workPools.first(tx, { id: queue.work_pool_id }));
  if (!pool || /:(push|managed)$/.test(pool.type)) return;
  const added = await cleanups.insertUnlessThere(tx, {
    // A run has one request at a time.
    id: run.id,
    created: context.now,
    work_pool_id: pool.id,
    work_queue_id: queue.id,
    kind: CANCELLING_TIMEOUT_TEARDOWN,
    target: jsonTextOf({ flow_run_id: run.id, infrastructure_pid: run.infrastructure_pid }),
    deliveries: 0,
    reservation_token: null,
    lease_expires_at: null,
  });
  if (added) tell(context, tx, pool.id);
}

function tell(context: Context, tx: Tx, work_pool_id: string): void {
  tx.afterCommit(() => context.server.hub.tell('cleanups', context.workspace, { work_pool_id }));
}

interface CleanupWish {
  readonly work_pool_id: string;
  /** Queues whose requests the worker accepts; it also accepts requests without a queue. */
  readonly queues: readonly string[];
  readonly kinds: readonly string[];
  readonly limit: number;
}

/** A delivered request, with a token and the end of the reservation. */
type Reserved = CleanupRow & { readonly reservation_token: string; readonly lease_expires_at: Timestamp };

/** Reserves up to `limit` requests, oldest first. Drops and logs those that were delivered too often in vain. */
export async function reserveCleanups(context: Context, wish: CleanupWish): Promise<Reserved[]> {
  const { now } = context;
  const found = await listFreeCleanups(context.db, { ...wish, now });
  if (found.length === 0) return [];
  return context.transaction(async (tx) => {
    const { work_pool_id } = wish;
    const exhausted = await tx.all(deleteExhaustedCleanups, { now, deliveries: MAX_DELIVERIES, work_pool_id });
    for (const cleanup of exhausted) warn(context, cleanup);
    const reserved: Reserved[] = [];
    for (const id of found) {
      const token = randomBytes(32).toString('base64url');
      const until = addSeconds(now, LEASE_SECONDS);
      const cleanup = await tx.first(reserveCleanup, { id, token, now, until, deliveries: MAX_DELIVERIES });
      if (cleanup) reserved.push(cleanup as Reserved);
    }
    return reserved;
  });
}

function warn(context: Context, { id, kind, deliveries }: CleanupRow): void {
  context.server.logger.warn({ flow_run_id: id, kind, deliveries }, 'no worker could clean up after a flow run');
}

export type CleanupOperation = 'ack' | 'renew' | 'release';

type CleanupResult =
  | { readonly status: 'accepted'; readonly lease_expires_at: Timestamp | null }
  | {
      readonly status: 'not_found' | 'invalid_token' | 'not_current' | 'expired' | 'dead_lettered';
      readonly reason: string;
    };

const accepted: CleanupResult = { status: 'accepted', lease_expires_at: null };
const mismatch: CleanupResult = { status: 'invalid_token', reason: 'reservation_token_mismatch' };

/** Applies the report of a reservation's holder: done, still working, or unable. */
export function operateCleanup(
  context: Context,
  work_pool_id: string,
  operation: CleanupOperation,
  { id, token }: { readonly id: string; readonly token: string },
): Promise<CleanupResult> {
  const { now } = context;
  return context.transaction(async (tx) => {
    const cleanup = await cleanups.first(tx, { work_pool_id, id });
    if (!cleanup) return { status: 'not_found', reason: 'message_not_found' };
    if (cleanup.reservation_token === null || cleanup.lease_expires_at === null) {
      return { status: 'not_current', reason: 'message_not_reserved' };
    }
    if (cleanup.reservation_token !== token) return mismatch;
    if (cleanup.lease_expires_at < now) return { status: 'expired', reason: 'reservation_expired' };
    // The reservation may belong to another worker by now.
    const own = { id, reservation_token: token };
    if (operation === 'ack') return (await cleanups.remove(tx, own)) ? accepted : mismatch;
    if (operation === 'renew') {
      const lease_expires_at = addSeconds(now, LEASE_SECONDS);
      return (await cleanups.change(tx, own, { lease_expires_at }))
        ? { status: 'accepted', lease_expires_at }
        : mismatch;
    }
    if (cleanup.deliveries >= MAX_DELIVERIES) {
      await cleanups.removeAll(tx, own);
      tx.afterCommit(() => warn(context, cleanup));
      return { status: 'dead_lettered', reason: 'max_delivery_attempts_reached' };
    }
    if (!(await cleanups.change(tx, own, { reservation_token: null, lease_expires_at: null }))) return mismatch;
    tell(context, tx, work_pool_id);
    return accepted;
  });
}

/** Drops requests that no worker accepted for a week. */
export async function forgetOldCleanups(context: Context): Promise<void> {
  const before = addSeconds(context.now, -KEEP_SECONDS);
  await context.transaction((tx) => tx.run(deleteOlderCleanups, { before, now: context.now }));
}
