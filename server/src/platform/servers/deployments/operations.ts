import type { OrganizationContext } from '../../../context/platform-context.ts';
import { found, NamedConflict } from '../../../errors.ts';
import { serverBuilds } from '../../../mcp/hosting/builds/queries.ts';
import { type DeploymentRow, promote, serverDeployments } from '../../../mcp/hosting/launch/deployments.ts';
import { MISSING as MISSING_BUILD } from '../builds/operations.ts';
import { audit } from '../server/audit.ts';
import type { ServerRow } from '../server/queries.ts';

/**
 * Deploys a build after its program has started and answered; until then, the current one stays live. 409
 * `build_not_succeeded`, `already_live`, `does_not_start`.
 */
export async function deployBuild(
  context: OrganizationContext,
  owner: ServerRow,
  buildId: string,
): Promise<DeploymentRow> {
  const { now, caller, server } = context;
  const place = { server_id: owner.id, id: buildId };
  const tried = await serverBuilds.first(context.db, place);
  if (tried?.state === 'succeeded' && tried.launch !== null) {
    const build = { id: buildId, launch: tried.launch, resolved: tried.resolved ?? '{}' };
    const problem = await server.hosting.tryBuild(owner.id, build);
    if (problem !== undefined) throw new NamedConflict('does_not_start', `The build was not deployed. ${problem}`);
  }
  return context.transaction(async (tx) => {
    const build = found(await serverBuilds.first(tx, place), MISSING_BUILD);
    if (build.state !== 'succeeded') {
      throw new NamedConflict(
        'build_not_succeeded',
        `This build is ${build.state}; only one that has succeeded can go live.`,
      );
    }
    const row = await promote(tx, { serverId: owner.id, buildId, actorName: caller.actor.name, now });
    if (!row) throw new NamedConflict('already_live', 'This build is already live.');
    await audit(context, tx, 'deploy', owner, { buildId, deploymentId: row.id });
    tx.afterCommit(() => {
      server.hub.tell('servers', owner.id, 'deployment');
      server.hub.tell('work', 'manifests', undefined);
    });
    return row;
  });
}

/** Deploys the build of an earlier deployment again, as a new deployment. */
export async function rollBack(context: OrganizationContext, owner: ServerRow, id: string): Promise<DeploymentRow> {
  const earlier = await serverDeployments.first(context.db, { server_id: owner.id, id });
  return deployBuild(context, owner, found(earlier, 'Deployment not found.').build_id);
}
