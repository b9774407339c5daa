import { sql } from 'kysely';
import { rows } from '../../../database/rows.ts';
import { rowOf, statement } from '../../../database/statement.ts';
import type { Db, Tx } from '../../../database/store.ts';
import type { NewRow, Row } from '../../../database/tables/tables.ts';
import type { Timestamp } from '../../../values/time.ts';

export type LeaseRow = Row<'concurrency_lease'>;
type SlotRow = Row<'concurrency_slot'>;

/** Deleting a lease deletes its slots. */
export const leases = rows('concurrency_lease');
export const slots = rows('concurrency_slot');

export const insertLease = statement<NewRow<'concurrency_lease'>, unknown>((query, given) =>
  query.insertInto('concurrency_lease').values(rowOf('concurrency_lease', given)),
);

const insertUnlessKnown = statement<NewRow<'concurrency_lease'> & { names: string }, unknown>(
  (_query, given, dialect) =>
    sql`insert into concurrency_lease ("workspace", id, created, expires_at, holder_type, holder_id)
      select ${dialect.typed(given.workspace, 'integer')}, ${dialect.typed(given.id, 'uuid')},
        ${dialect.typed(given.created, 'timestamp')}, ${dialect.typed(given.expires_at, 'timestamp')},
        ${dialect.typed(given.holder_type, 'text')}, ${dialect.typed(given.holder_id, 'uuid')}
      where not exists (select 1 from concurrency_limit where concurrency_limit."workspace" = ${given.workspace}
        and name in (select wanted.value from ${dialect.textsFrom(given.names)} wanted))`,
);

export const insertSlots = statement<NewRow<'concurrency_slot'>, unknown>((query, given) =>
  query.insertInto('concurrency_slot').values(rowOf('concurrency_slot', given)),
);

const extend = statement<{ id: string; now: Timestamp; expires_at: Timestamp }, unknown>((query, given) =>
  query
    .updateTable('concurrency_lease')
    .set({ expires_at: given.expires_at })
    .where('workspace', '=', given.workspace)
    .where('id', '=', given.id)
    .where('expires_at', '>', given.now),
);

/**
 * Locks the lease until the transaction ends, so that it is neither renewed nor ended. Undefined when it does not
 * exist.
 */
export const lockLease = statement<{ id: string }, LeaseRow>(
  (_query, given, dialect) =>
    sql<LeaseRow>`select * from concurrency_lease where "workspace" = ${given.workspace} and id = ${given.id}
      ${dialect.forUpdate}`,
);

const deleteExpiredWithoutSlots = statement<{ now: Timestamp; limit: number }, unknown>(
  (_query, given, dialect) =>
    sql`delete from concurrency_lease where "workspace" = ${given.workspace} and ${dialect.isAmong(
      sql`id`,
      sql`select id from concurrency_lease where "workspace" = ${given.workspace} and expires_at <= ${given.now}
        and not exists (select 1 from concurrency_slot slot
          where slot.workspace = concurrency_lease.workspace and slot.lease_id = concurrency_lease.id)
        order by expires_at limit ${given.limit} ${dialect.forUpdateSkipLocked}`,
    )}`,
);

// Skips a lease that another transaction is changing: that transaction may be renewing it.
const deleteExpiredOfLimit = statement<{ concurrency_limit_id: string; now: Timestamp }, unknown>(
  (_query, given, dialect) =>
    sql`delete from concurrency_lease where "workspace" = ${given.workspace} and ${dialect.isAmong(
      sql`id`,
      sql`select id from concurrency_lease where "workspace" = ${given.workspace} and expires_at <= ${given.now}
        and id in (select lease_id from concurrency_slot where "workspace" = ${given.workspace}
          and concurrency_limit_id = ${given.concurrency_limit_id})
        ${dialect.forUpdateSkipLocked}`,
    )}`,
);

const heldOfLimit = statement<{ concurrency_limit_id: string }, { slots: number }>(
  (_query, given) =>
    sql<{ slots: number }>`select coalesce(sum(slots), 0) as slots from concurrency_slot
      where "workspace" = ${given.workspace} and concurrency_limit_id = ${given.concurrency_limit_id}`,
);

const slotsOldestFirst = statement<{ concurrency_limit_id: string; now: Timestamp; limit: number }, SlotRow>(
  (_query, given) =>
    sql<SlotRow>`select slot.* from concurrency_slot slot
      join concurrency_lease lease on lease.workspace = slot.workspace and lease.id = slot.lease_id
      where slot."workspace" = ${given.workspace} and slot.concurrency_limit_id = ${given.concurrency_limit_id}
        and lease.expires_at > ${given.now}
      order by lease.created, lease.id limit ${given.limit}`,
);

const liveOfFlowRun = statement<{ flow_run_id: string; now: Timestamp }, { id: string }>((query, given) =>
  query
    .selectFrom('concurrency_lease')
    .select('id')
    .where('workspace', '=', given.workspace)
    .where('flow_run_id', '=', given.flow_run_id)
    .where('expires_at', '>', given.now)
    .orderBy('created', 'desc'),
);

const allOfFlowRun = statement<{ flow_run_id: string }, { id: string }>((query, given) =>
  query
    .selectFrom('concurrency_lease')
    .select('id')
    .where('workspace', '=', given.workspace)
    .where('flow_run_id', '=', given.flow_run_id),
);

const ofHolder = statement<{ holder_id: string; names: string }, HeldLimit>(
  (_query, given, dialect) =>
    sql<HeldLimit>`select lease.id as lease_id, slot.concurrency_limit_id, lease.expires_at
      from concurrency_lease lease
      join concurrency_slot slot on slot.workspace = lease.workspace and slot.lease_id = lease.id
      join concurrency_limit held on held.workspace = slot.workspace and held.id = slot.concurrency_limit_id
      where lease."workspace" = ${given.workspace} and lease.holder_id = ${given.holder_id}
        and lease.holder_type = 'task_run'
        and held.name in (select wanted.value from ${dialect.textsFrom(given.names)} wanted)`,
);

const expiredWithSlots = statement<{ now: Timestamp; limit: number }, { id: string }>(
  (_query, given) =>
    sql<{ id: string }>`select id from concurrency_lease where "workspace" = ${given.workspace}
      and expires_at <= ${given.now} and exists (select 1 from concurrency_slot slot
        where slot.workspace = concurrency_lease.workspace and slot.lease_id = concurrency_lease.id)
      order by expires_at limit ${given.limit}`,
);

/** A limit of which a task run holds a slot, by a lease that may have expired. */
interface HeldLimit {
  readonly lease_id: string;
  readonly concurrency_limit_id: string;
  readonly expires_at: Timestamp;
}

/** The lease that the server took for a flow run and that has not expired by `now`. */
export async function liveLeaseOfFlowRun(tx: Tx, flow_run_id: string, now: Timestamp): Promise<string | undefined> {
  return (await tx.first(liveOfFlowRun, { flow_run_id, now }))?.id;
}

/** All leases that the server took for a flow run, including expired ones. */
export async function leasesOfFlowRun(tx: Tx, flow_run_id: string): Promise<string[]> {
  return (await tx.all(allOfFlowRun, { flow_run_id })).map(({ id }) => id);
}

/** The slots of the named limits that a task run holds, taken by the client or by the server. */
export function heldByTaskRun(tx: Tx, taskRunId: string, names: readonly string[]): Promise<HeldLimit[]> {
  return tx.all(ofHolder, { holder_id: taskRunId, names: JSON.stringify(names) });
}

/** Up to `limit` leases that hold slots and have expired by `now`, oldest first. */
export async function listExpiredLeases(db: Db, now: Timestamp, limit: number): Promise<string[]> {
  return (await db.all(expiredWithSlots, { now, limit })).map(({ id }) => id);
}

/** Inserts the lease when no limit has one of the names. Otherwise does nothing and returns false. */
export async function insertLeaseUnlessKnown(
  tx: Tx,
  lease: NewRow<'concurrency_lease'>,
  names: readonly string[],
): Promise<boolean> {
  return (await tx.run(insertUnlessKnown, { ...lease, names: JSON.stringify(names) })) > 0;
}

/** False when the lease does not exist or has expired by `now`. */
export async function extendLease(tx: Tx, id: string, now: Timestamp, expires_at: Timestamp): Promise<boolean> {
  return (await tx.run(extend, { id, now, expires_at })) > 0;
}

/**
 * Deletes up to `limit` leases that have expired by `now` and hold no slots, and returns how many. Expired leases with
 * slots stay: deleting slots requires a lock on their limit, which the next request for the limit takes.
 */
export function deleteEmptyLeases(tx: Tx, now: Timestamp, limit: number): Promise<number> {
  return tx.run(deleteExpiredWithoutSlots, { now, limit });
}

/**
 * The slots of a locked limit that leases hold, after deleting those that have expired by `now`. Every remaining lease
 * counts, even an expired one that is being renewed, so no slot is granted twice.
 */
export async function countLeasedSlots(tx: Tx, concurrency_limit_id: string, now: Timestamp): Promise<number> {
  // The database receives both at once and runs them in order.
  const [, held] = await Promise.all([
    tx.run(deleteExpiredOfLimit, { concurrency_limit_id, now }),
    tx.first(heldOfLimit, { concurrency_limit_id }),
  ]);
  return held?.slots ?? 0;
}

/** Removes up to `count` slots of a locked limit from live leases, the oldest first. The leases stay. */
export async function takeFromLeases(
  tx: Tx,
  concurrency_limit_id: string,
  now: Timestamp,
  count: number,
): Promise<void> {
  let left = count;
  for (const slot of await tx.all(slotsOldestFirst, { concurrency_limit_id, now, limit: count })) {
    if (left <= 0) return;
    const key = { lease_id: slot.lease_id, concurrency_limit_id };
    if (slot.slots <= left) await slots.removeAll(tx, key);
    else await slots.changeAll(tx, key, { slots: slot.slots - left });
    left -= slot.slots;
  }
}
