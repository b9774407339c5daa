import { sql } from 'kysely';
import { platformQuery, platformStatement } from '../../database/statement.ts';
import type { Row } from '../../database/tables.ts';
import { conditionOf, outcome } from './filter.ts';
import type { Outcome, RequestFilter } from './schema.ts';

export type RequestRow = Row<'mcp_request'> & { readonly outcome: Outcome };

interface PageOfRequests extends RequestFilter {
  readonly server_id: string;
  /** Id before which the page begins. */
  readonly cursor: string;
  readonly limit: number;
}

/** Newest first, walked in the key of the table. */
export const listRequests = platformQuery<PageOfRequests, RequestRow>(
  (_query, given, dialect) =>
    sql`select mcp_request.*, ${outcome} as outcome from mcp_request
      where ${conditionOf(dialect, given, given)} and id < ${given.cursor} order by id desc limit ${given.limit}`,
);

export const findRequest = platformStatement<{ server_id: string; id: string }, RequestRow>(
  (_query, given) =>
    sql`select mcp_request.*, ${outcome} as outcome from mcp_request
      where server_id = ${given.server_id} and id = ${given.id}`,
);
