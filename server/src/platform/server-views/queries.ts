import { sql } from 'kysely';
import { platformQuery } from '../../database/statement.ts';
import type { DeploymentRow } from '../../mcp/hosting/launch/deployments.ts';

export const listLiveDeployments = platformQuery<{ server_ids: readonly string[] }, DeploymentRow>(
  (_query, { server_ids }, dialect) =>
    sql`select * from server_deployment
      where ${dialect.oneOf(sql`server_id`, server_ids, 'uuid')} and status = 'live'`,
);

/** Actors with the granted role `admin`, by name. */
export const listOwners = platformQuery<
  { server_ids: readonly string[] },
  { readonly server_id: string; readonly name: string | null }
>(
  (_query, { server_ids }, dialect) =>
    sql`select resource_grant.resource_id as server_id, coalesce(user_account.email, service_account.name) as name
      from resource_grant
      left join user_account on user_account.id = resource_grant.actor_id
      left join service_account on service_account.id = resource_grant.actor_id
      where ${dialect.oneOf(sql`resource_grant.resource_id`, server_ids, 'uuid')} and resource_grant.role = 'admin'
      order by 2`,
);
