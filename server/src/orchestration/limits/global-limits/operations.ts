import type { Context } from '../../../context/context.ts';
import type { Tx } from '../../../database/store.ts';
import { found, IntegrityConflict } from '../../../errors.ts';
import { type Change, recordChange } from '../../../events/record-change.ts';
import { newId } from '../../../values/id.ts';
import { floatText, type JsonText } from '../../../values/json.ts';
import { countLeasedSlots, takeFromLeases } from './lease-queries.ts';
import { type LimitInUse, type LimitKey, type LimitRow, limits, lockLimit, updateLimitRow } from './queries.ts';
import { type ConcurrencyLimitV2Create, type ConcurrencyLimitV2Update, DEFAULT_OCCUPANCY_SECONDS } from './schema.ts';
import { settle } from './slots.ts';

export const MISSING = 'Concurrency Limit not found';

/** Throws IntegrityConflict when the name is taken. */
export function createLimit(context: Context, input: ConcurrencyLimitV2Create): Promise<LimitInUse> {
  const { active_slots, ...given } = input;
  return context.transaction(async (tx) => {
    const limit = await limits.insertUnlessThere(tx, {
      ...given,
      id: newId(),
      created: context.now,
      updated: context.now,
      avg_slot_occupancy_seconds: DEFAULT_OCCUPANCY_SECONDS,
      unleased_slots: active_slots,
    });
    if (!limit) throw new IntegrityConflict();
    await recordLimitEvent(context, tx, 'created', limit);
    return { ...limit, leased_slots: 0 };
  });
}

/**
 * Changes the given fields. `active_slots` sets the number of slots in use; when leases hold more, the oldest leases
 * lose theirs. Throws NotFound, and IntegrityConflict when the new name is taken or a field is null.
 */
export function updateLimit(context: Context, key: LimitKey, input: ConcurrencyLimitV2Update): Promise<void> {
  const { active_slots, ...given } = input;
  return context.transaction(async (tx) => {
    const { id } = found(await limits.first(tx, key), MISSING);
    const limit = found(await tx.first(lockLimit, { id }), MISSING);
    if (Object.values(input).includes(null)) throw new IntegrityConflict();
    const settled = await settle(context, tx, limit);
    const changed = { ...settled, ...(given as Partial<LimitRow>) };
    if (typeof active_slots === 'number') {
      const leased = await countLeasedSlots(tx, limit.id, context.now);
      if (leased > active_slots) await takeFromLeases(tx, limit.id, context.now, leased - active_slots);
      changed.unleased_slots = Math.max(0, active_slots - leased);
    }
    await tx.run(updateLimitRow, changed);
    await recordLimitEvent(context, tx, 'updated', changed);
  });
}

/** Deletes the limit. Leases that held its slots can still be renewed and ended. Throws NotFound. */
export function deleteLimit(context: Context, key: LimitKey): Promise<void> {
  return context.transaction(async (tx) => {
    await recordLimitEvent(context, tx, 'deleted', found(await limits.remove(tx, key), MISSING));
  });
}

/** Records the event of a created, changed or deleted limit, in the same transaction. */
export function recordLimitEvent(context: Context, tx: Tx, change: Change, row: LimitRow): Promise<void> {
  const { name, limit, active, slot_decay_per_second: decay } = row;
  const payload = `{"name":${JSON.stringify(name)},"limit":${limit},"active":${active},"slot_decay_per_second":${floatText(decay)}}`;
  return recordChange(context, tx, 'concurrency-limit', change, row, payload as JsonText);
}
