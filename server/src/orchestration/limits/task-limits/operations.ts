import type { Context } from '../../../context/context.ts';
import type { Db, Tx } from '../../../database/store.ts';
import { found, Locked, ValidationFailed } from '../../../errors.ts';
import { newId } from '../../../values/id.ts';
import {
  countLeasedSlots,
  heldByTaskRun,
  insertLease,
  insertSlots,
  leases,
  slots,
} from '../global-limits/lease-queries.ts';
import { recordLimitEvent } from '../global-limits/operations.ts';
import { type LimitRow, limits, lockLimit, lockLimits, updateLimitRow } from '../global-limits/queries.ts';
import { DEFAULT_OCCUPANCY_SECONDS } from '../global-limits/schema.ts';
import { newLease, releaseLease, settle, takeFromLocked, UNTIL_GIVEN_BACK_SECONDS } from '../global-limits/slots.ts';
import { limitNameOfTag, tagOfLimitName } from '../global-limits/tag-slots.ts';
import { findTagLimit, holdersOf, leasesOfLimitAlone } from './queries.ts';
import type { ConcurrencyLimit, ConcurrencyLimitCreate } from './schema.ts';

const MISSING = 'Concurrency limit not found';

/** Seconds after which a task retries a full tag limit. Source: the setting of the Prefect server, at its default. */
const RETRY_SECONDS = 10;

/** A limit on a tag is identified by its id or the tag. */
type TagLimitKey = { readonly id: string } | { readonly tag: string };

/** Characters that limit names cannot contain, because a request for the tag could not name them. */
const notInNames = /[/%&><]/;

/** Creates the limit of the tag or changes it. Throws ValidationFailed for a tag that a limit name cannot contain. */
export async function upsertTagLimit(
  context: Context,
  { tag, concurrency_limit }: ConcurrencyLimitCreate,
): Promise<{ created: boolean; limit: ConcurrencyLimit }> {
  if (notInNames.test(tag)) {
    const pattern = '^[^/%&><]+$';
    const msg = `String should match pattern '${pattern}'`;
    const issue = { type: 'string_pattern_mismatch', loc: ['body', 'tag'], msg, input: tag, ctx: { pattern } };
    throw new ValidationFailed([issue]);
  }
  const name = limitNameOfTag(tag);
  const upserted = await context.transaction(async (tx) => {
    const made = await limits.insertUnlessThere(tx, {
      id: newId(),
      created: context.now,
      updated: context.now,
      name,
      limit: concurrency_limit,
      active: true,
      denied_slots: 0,
      slot_decay_per_second: 0,
      avg_slot_occupancy_seconds: DEFAULT_OCCUPANCY_SECONDS,
      unleased_slots: 0,
    });
    if (made) await recordLimitEvent(context, tx, 'created', made);
    return { created: made !== undefined, row: made ?? (await changeLimit(context, tx, name, concurrency_limit)) };
  });
  return { created: upserted.created, limit: await shown(context, upserted.row) };
}

async function changeLimit(context: Context, tx: Tx, name: string, limit: number): Promise<LimitRow> {
  const [locked] = await lockLimits(tx, [name]);
  const changed = { ...(await settle(context, tx, found(locked, MISSING))), limit };
  await tx.run(updateLimitRow, changed);
  await recordLimitEvent(context, tx, 'updated', changed);
  return changed;
}

/** Throws NotFound. */
export async function readTagLimit(context: Context, key: TagLimitKey): Promise<ConcurrencyLimit> {
  return shown(context, await findLimit(context.db, key));
}

/** Limits in the shape of the API, in the given order. */
export async function showAll(context: Context, limits: readonly LimitRow[]): Promise<ConcurrencyLimit[]> {
  const holders = await holdersOf(context.db, limits, context.now);
  return limits.map((limit) => ({
    id: limit.id,
    created: limit.created,
    updated: limit.updated,
    tag: tagOfLimitName(limit.name),
    concurrency_limit: limit.limit,
    active_slots: [...(holders.get(limit.id) ?? [])],
  }));
}

async function shown(context: Context, limit: LimitRow): Promise<ConcurrencyLimit> {
  const [only] = await showAll(context, [limit]);
  return only!;
}

/** Deletes the limit and the leases that held only its slots. Throws NotFound. */
export function deleteTagLimit(context: Context, key: TagLimitKey): Promise<void> {
  return context.transaction(async (tx) => {
    const limit = await lockTagLimit(tx, key);
    for (const lease of await leasesOfLimitAlone(tx, limit.id)) await leases.removeAll(tx, { id: lease });
    await limits.removeAll(tx, { id: limit.id });
    await recordLimitEvent(context, tx, 'deleted', limit);
  });
}

/**
 * Releases all slots, then gives one to each of the task runs, even above the limit. `updated` moves when the limit was
 * not full before. Throws NotFound. Source: `POST /concurrency_limits/tag/{tag}/reset` of the Prefect server 3.9.1.
 */
export function resetTagLimit(context: Context, key: TagLimitKey, taskRunIds: readonly string[]): Promise<void> {
  return context.transaction(async (tx) => {
    const limit = await lockTagLimit(tx, key);
    const taken = limit.unleased_slots + (await countLeasedSlots(tx, limit.id, context.now));
    for (const lease of await leasesOfLimitAlone(tx, limit.id)) await leases.removeAll(tx, { id: lease });
    await slots.removeAll(tx, { concurrency_limit_id: limit.id });
    const givesAway = taskRunIds.length > 0 && taken < limit.limit;
    if (givesAway || limit.unleased_slots > 0 || limit.denied_slots > 0) {
      await tx.run(updateLimitRow, { ...limit, updated: context.now, unleased_slots: 0, denied_slots: 0 });
    }
    for (const taskRunId of taskRunIds) {
      const lease = leaseOf(context, taskRunId);
      await tx.run(insertLease, lease);
      await tx.run(insertSlots, { lease_id: lease.id, concurrency_limit_id: limit.id, slots: 1 });
    }
  });
}

/**
 * Takes a slot of the limit on each of the tags, or none. The task run holds them until they are released. Returns the
 * limits in the order of the tags. Throws Locked, without `Retry-After` when the limit is 0 and waiting cannot help.
 */
export async function takeTagSlots(
  context: Context,
  tags: readonly string[],
  taskRunId: string,
): Promise<readonly LimitRow[]> {
  const outcome = await context.transaction(async (tx) => {
    const limits = inOrder(
      (await lockLimits(tx, tags.map(limitNameOfTag))).filter((limit) => limit.active),
      tags,
    );
    const never = limits.find((limit) => limit.limit === 0);
    if (never) return { never };
    if (limits.length === 0) return { limits };
    const allFull = await takeFromLocked(context, tx, limits, 1, leaseOf(context, taskRunId));
    const full = limits.find(({ id }) => allFull.some((one) => one.id === id));
    return full ? { full } : { limits };
  });
  if (outcome.never) {
    const tag = tagOfLimitName(outcome.never.name);
    throw new Locked(`The concurrency limit on tag "${tag}" is 0 and will deadlock if the task tries to run again.`);
  }
  if (outcome.full) {
    const tag = tagOfLimitName(outcome.full.name);
    throw new Locked(`Concurrency limit for the ${tag} tag has been reached`, RETRY_SECONDS);
  }
  return outcome.limits;
}

/**
 * Releases the task run's slots of the limits on the tags, and the slots it took in the same request. Returns the
 * limits of the tags that have one, in the order of the tags.
 */
export function giveBackTagSlots(
  context: Context,
  tags: readonly string[],
  taskRunId: string,
): Promise<readonly LimitRow[]> {
  const names = tags.map(limitNameOfTag);
  return context.transaction(async (tx) => {
    const held = await heldByTaskRun(tx, taskRunId, names);
    for (const lease of new Set(held.map(({ lease_id }) => lease_id))) await releaseLease(context, tx, lease);
    return inOrder(await lockLimits(tx, names), tags);
  });
}

function leaseOf(context: Context, id: string): ReturnType<typeof newLease> {
  return newLease(context, { durationSeconds: UNTIL_GIVEN_BACK_SECONDS, holder: { type: 'task_run', id } });
}

function inOrder(limits: readonly LimitRow[], tags: readonly string[]): readonly LimitRow[] {
  return [...new Set(tags)]
    .map((tag) => limits.find(({ name }) => name === limitNameOfTag(tag)))
    .filter((limit) => limit !== undefined);
}

async function lockTagLimit(tx: Tx, key: TagLimitKey): Promise<LimitRow> {
  const { id } = await findLimit(tx, key);
  return found(await tx.first(lockLimit, { id }), MISSING);
}

async function findLimit(db: Db, key: TagLimitKey): Promise<LimitRow> {
  const limit = 'id' in key ? db.first(findTagLimit, key) : limits.first(db, { name: limitNameOfTag(key.tag) });
  return found(await limit, MISSING);
}
