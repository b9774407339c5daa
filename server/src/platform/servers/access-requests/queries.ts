import { sql } from 'kysely';
import { rows } from '../../../database/rows.ts';
import { platformQuery, platformStatement } from '../../../database/statement.ts';
import type { Row } from '../../../database/tables/tables.ts';
import type { OrganizationRole, Role } from '../../../identity/access/access.ts';
import type { AccessRequest } from './schema.ts';

export type AccessRequestRow = Row<'access_request'>;

/** The last request of each person for each server. */
export const accessRequests = rows('access_request');

export const countOpenRequests = platformStatement<
  { organization_id: string; user_id: string },
  { readonly amount: number }
>((query, given) =>
  query
    .selectFrom('access_request')
    .select((eb) => eb.fn.countAll<number>().as('amount'))
    .where('organization_id', '=', given.organization_id)
    .where('user_id', '=', given.user_id)
    .where('state', '=', 'open'),
);

export type ListedRequest = AccessRequestRow & {
  readonly server_slug: string;
  readonly server_name: string;
  readonly user_email: string;
};

/** A request of the organization, with its names. */
export const findListedRequest = platformStatement<{ organization_id: string; id: string }, ListedRequest>(
  (query, given) =>
    query
      .selectFrom('access_request')
      .innerJoin('mcp_server', 'mcp_server.id', 'access_request.server_id')
      .innerJoin('user_account', 'user_account.id', 'access_request.user_id')
      .selectAll('access_request')
      .select(['mcp_server.slug as server_slug', 'mcp_server.name as server_name', 'user_account.email as user_email'])
      .where('access_request.organization_id', '=', given.organization_id)
      .where('access_request.id', '=', given.id) as never,
);

interface RequestScope {
  readonly organization_id: string;
  readonly organization_role: OrganizationRole;
  readonly actor_id: string;
  /** True for the actor's own requests; false for those to servers that the actor administers. */
  readonly own: boolean;
  readonly server_id: string | undefined;
  readonly state: string | undefined;
  readonly cursor: string;
  readonly limit: number;
}

/** Newest first, before `cursor`. */
export const listAccessRequests = platformQuery<RequestScope, ListedRequest>((_query, given) => {
  const administers =
    given.organization_role === 'admin'
      ? sql`1 = 1`
      : sql`coalesce(resource_grant.role, mcp_server.default_role) = 'admin'`;
  return sql`select access_request.*, mcp_server.slug as server_slug, mcp_server.name as server_name,
      user_account.email as user_email
    from access_request
    join mcp_server on mcp_server.id = access_request.server_id
    join user_account on user_account.id = access_request.user_id
    left join resource_grant on resource_grant.resource_id = access_request.server_id
      and resource_grant.actor_id = ${given.actor_id}
    where access_request.organization_id = ${given.organization_id}
      and access_request.id < ${given.cursor}
      and ${given.own ? sql`access_request.user_id = ${given.actor_id}` : administers}
      ${given.server_id === undefined ? sql`` : sql`and access_request.server_id = ${given.server_id}`}
      ${given.state === undefined ? sql`` : sql`and access_request.state = ${given.state}`}
    order by access_request.id desc
    limit ${given.limit}`;
});

export function accessRequestOf(row: ListedRequest): AccessRequest {
  return {
    id: row.id,
    createdAt: row.created,
    server: { id: row.server_id, slug: row.server_slug, name: row.server_name },
    userId: row.user_id,
    userName: row.user_email,
    reason: row.reason,
    state: row.state as AccessRequest['state'],
    role: row.role as Role | null,
    answer: row.answer,
    decidedAt: row.decided_at,
    decidedBy: row.decided_by,
  };
}
