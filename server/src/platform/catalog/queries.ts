import { sql } from 'kysely';
import { platformQuery } from '../../database/statement.ts';
import type { Row } from '../../database/tables/tables.ts';
import type { OrganizationRole, Role } from '../../identity/access/access.ts';

/** A server without its manifest, which may be long. */
export type CatalogRow = Pick<
  Row<'mcp_server'>,
  'id' | 'slug' | 'name' | 'description' | 'kind' | 'default_role' | 'authentication'
> & { readonly granted_role: Role | null; readonly request_state: string | null };

interface CatalogScope {
  readonly organization_id: string;
  readonly organization_role: OrganizationRole;
  readonly actor_id: string;
  readonly kind: string | undefined;
  /** A part of the name, the slug or the description. */
  readonly text: string;
  readonly cursor: string;
  readonly limit: number;
}

/** The servers that the actor has a role in, and those that are discoverable; by id, past `cursor`. */
export const listCatalog = platformQuery<CatalogScope, CatalogRow>((_query, given, dialect) => {
  const isSeen =
    given.organization_role === 'admin'
      ? sql`1 = 1`
      : sql`(resource_grant.role is not null or mcp_server.default_role is not null
          or mcp_server.visibility = 'discoverable')`;
  const searched = sql`mcp_server.name || ' ' || mcp_server.slug || ' ' || mcp_server.description`;
  return sql`select mcp_server.id, mcp_server.slug, mcp_server.name, mcp_server.description, mcp_server.kind,
      mcp_server.default_role, mcp_server.authentication, resource_grant.role as granted_role,
      access_request.state as request_state
    from mcp_server
    left join resource_grant on resource_grant.resource_id = mcp_server.id
      and resource_grant.actor_id = ${given.actor_id}
    left join access_request on access_request.server_id = mcp_server.id
      and access_request.user_id = ${given.actor_id}
    where mcp_server.organization_id = ${given.organization_id}
      and mcp_server.id > ${given.cursor}
      and ${isSeen}
      and ${dialect.containsLiterally(searched, given.text)}
      ${given.kind === undefined ? sql`` : sql`and mcp_server.kind = ${given.kind}`}
    order by mcp_server.id
    limit ${given.limit}`;
});
