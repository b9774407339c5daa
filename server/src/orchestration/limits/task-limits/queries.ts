/** Limits on tags are the concurrency limits named `tag:<tag>`. The holder of a lease holds its slots. */
import { sql } from 'kysely';
import type { SqlDialect } from '../../../database/dialect/dialect.ts';
import { statement } from '../../../database/statement.ts';
import type { Db, Tx } from '../../../database/store.ts';
import type { Timestamp } from '../../../values/time.ts';
import type { LimitRow } from '../global-limits/queries.ts';
import { limitNameOfTag } from '../global-limits/tag-slots.ts';

const isOnTag = (dialect: SqlDialect) => dialect.startsWithLiterally(sql`name`, limitNameOfTag(''));

/** Undefined when the limit does not exist or is not on a tag. */
export const findTagLimit = statement<{ id: string }, LimitRow>(
  (_query, given, dialect) =>
    sql<LimitRow>`select * from concurrency_limit where "workspace" = ${given.workspace} and id = ${given.id}
      and ${isOnTag(dialect)}`,
);

/** Sorted by tag. */
export const listTagLimits = statement<{ limit: number; offset: number }, LimitRow>(
  (_query, given, dialect) =>
    sql<LimitRow>`select * from concurrency_limit where "workspace" = ${given.workspace} and ${isOnTag(dialect)}
      order by name limit ${given.limit} offset ${given.offset}`,
);

interface Holder {
  readonly concurrency_limit_id: string;
  readonly task_run_id: string;
}

const holders = statement<{ limits: string; now: Timestamp }, Holder>(
  (_query, given, dialect) =>
    sql<Holder>`select slot.concurrency_limit_id, lease.holder_id as task_run_id from concurrency_slot slot
      join concurrency_lease lease on lease.workspace = slot.workspace and lease.id = slot.lease_id
      where slot."workspace" = ${given.workspace} and lease.holder_type = 'task_run' and lease.expires_at > ${given.now}
        and slot.concurrency_limit_id in
          (select id from ${dialect.rowsFrom(given.limits, { id: 'uuid' })} item)
      order by lease.created, lease.id`,
);

const leasesOnlyOfLimit = statement<{ concurrency_limit_id: string }, { id: string }>(
  (_query, given) =>
    sql<{ id: string }>`select slot.lease_id as id from concurrency_slot slot
      where slot."workspace" = ${given.workspace} and slot.concurrency_limit_id = ${given.concurrency_limit_id}
        and not exists (select 1 from concurrency_slot other where other.workspace = slot.workspace
          and other.lease_id = slot.lease_id and other.concurrency_limit_id <> slot.concurrency_limit_id)`,
);

/** The task runs that hold slots of the limits, by the limit's id, in the order in which they took them. */
export async function holdersOf(
  db: Db,
  limits: readonly LimitRow[],
  now: Timestamp,
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (limits.length === 0) return new Map();
  const ids = JSON.stringify(limits.map(({ id }) => ({ id })));
  const rows = await db.all(holders, { limits: ids, now });
  return new Map(
    [...Map.groupBy(rows, (row) => row.concurrency_limit_id)].map(([id, held]) => [
      id,
      held.map(({ task_run_id }) => task_run_id),
    ]),
  );
}

/** The leases that hold slots of this limit only. */
export async function leasesOfLimitAlone(tx: Tx, concurrency_limit_id: string): Promise<string[]> {
  return (await tx.all(leasesOnlyOfLimit, { concurrency_limit_id })).map(({ id }) => id);
}
