import { type RawBuilder, sql } from 'kysely';
import type { Builder, SqlDialect } from '../../../database/dialect/dialect.ts';
import type { Position } from '../../../database/rows.ts';
import { platformQuery, platformStatement, type Query } from '../../../database/statement.ts';
import type { PlatformDb } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import { failureOf } from '../../../mcp/gateway/arrive/failures.ts';
import { answerOf } from '../../answer-of.ts';
import { conditionOf } from './filter.ts';
import { outcome } from './outcome.ts';
import { type Outcome, type RequestFilter, ServerRequest } from './schema.ts';

type RequestRow = Row<'mcp_request'> & { readonly outcome: Outcome };

/** The page ends before the id `cursor`. */
type PagePosition = Pick<Position, 'cursor' | 'limit'>;
type PageOfRequests = RequestFilter & PagePosition & { readonly server_id: string };

const selectRequests = (_query: Builder, given: PageOfRequests, dialect: SqlDialect): Query<RequestRow> =>
  sql`select mcp_request.*, ${outcome} as outcome from mcp_request
    where ${conditionOf(dialect, given, given)} and id < ${given.cursor} order by id desc limit ${given.limit}`;

/** Newest first. It walks the key of the table for the length of the page. */
const walkRequests = platformQuery(selectRequests);
/** Like `walkRequests`, for a filter that few records may match: the search may read a million others. */
const searchRequests = platformQuery(selectRequests, { readsMuch: true });

export function listRequests(
  db: PlatformDb,
  server_id: string,
  filter: RequestFilter,
  position: PagePosition,
): Promise<RequestRow[]> {
  const { since, until, errors, ...narrower } = filter;
  const isNarrow = errors || Object.values(narrower).some((value) => value !== undefined);
  return db.all(isNarrow ? searchRequests : walkRequests, { server_id, ...filter, ...position });
}

type PageOfSeveral = RequestFilter & PagePosition & { readonly server_ids: readonly string[] };

/** Reads a page of each server, so that each is read along the key of the table for the length of the page. */
const selectOfSeveral = (query: Builder, { server_ids, ...given }: PageOfSeveral, dialect: SqlDialect) => {
  const parts = server_ids.map((server_id) => {
    const part = selectRequests(query, { ...given, server_id }, dialect) as RawBuilder<RequestRow>;
    return sql`select * from (${part}) as part`;
  });
  return sql<RequestRow>`select * from (${sql.join(parts, sql` union all `)}) as merged
    order by id desc limit ${given.limit}`;
};

const searchRequestsOfSeveral = platformQuery(selectOfSeveral, { readsMuch: true });

/** The requests of several servers. */
export async function listRequestsOfServers(
  db: PlatformDb,
  server_ids: readonly string[],
  filter: RequestFilter,
  position: PagePosition,
): Promise<RequestRow[]> {
  return server_ids.length === 0 ? [] : db.all(searchRequestsOfSeveral, { server_ids, ...filter, ...position });
}

export const findRequest = platformStatement<{ server_id: string; id: string }, RequestRow>(
  (_query, given) =>
    sql`select mcp_request.*, ${outcome} as outcome from mcp_request
      where server_id = ${given.server_id} and id = ${given.id}`,
);

const answer = answerOf(ServerRequest, { sessionId: 'session' });

export function requestOf(row: RequestRow): ServerRequest {
  return answer({ ...row, failure: row.failure === null ? null : failureOf(row.failure, row.failure_text) });
}
