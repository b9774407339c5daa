/** Takes and releases slots. Every change of the slots in use locks the limits' rows, so no slot is granted twice. */
import type { Context } from '../../../context/context.ts';
import type { Tx } from '../../../database/store.ts';
import { Gone, Locked, Unprocessable } from '../../../errors.ts';
import { newId } from '../../../values/id.ts';
import { addSeconds, secondsBetween } from '../../../values/time.ts';
import {
  countLeasedSlots,
  deleteEmptyLeases,
  extendLease,
  insertLease,
  insertLeaseUnlessKnown,
  insertSlots,
  type LeaseRow,
  leases,
  listExpiredLeases,
  lockLease,
  slots as slotRows,
  takeFromLeases,
} from './lease-queries.ts';
import { type LimitRow, lockLimits, lockLimitsOfLease, updateLimitRow } from './queries.ts';
import type { ConcurrencyLeaseHolder } from './schema.ts';
import { averageOccupancy, decayedSlots, deniedSlots, secondsToWait } from './usage.ts';

/** Expired leases that one pass ends. */
const ENDED_TOGETHER = 200;

interface SlotRequest {
  readonly names: readonly string[];
  /** Slots to take from each existing and active limit. */
  readonly slots: number;
  /** `rate_limit` accepts only limits with a slot decay. */
  readonly mode: 'concurrency' | 'rate_limit';
}

interface LeaseTerms {
  readonly durationSeconds: number;
  readonly holder: Pick<ConcurrencyLeaseHolder, 'type' | 'id'> | null;
  /** Set when the server takes the lease for a run: deleting the run then ends the lease. */
  readonly takenFor?: 'flow_run' | 'task_run';
}

/** The limits sorted by name, including inactive ones. */
type Taken = { readonly limits: readonly LimitRow[] };
type Refused = { readonly retryAfterSeconds: number };

/** Takes slots that `giveBackSlots` releases. Throws Locked when too few are free, and what `takeFromLimits` throws. */
export async function takeSlots(context: Context, request: SlotRequest): Promise<readonly LimitRow[]> {
  return granted(await context.transaction((tx) => takeFromLimits(context, tx, request))).limits;
}

/**
 * Takes slots for as long as the lease is renewed. It creates a lease even when no name has a limit: clients request
 * every tag of every task, so that case costs one statement. Throws Locked when too few slots are free, and what
 * `takeFromLimits` throws.
 */
export async function takeLeasedSlots(
  context: Context,
  request: SlotRequest,
  terms: LeaseTerms,
): Promise<{ lease_id: string; limits: readonly LimitRow[] }> {
  const lease = newLease(context, terms);
  const outcome = await context.transaction(async (tx): Promise<Taken | Refused> => {
    if (Math.random() < SWEEP_CHANCE) await deleteEmptyLeases(tx, context.now, SWEEP_SIZE);
    if (await insertLeaseUnlessKnown(tx, lease, request.names)) return { limits: [] };
    return takeFromLimits(context, tx, request, lease);
  });
  return { lease_id: lease.id, limits: granted(outcome).limits };
}

/** Duration of a lease that ends only when it is released: about a hundred years. */
export const UNTIL_GIVEN_BACK_SECONDS = 100 * 365 * 86_400;

/** Share of calls that first delete expired leases without slots (those of names without a limit), and how many. */
const SWEEP_CHANCE = 0.02;
const SWEEP_SIZE = 500;

export function newLease(context: Context, { durationSeconds, holder, takenFor }: LeaseTerms) {
  return {
    id: newId(),
    created: context.now,
    expires_at: addSeconds(context.now, durationSeconds),
    holder_type: holder?.type ?? null,
    holder_id: holder?.id ?? null,
    flow_run_id: takenFor === 'flow_run' && holder ? holder.id : null,
    task_run_id: takenFor === 'task_run' && holder ? holder.id : null,
  };
}

function granted(outcome: Taken | Refused): Taken {
  if ('retryAfterSeconds' in outcome) throw new Locked('Locked', outcome.retryAfterSeconds);
  return outcome;
}

/**
 * Takes slots of all active limits among the names, or of none; with a lease, the lease holds them. Names without a
 * limit are skipped. Throws Unprocessable for a request that can never be granted.
 */
async function takeFromLimits(
  context: Context,
  tx: Tx,
  { names, slots, mode }: SlotRequest,
  lease?: ReturnType<typeof newLease>,
): Promise<Taken | Refused> {
  const limits = byName(await lockLimits(tx, names));
  const active = limits.filter((limit) => limit.active);
  checkRequest(active, slots, mode);
  const full = await takeFromLocked(context, tx, active, slots, lease);
  return full.length > 0 ? { retryAfterSeconds: secondsToWait(full, slots, context.now) } : { limits };
}

/**
 * Takes slots of all the given locked limits, or of none; with a lease, the lease holds them.
 * Returns the limits that are full; an empty list means that the slots were taken.
 */
export async function takeFromLocked(
  context: Context,
  tx: Tx,
  limits: readonly LimitRow[],
  slots: number,
  lease?: ReturnType<typeof newLease>,
): Promise<readonly LimitRow[]> {
  const { now } = context;
  const leased = await Promise.all(limits.map(({ id }) => countLeasedSlots(tx, id, now)));
  const full = limits.filter((limit, index) => {
    const held = limit.unleased_slots + leased[index]! - decayedSlots(limit, now);
    return Math.max(0, held) + slots > limit.limit;
  });
  if (full.length > 0) return full;
  if (lease) await tx.run(insertLease, lease);
  for (const limit of limits) {
    const settled = await settle(context, tx, limit);
    await tx.run(updateLimitRow, lease ? settled : { ...settled, unleased_slots: settled.unleased_slots + slots });
    if (lease) await tx.run(insertSlots, { lease_id: lease.id, concurrency_limit_id: limit.id, slots });
  }
  return [];
}

function checkRequest(active: readonly LimitRow[], slots: number, mode: SlotRequest['mode']): void {
  if (active.some(({ limit }) => limit < slots)) {
    throw new Unprocessable('Slots requested is greater than the limit');
  }
  if (mode !== 'rate_limit') return;
  const names = active.filter((limit) => limit.slot_decay_per_second === 0).map((limit) => limit.name);
  if (names.length === 0) return;
  throw new Unprocessable(
    `Only concurrency limits with slot decay can be used for rate limiting. The following limits do not have a decay configured: '${names.join(',')}'`,
  );
}

interface SlotReturn {
  readonly names: readonly string[];
  readonly slots: number;
  readonly occupancySeconds: number | null;
}

/** `giveBackSlotsIn` in its own transaction. */
export function giveBackSlots(context: Context, returned: SlotReturn): Promise<readonly LimitRow[]> {
  return context.transaction((tx) => giveBackSlotsIn(context, tx, returned));
}

/**
 * Releases slots that were taken without a lease, at most as many as were taken. Slots of a lease stay taken until the
 * lease ends. Returns the limits sorted by name.
 */
export async function giveBackSlotsIn(
  context: Context,
  tx: Tx,
  { names, slots, occupancySeconds }: SlotReturn,
): Promise<readonly LimitRow[]> {
  const limits = byName(await lockLimits(tx, names));
  for (const limit of limits) {
    if (!limit.active) continue;
    const settled = await settle(context, tx, limit);
    await tx.run(updateLimitRow, {
      ...settled,
      unleased_slots: Math.max(0, settled.unleased_slots - slots),
      avg_slot_occupancy_seconds:
        occupancySeconds === null ? limit.avg_slot_occupancy_seconds : averageOccupancy(limit, slots, occupancySeconds),
    });
  }
  return limits;
}

/** Ends a lease and frees its slots. Does nothing when the lease does not exist. */
export function endLease(context: Context, id: string): Promise<void> {
  return context.transaction((tx) => releaseLease(context, tx, id));
}

/** `endLease` in the caller's transaction. */
export function releaseLease(context: Context, tx: Tx, id: string): Promise<void> {
  return release(context, tx, id, () => true);
}

/** Ends an expired lease. Does nothing when the lease was renewed or does not exist. */
function endExpiredLease(context: Context, id: string): Promise<void> {
  return context.transaction((tx) => release(context, tx, id, ({ expires_at }) => expires_at <= context.now));
}

async function release(context: Context, tx: Tx, id: string, condition: (lease: LeaseRow) => boolean): Promise<void> {
  // Lock the limits first, as everywhere, then read the lease: it may have ended while this waited for the locks.
  const [limits, held, lease] = await Promise.all([
    tx.all(lockLimitsOfLease, { lease_id: id }),
    slotRows.all(tx, { lease_id: id }),
    tx.first(lockLease, { id }),
  ]);
  if (!lease || !condition(lease)) return;
  const settled = new Map<string, LimitRow>();
  for (const limit of limits) settled.set(limit.id, await settle(context, tx, limit));
  await leases.removeAll(tx, { id });
  const seconds = secondsBetween(lease.created, context.now);
  for (const { concurrency_limit_id, slots } of held) {
    const limit = settled.get(concurrency_limit_id);
    if (!limit) continue;
    await tx.run(updateLimitRow, { ...limit, avg_slot_occupancy_seconds: averageOccupancy(limit, slots, seconds) });
  }
}

/** Extends a lease. Throws Gone when it has ended. */
export async function renewLease(context: Context, id: string, durationSeconds: number): Promise<void> {
  const expires = addSeconds(context.now, durationSeconds);
  const renewed = await context.transaction((tx) => extendLease(tx, id, context.now, expires));
  if (!renewed) throw new Gone('Lease not found - it may have expired or been revoked');
}

/**
 * Applies the decay until now to a locked limit and returns the row to store. Slots without a lease are freed first,
 * then slots of leases.
 */
export async function settle(context: Context, tx: Tx, limit: LimitRow): Promise<LimitRow> {
  const { now } = context;
  const decayed = decayedSlots(limit, now);
  if (decayed > limit.unleased_slots) await takeFromLeases(tx, limit.id, now, decayed - limit.unleased_slots);
  return {
    ...limit,
    // A request that waited for the lock began before the limit's last change.
    updated: secondsBetween(limit.updated, now) > 0 ? now : limit.updated,
    unleased_slots: Math.max(0, limit.unleased_slots - decayed),
    denied_slots: deniedSlots(limit, now),
  };
}

export function byName(limits: readonly LimitRow[]): readonly LimitRow[] {
  return limits.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/**
 * Ends expired leases, each exactly once even when several replicas run this. An expired lease holds no slots, so no
 * request waits for this; it keeps the averages correct and the tables small. True when more leases are left.
 */
export async function endExpiredLeases(context: Context): Promise<boolean> {
  const { now } = context;
  const expired = await listExpiredLeases(context.db, now, ENDED_TOGETHER);
  for (const id of expired) await endExpiredLease(context, id);
  const empty = await context.transaction((tx) => deleteEmptyLeases(tx, now, ENDED_TOGETHER));
  return expired.length === ENDED_TOGETHER || empty === ENDED_TOGETHER;
}
