import { platformStatement } from '../../database/statement.ts';
import type { DeploymentRow } from '../../mcp/hosting/launch/deployments.ts';
import type { Deployment } from './schema.ts';

export const findDeployment = platformStatement<{ server_id: string; id: string }, DeploymentRow>((query, given) =>
  query.selectFrom('server_deployment').selectAll().where('server_id', '=', given.server_id).where('id', '=', given.id),
);

export const listDeployments = platformStatement<{ server_id: string; cursor: string; limit: number }, DeploymentRow>(
  (query, given) =>
    query
      .selectFrom('server_deployment')
      .selectAll()
      .where('server_id', '=', given.server_id)
      .where('id', '<', given.cursor)
      .orderBy('id', 'desc')
      .limit(given.limit),
);

export function deploymentOf(row: DeploymentRow): Deployment {
  return {
    id: row.id,
    serverId: row.server_id,
    buildId: row.build_id,
    status: row.status as Deployment['status'],
    createdAt: row.created,
    createdBy: row.actor_name,
    endedAt: row.ended,
  };
}
