/** Actions that change our own database. Each is part of the transaction that records its outcome. */
import type { Context } from '../../../context/context.ts';
import type { Tx } from '../../../database/store.ts';
import { setPaused } from '../../deployments/operations.ts';
import { workPools } from '../../lookups/work-pools.ts';
import { updateWorkPool } from '../../work/pools/operations.ts';
import { updateQueue } from '../../work/queues/queues.ts';
import { enableAutomationIn } from '../operations.ts';
import { chosenId, type Kind, kinds } from './chosen.ts';
import {
  cancelFlowRun,
  changeFlowRunState,
  deleteFlowRun,
  resumePausedFlowRun,
  suspendFlowRun,
} from './flow-run-effects.ts';
import type { Invocation } from './invocation.ts';
import { type Outcome, target } from './outcome.ts';
import { runDeployment } from './run-deployment.ts';

/**
 * Performs an action. `context` belongs to the transaction: an operation that opens a transaction joins this one. An
 * ApiError is a refusal, and the caller must undo the effect.
 */
type Effect = (context: Context, tx: Tx, invocation: Invocation) => Promise<Outcome>;

/** An effect on a chosen object, with the status of the reference's answer. */
function onChosen(
  kind: Kind,
  status_code: number,
  change: (context: Context, tx: Tx, id: string) => Promise<unknown>,
): Effect {
  return async (context, tx, invocation) => {
    const id = chosenId(invocation, kind);
    if (typeof id !== 'string') return { ...id, related: [] };
    await change(context, tx, id);
    return { related: [target(kinds[kind].resource, id)], details: { status_code } };
  };
}

function pauseDeployment(paused: boolean): Effect {
  return onChosen('deployment', 200, (context, _tx, id) => setPaused(context, id, paused));
}

function pauseQueue(is_paused: boolean): Effect {
  return onChosen('work_queue', 204, (context, _tx, id) =>
    updateQueue(context, id, { is_paused }, `Work Queue ${id} not found`, true),
  );
}

function enable(enabled: boolean): Effect {
  return onChosen('automation', 204, (context, tx, id) => enableAutomationIn(context, tx, id, enabled));
}

function pausePool(is_paused: boolean): Effect {
  return async (context, tx, invocation) => {
    const id = chosenId(invocation, 'work_pool');
    if (typeof id !== 'string') return { ...id, related: [] };
    const pool = await workPools.first(tx, { id });
    if (!pool) return { reason: `Work pool ${id} not found`, related: [] };
    await updateWorkPool(context, pool.name, { is_paused });
    return { related: [target('work-pool', id, pool.name)], details: { status_code: 204 } };
  };
}

export const effects: ReadonlyMap<string, Effect> = new Map<string, Effect>([
  ['do-nothing', async () => ({ related: [] })],
  ['run-deployment', runDeployment],
  ['pause-deployment', pauseDeployment(true)],
  ['resume-deployment', pauseDeployment(false)],
  ['pause-work-pool', pausePool(true)],
  ['resume-work-pool', pausePool(false)],
  ['pause-work-queue', pauseQueue(true)],
  ['resume-work-queue', pauseQueue(false)],
  ['pause-automation', enable(false)],
  ['resume-automation', enable(true)],
  ['cancel-flow-run', cancelFlowRun],
  ['change-flow-run-state', changeFlowRunState],
  ['suspend-flow-run', suspendFlowRun],
  ['resume-flow-run', resumePausedFlowRun],
  ['delete-flow-run', deleteFlowRun],
]);
