/** Actions whose effect is in our own database. Each is a part of the transaction that tells of its outcome. */
import type { Context } from '../../../context.ts';
import type { Tx } from '../../../database/store.ts';
import { setPaused } from '../../deployments/operations.ts';
import { updateWorkPool } from '../../work-pools/operations.ts';
import { findWorkPoolById } from '../../work-pools/lookups.ts';
import { updateQueue } from '../../work-pools/queues.ts';
import { enableAutomationIn } from '../operations.ts';
import {
  cancelFlowRun,
  changeFlowRunState,
  deleteFlowRun,
  resumePausedFlowRun,
  suspendFlowRun,
} from './flow-run-effects.ts';
import { firstOfKind, type Invocation } from './invocation.ts';
import { type Outcome, target } from './outcome.ts';
import { runDeployment } from './run-deployment.ts';

/**
 * Carries an action out. `context` is the transaction's: what an operation does in a transaction of its own happens in
 * this one. An ApiError is a refusal, and nothing of the effect may remain.
 */
export type Effect = (context: Context, tx: Tx, invocation: Invocation) => Promise<Outcome>;

/** Kinds of objects as actions name them (`deployment_id`), as events do (`prefect.work-pool.…`), and in sentences. */
const kinds = {
  deployment: { resource: 'deployment', words: 'deployment' },
  work_pool: { resource: 'work-pool', words: 'work pool' },
  work_queue: { resource: 'work-queue', words: 'work queue' },
  automation: { resource: 'automation', words: 'automation' },
} as const;
export type Kind = keyof typeof kinds;

/** The object that an action names, or that its event tells of. */
export function chosenId({ action, event }: Invocation, kind: Kind): string | { reason: string } {
  const { resource, words } = kinds[kind];
  if (action['source'] === 'selected') return String(action[`${kind}_id`]);
  if (!event) return { reason: `No event to infer the ${words}` };
  return firstOfKind(event, resource) ?? { reason: `No ${words} could be inferred` };
}

/** An effect on a chosen object, with the status that the reference's answer has. */
function onChosen(
  kind: Kind,
  status_code: number,
  change: (context: Context, tx: Tx, id: string) => Promise<unknown>,
): Effect {
  return async (context, tx, invocation) => {
    const id = chosenId(invocation, kind);
    if (typeof id !== 'string') return { ...id, related: [] };
    await change(context, tx, id);
    return { related: relatedBefore(kind, id), details: { status_code } };
  };
}

function relatedBefore(kind: Kind, id: string) {
  return [target(kinds[kind].resource, id)];
}

/** What a refused action would have touched. */
export function intendedTargets(invocation: Invocation) {
  const kind = (Object.keys(kinds) as Kind[]).find((name) => invocation.type.endsWith(kinds[name].resource));
  if (!kind || kind === 'work_pool') return [];
  const id = chosenId(invocation, kind);
  return typeof id === 'string' ? relatedBefore(kind, id) : [];
}

function pauseDeployment(paused: boolean): Effect {
  return onChosen('deployment', 200, (context, _tx, id) => setPaused(context, id, paused));
}

function pauseQueue(is_paused: boolean): Effect {
  return onChosen('work_queue', 204, (context, _tx, id) =>
    updateQueue(context, id, { is_paused }, `Work Queue ${id} not found`),
  );
}

function enable(enabled: boolean): Effect {
  return onChosen('automation', 204, (context, tx, id) => enableAutomationIn(context, tx, id, enabled));
}

function pausePool(is_paused: boolean): Effect {
  return async (context, tx, invocation) => {
    const id = chosenId(invocation, 'work_pool');
    if (typeof id !== 'string') return { ...id, related: [] };
    const pool = await findWorkPoolById(tx, id);
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
