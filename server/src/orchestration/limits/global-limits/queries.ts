import { sql } from 'kysely';
import type { Expression, SqlDialect } from '../../../database/dialect/dialect.ts';
import { rows } from '../../../database/rows.ts';
import { statement } from '../../../database/statement.ts';
import type { Db, Tx } from '../../../database/store.ts';
import type { NewRow, Row } from '../../../database/tables/tables.ts';
import type { Timestamp } from '../../../values/time.ts';

export type LimitRow = Row<'concurrency_limit'>;

/** A limit with the slots that leases hold of it; those without a lease are in `unleased_slots`. */
export type LimitInUse = LimitRow & { readonly leased_slots: number };

/** A limit is identified by its id or its name. */
export type LimitKey = { readonly id: string } | { readonly name: string };

/** The slots of the limit in `id` that live leases hold. */
export function leasedSlots(workspace: Expression, id: Expression, now: Expression) {
  return sql<number>`coalesce((select sum(slot.slots) from concurrency_slot slot
    join concurrency_lease lease on lease.workspace = slot.workspace and lease.id = slot.lease_id
    where slot.workspace = ${workspace} and slot.concurrency_limit_id = ${id} and lease.expires_at > ${now}), 0)`;
}

const inUse = (now: Expression) =>
  sql`concurrency_limit.*, ${leasedSlots(sql`concurrency_limit.workspace`, sql`concurrency_limit.id`, now)} as leased_slots`;

const limitById = statement<{ id: string; now: Timestamp }, LimitInUse>(
  (_query, given) =>
    sql<LimitInUse>`select ${inUse(sql`${given.now}`)} from concurrency_limit
      where concurrency_limit."workspace" = ${given.workspace} and id = ${given.id}`,
);

const limitByName = statement<{ name: string; now: Timestamp }, LimitInUse>(
  (_query, given) =>
    sql<LimitInUse>`select ${inUse(sql`${given.now}`)} from concurrency_limit
      where concurrency_limit."workspace" = ${given.workspace} and name = ${given.name}`,
);

const limitsByName = statement<{ now: Timestamp; limit: number; offset: number }, LimitInUse>(
  (_query, given) =>
    sql<LimitInUse>`select ${inUse(sql`${given.now}`)} from concurrency_limit
      where concurrency_limit."workspace" = ${given.workspace}
      order by name limit ${given.limit} offset ${given.offset}`,
);

/** Deleting a limit deletes its slots; the leases stay. */
export const limits = rows('concurrency_limit');

/** Stores the limit as given. Throws IntegrityConflict when another limit has the name. */
export const updateLimitRow = statement<Omit<NewRow<'concurrency_limit'>, 'created'>, unknown>((query, given) =>
  query
    .updateTable('concurrency_limit')
    .set({
      updated: given.updated,
      name: given.name,
      limit: given.limit,
      active: given.active,
      denied_slots: given.denied_slots,
      slot_decay_per_second: given.slot_decay_per_second,
      avg_slot_occupancy_seconds: given.avg_slot_occupancy_seconds,
      unleased_slots: given.unleased_slots,
    })
    .where('workspace', '=', given.workspace)
    .where('id', '=', given.id),
);

// Locks in the order of ids, so that two transactions that need the same limits cannot deadlock.
function locked(workspace: number, condition: Expression, dialect: SqlDialect) {
  return sql<LimitRow>`select * from concurrency_limit where "workspace" = ${workspace} and ${condition}
    order by id ${dialect.forUpdate}`;
}

/**
 * The limit, locked against other writers until the transaction ends. A later statement reads the slots that leases
 * hold. Undefined when the limit does not exist.
 */
export const lockLimit = statement<{ id: string }, LimitRow>((_query, given, dialect) =>
  locked(given.workspace, sql`id = ${given.id}`, dialect),
);

const lockByNames = statement<{ names: string }, LimitRow>((_query, given, dialect) =>
  locked(given.workspace, sql`name in (select wanted.value from ${dialect.textsFrom(given.names)} wanted)`, dialect),
);

/** Like `lockLimit`, for the limits whose slots a lease holds. */
export const lockLimitsOfLease = statement<{ lease_id: string }, LimitRow>((_query, given, dialect) =>
  locked(
    given.workspace,
    sql`id in (select concurrency_limit_id from concurrency_slot
      where "workspace" = ${given.workspace} and lease_id = ${given.lease_id})`,
    dialect,
  ),
);

export function findLimit(db: Db, key: LimitKey, now: Timestamp): Promise<LimitInUse | undefined> {
  return 'id' in key ? db.first(limitById, { ...key, now }) : db.first(limitByName, { ...key, now });
}

/** Limits sorted by name. */
export function listLimits(
  db: Db,
  now: Timestamp,
  page: { readonly limit: number; readonly offset: number },
): Promise<LimitInUse[]> {
  return db.all(limitsByName, { now, ...page });
}

/** Like `lockLimit`, for several names. Names without a limit are skipped. */
export function lockLimits(tx: Tx, names: readonly string[]): Promise<LimitRow[]> {
  return tx.all(lockByNames, { names: JSON.stringify(names) });
}
