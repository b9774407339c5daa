import { sql } from 'kysely';
import { platformQuery } from '../../../database/statement.ts';
import type { DeploymentRow } from '../../../mcp/hosting/launch/deployments.ts';

export const listLiveDeployments = platformQuery<{ server_ids: readonly string[] }, DeploymentRow>(
  (_query, { server_ids }, dialect) =>
    sql`select * from server_deployment
      where ${dialect.oneOf(sql`server_id`, server_ids, 'uuid')} and status = 'live'`,
);
