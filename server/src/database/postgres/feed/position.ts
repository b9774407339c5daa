/**
 * Reads the rows of a table that were committed since a position. A position is a snapshot of PostgreSQL: it says which
 * transactions had ended. Rows of transactions that were still open then are read once they have committed, whatever
 * was committed meanwhile. Source: https://www.postgresql.org/docs/current/functions-info.html, "Transaction ID and
 * Snapshot Information Functions".
 */

/** Rows of one query. */
export const PAGE_ROWS = 1000;

/** The snapshot of now. */
export const READ_POSITION = 'select pg_current_snapshot()::text as position';

/** Exactly the transactions that the snapshot $1 does not include. */
const LATER =
  '(txid >= pg_snapshot_xmax($1::pg_snapshot) or txid = any(array(select pg_snapshot_xip($1::pg_snapshot))))';

/**
 * The rows of other processes than $2 since the position $1, a page of them, each with the position of this query.
 * Pages after the first one go on after the place ($3, $4) and end at the position $5 of the first.
 */
export function rowsSince(table: string, columns: readonly string[], filter: string): string {
  const names = columns.map((column) => `r."${column}"`).join(', ');
  return `with now as materialized (select pg_current_snapshot()::text as position)
    select now.position, r.place, r.txid::text as txid, ${names} from now left join lateral (
      select ctid::text as place, * from ${table}
        where ${LATER} and origin is not null and origin <> $2 and ${filter}
          and ($3::xid8 is null or (txid, ctid) > ($3::xid8, $4::tid))
          and ($5::pg_snapshot is null or pg_visible_in_snapshot(txid, $5::pg_snapshot))
        order by txid, ctid limit ${PAGE_ROWS}
    ) r on true`;
}
