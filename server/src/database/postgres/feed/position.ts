/**
 * Reads the rows of a table that were committed since a position. A position is a snapshot of PostgreSQL: it says which
 * transactions had ended. Rows of transactions that were still open then are read once they have committed, whatever
 * was committed meanwhile. Source: https://www.postgresql.org/docs/current/functions-info.html, "Transaction ID and
 * Snapshot Information Functions".
 */

/** Rows of one query: an event may have a megabyte. */
export const PAGE_ROWS = 100;

/** The snapshot of now. */
export const READ_POSITION = 'select pg_current_snapshot()::text as since';

/**
 * Rows that came with a dump of another database have numbers of its transactions: they are in the future here, or long
 * past when the numbers come here.
 */
const KEPT = "interval '1 hour'";

/** Exactly the transactions that the snapshot $1 does not include: each condition is a range of the index. */
const LATER = [
  'txid >= greatest(pg_snapshot_xmax($1::pg_snapshot), $3::xid8)',
  'txid = any(array(select pg_snapshot_xip($1::pg_snapshot)))',
];

/**
 * The rows of other processes than $2 since the position $1, a page of them, each with the position of this query.
 * Pages after the first one go on after the place ($3, $4) and end at the position $5 of the first. `stored` is the
 * column with the time at which a row was stored. A place is a partition with the place of the row in it.
 */
export function rowsSince(table: string, stored: string, columns: readonly string[], filter: string): string {
  const names = columns.map((column) => `r."${column}"`).join(', ');
  const later = LATER.map(
    (condition) => `select tableoid, ctid, * from ${table}
      where ${condition} and origin is not null and origin <> $2 and ${filter}
        and pg_visible_in_snapshot(txid, coalesce($5::pg_snapshot, now.position::pg_snapshot))
        and ${stored} > now() - ${KEPT}`,
  );
  return `with now as materialized (select pg_current_snapshot()::text as position)
    select now.position, r.place, r.txid::text as txid, ${names} from now left join lateral (
      select found.tableoid || ' ' || found.ctid as place, * from (${later.join(' union all ')}) found
        where $3::xid8 is null or (txid, found.tableoid, found.ctid)
          > ($3::xid8, split_part($4, ' ', 1)::oid, split_part($4, ' ', 2)::tid)
        order by txid, found.tableoid, found.ctid limit ${PAGE_ROWS}
    ) r on true`;
}
