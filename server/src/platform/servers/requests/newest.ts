/** Limits how many records one request reads: a busy day has millions of them, and no index answers a condition. */
import { sql } from 'kysely';
import { platformQuery } from '../../../database/statement.ts';
import type { PlatformDb } from '../../../database/store.ts';
import type { Timestamp } from '../../../values/time.ts';
import { conditionOf } from './filter.ts';
import type { RequestFilter } from './schema.ts';

/** Records of one server that are counted by several properties, in 0.1 s. */
export const MOST_COUNTED = 10_000;
/** Records of one server that are compared with conditions, in 0.1 s. */
export const MOST_SEARCHED = 20_000;
/** Several servers have together as many as this number of servers: some are busy, and most are not. */
const BUSY_SERVERS = 4;

interface Span {
  readonly server_ids: readonly string[];
  readonly filter: Pick<RequestFilter, 'since' | 'until'>;
  /** The end of the span, if it is before `until`. */
  readonly cursor: string;
  /** Records of one server. */
  readonly most: number;
}

/**
 * The time from which on no server has more than `most` records, less for many servers; undefined if none has more in
 * the span.
 */
export async function endOfNewest(db: PlatformDb, span: Span): Promise<Timestamp | undefined> {
  if (span.server_ids.length === 0) return undefined;
  const share = Math.min(1, BUSY_SERVERS / span.server_ids.length);
  return (await db.first(findEnd, { ...span, most: Math.ceil(span.most * share) }))?.occurred;
}

const findEnd = platformQuery<Span, { occurred: Timestamp }>(
  (_query, { server_ids, filter: { since, until }, cursor, most }, dialect) => {
    const ends = server_ids.map(
      (server_id) => sql`select * from (select id, occurred from mcp_request
        where ${conditionOf(dialect, { server_id }, { since, until })} and id < ${cursor}
        order by id desc limit 1 offset ${sql.lit(most)}) as one`,
    );
    return sql`select occurred from (${sql.join(ends, sql` union all `)}) as ends order by id desc limit 1`;
  },
  { readsMuch: true },
);
