import { rows } from '../../database/rows.ts';
import { platformStatement } from '../../database/statement.ts';
import type { Row } from '../../database/tables/tables.ts';
import type { Timestamp } from '../../values/time.ts';

export type ConnectionRow = Row<'oauth_connection'>;

export const connections = rows('oauth_connection');

export type ListedConnection = ConnectionRow & {
  readonly server_name: string;
  readonly server_slug: string;
  readonly organization_slug: string;
};

/** The connections of a person, oldest first. */
export const listConnections = platformStatement<
  { user_id: string; now: Timestamp; cursor: string; limit: number },
  ListedConnection
>(
  (query, given) =>
    query
      .selectFrom('oauth_connection')
      .innerJoin('mcp_server', 'mcp_server.id', 'oauth_connection.server_id')
      .innerJoin('organization', 'organization.id', 'oauth_connection.organization_id')
      .selectAll('oauth_connection')
      .select([
        'mcp_server.name as server_name',
        'mcp_server.slug as server_slug',
        'organization.slug as organization_slug',
      ])
      .where('oauth_connection.user_id', '=', given.user_id)
      .where('oauth_connection.expires_at', '>', given.now)
      .where('oauth_connection.id', '>', given.cursor)
      .orderBy('oauth_connection.id')
      .limit(given.limit) as never,
);
