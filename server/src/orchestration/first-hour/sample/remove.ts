/**
 * Removes exactly what the sample brought, also after others changed it. Nothing of others is deleted: while something
 * of theirs depends on the sample, the request is refused.
 */

import { readAgainFrame } from '../../../changes/live-frame.ts';
import { type Context, within } from '../../../context/context.ts';
import { Conflict, found } from '../../../errors.ts';
import { deleteAutomation } from '../../automations/operations.ts';
import { automations } from '../../automations/queries.ts';
import { deleteDeployment } from '../../deployments/operations.ts';
import { hideFlows } from '../../flows/operations.ts';
import { removeFlow } from '../../flows/remove.ts';
import { deployments } from '../../lookups/deployments.ts';
import { workPools } from '../../lookups/work-pools.ts';
import { emptyFlowRuns } from '../../runs/removal.ts';
import { deleteWorkPool } from '../../work/pools/operations.ts';
import { dependentsOf } from './dependents.ts';
import { findSample, unmarkSample } from './mark.ts';

const MISSING = 'This workspace has no sample.';

/** Throws NotFound without a sample, and Conflict while something of others depends on it. */
export async function removeSample(context: Context): Promise<void> {
  const mark = await context.transaction(async (tx) => {
    const known = found(await findSample(tx), MISSING);
    const inTx = within(context, tx);
    if (await automations.first(tx, { id: known.automation })) await deleteAutomation(inTx, known.automation);
    // From here on, a request that refers to a deployment or to the pool waits, and then finds neither.
    for (const id of known.deployments) await tx.lock('deployment', id);
    await tx.lock('work_pool', known.work_pool);
    const dependents = await dependentsOf(tx, known, context.now);
    if (dependents.length > 0) throw new Conflict(refusal(dependents));
    for (const id of known.deployments) {
      if (await deployments.first(tx, { id })) await deleteDeployment(inTx, id);
    }
    await hideFlows(inTx, known.flows);
    const pool = await workPools.first(tx, { id: known.work_pool });
    if (pool) await deleteWorkPool(inTx, pool.name);
    await unmarkSample(tx);
    return known;
  });
  // If this ends early, the retention service removes the rest of the flows, and the logs without a run.
  await emptyFlowRuns(context, mark.flow_runs);
  for (const id of mark.flows) await removeFlow(context, id);
  context.server.hub.tell('changes', context.workspace, readAgainFrame);
}

function refusal(dependents: readonly string[]): string {
  return `The sample cannot be removed while something else depends on it: ${dependents.join(', ')}. Delete or move that first.`;
}
