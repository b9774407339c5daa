/**
 * Lowers stored times that a clock wrote while it was ahead: they would block others for as long as the clock was
 * wrong.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Timestamp } from '../../values/time.ts';
import { platformQuery } from '../statement.ts';
import type { PlatformDb, Store } from '../store.ts';
import type { TableName, Tables } from '../tables/tables.ts';

/** A time that is stored in `column`, and the latest that it can be. */
export interface LatestTime<Table extends TableName = TableName> {
  readonly table: Table;
  readonly column: keyof Tables[Table] & string;
  /**
   * Seconds from now. A time with `since` is too late when the column `since` is in the future; both are then moved back
   * together.
   */
  readonly latest: { readonly seconds: number } | { readonly since: keyof Tables[Table] & string };
  /** A further condition on the row, for times that may be far ahead. */
  readonly where?: (now: Timestamp) => RawBuilder<boolean>;
}

interface Bounds {
  readonly now: Timestamp;
  /** The latest value that the time can have, or `now` if the row decides it. */
  readonly until: Timestamp;
  /** A time is lowered when it is later than this. */
  readonly late: Timestamp;
}

type Given = Bounds & { readonly time: LatestTime };

const findAhead = platformQuery<Given, unknown>(
  (_query, given) => sql`select 1 as found from ${sql.table(given.time.table)} where ${isAhead(given)} limit 1`,
  { readsMuch: true },
);

const lower = platformQuery<Given, unknown>((_query, given, dialect) => {
  const { table, column, latest } = given.time;
  const now = dialect.typed(given.now, 'timestamp');
  const changes =
    'since' in latest
      ? sql`${sql.ref(column)} = ${dialect.shifted(sql.ref(column), sql.ref(latest.since), now)}, ${sql.ref(latest.since)} = ${now}`
      : sql`${sql.ref(column)} = ${given.until}`;
  return sql`update ${sql.table(table)} set ${changes} where ${isAhead(given)}`;
});

function isAhead({ time, now, late }: Given): RawBuilder<boolean> {
  const column = 'since' in time.latest ? time.latest.since : time.column;
  const isLate = sql<boolean>`${sql.ref(column)} > ${late}`;
  return time.where ? sql`${isLate} and ${time.where(now)}` : isLate;
}

/** Lowers `time` in all rows of all workspaces in which it is later than it can be. Only reads if there are none. */
export async function lowerTime(store: Store, time: LatestTime, bounds: Bounds): Promise<void> {
  const given = { ...bounds, time };
  const db: PlatformDb = store.platform.reads();
  if (await db.first(findAhead, given)) await store.platform.transaction((tx) => tx.run(lower, given));
}
