import type { Context } from '../../context/context.ts';
import type { Tx } from '../../database/store.ts';
import type { Timestamp } from '../../values/time.ts';
import { recordDeploymentEvent } from '../deployments/events.ts';
import { listUnready, markPolled } from '../deployments/queries.ts';
import { listFlowRuns } from '../runs/flow-runs/list-queries.ts';
import type { FlowRunWithState } from '../runs/rows/flow-runs.ts';

/**
 * The waiting runs of these deployments, the next one first; with `before`, those due until then. The caller is about
 * to start them, so the deployments become ready. Ids without a deployment are ignored. Source: `POST
 * /deployments/get_scheduled_flow_runs` of the Prefect server 3.9.1, which a served flow polls.
 */
export async function pollScheduledRuns(
  context: Context,
  ids: readonly string[],
  before: Timestamp | undefined,
  limit: number,
): Promise<FlowRunWithState[]> {
  const flow_runs = {
    deployment_id: { any_: ids },
    state: { type: { any_: ['SCHEDULED'] } },
    ...(before === undefined ? {} : { next_scheduled_start_time: { before_: before } }),
  };
  const runs = await listFlowRuns(
    context.db,
    { flow_runs },
    { sort: 'NEXT_SCHEDULED_START_TIME_ASC', limit, offset: 0 },
  );
  if (ids.length > 0) await context.transaction((tx) => markDeploymentsPolled(context, tx, ids));
  return runs;
}

/** Makes these deployments ready: a runner polls for their runs. */
export async function markDeploymentsPolled(context: Context, tx: Tx, ids: readonly string[]): Promise<void> {
  for (const deployment of await listUnready(tx, ids)) await recordDeploymentEvent(context, tx, deployment, 'ready');
  await markPolled(tx, ids, context.now);
}
