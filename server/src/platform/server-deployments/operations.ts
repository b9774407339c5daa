import { NamedConflict, NotFound } from '../../errors.ts';
import { type DeploymentRow, promote } from '../../mcp/hosting/launch/deployments.ts';
import type { OrganizationContext } from '../../platform-context.ts';
import { recordAudit } from '../audit/record.ts';
import { findBuild } from '../server-builds/queries.ts';
import type { ServerRow } from '../servers/queries.ts';
import { findDeployment } from './queries.ts';

/**
 * Puts a build live once its program has been seen to start and to answer; until then, what is live stays. 409
 * `build_not_succeeded`, `already_live`, `does_not_start`.
 */
export async function deployBuild(
  context: OrganizationContext,
  owner: ServerRow,
  buildId: string,
): Promise<DeploymentRow> {
  const { now, caller, server } = context;
  const tried = await context.db.first(findBuild, { server_id: owner.id, id: buildId });
  if (tried?.state === 'succeeded' && tried.launch !== null) {
    const build = { id: buildId, launch: tried.launch, resolved: tried.resolved ?? '{}' };
    const problem = await server.hosting.tryBuild(owner.id, build);
    if (problem !== undefined) throw new NamedConflict('does_not_start', `The build was not deployed. ${problem}`);
  }
  return context.transaction(async (tx) => {
    const build = await tx.first(findBuild, { server_id: owner.id, id: buildId });
    if (!build) throw new NotFound('Build not found.');
    if (build.state !== 'succeeded') {
      throw new NamedConflict(
        'build_not_succeeded',
        `This build is ${build.state}; only one that has succeeded can go live.`,
      );
    }
    const row = await promote(tx, { serverId: owner.id, buildId, actorName: caller.actor.name, now });
    if (!row) throw new NamedConflict('already_live', 'This build is already live.');
    await recordAudit(context, tx, {
      organizationId: owner.organization_id,
      action: 'server.deploy',
      target: { type: 'server', id: owner.id, name: owner.name },
      details: { buildId, deploymentId: row.id },
    });
    tx.afterCommit(() => {
      server.serverChanges.publish(owner.id, 'deployment');
      server.wakeUps.wakeServer('manifests');
    });
    return row;
  });
}

/** Puts the build of an earlier deployment live again, as a deployment of its own. */
export async function rollBack(context: OrganizationContext, owner: ServerRow, id: string): Promise<DeploymentRow> {
  const earlier = await context.db.first(findDeployment, { server_id: owner.id, id });
  if (!earlier) throw new NotFound('Deployment not found.');
  return deployBuild(context, owner, earlier.build_id);
}
