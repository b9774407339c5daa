/**
 * Connects the state machine of runs with the resources that its transitions change. Results become artifacts, runs
 * take and release slots of concurrency limits, and background task runs enter their queue.
 */
import type { Context } from '../../context/context.ts';
import type { Tx } from '../../database/store.ts';
import type { NewRow } from '../../database/tables/tables.ts';
import type { Timestamp } from '../../values/time.ts';
import { insertResultArtifact } from '../artifacts/operations.ts';
import { DeploymentSlots } from '../limits/global-limits/deployment-slots.ts';
import { TagSlots } from '../limits/global-limits/tag-slots.ts';
import { enqueueTaskRun } from './rows/queued-task-runs.ts';
import type { Proposal } from './rows/state.ts';
import type { TransitionEffects } from './states/effects.ts';
import * as flowRuns from './states/flow-run-transition.ts';
import * as taskRuns from './states/task-run-transition.ts';

const effects: TransitionEffects = {
  flowRunSlots: (context, tx, run) => new DeploymentSlots(context, tx, run),
  taskRunSlots: (context, tx, id, tags) => new TagSlots(context, tx, id, tags),
  storeResult: insertResultArtifact,
  enqueue: enqueueTaskRun,
};

/** Undefined when the run does not exist. */
export function transitionFlowRun(context: Context, tx: Tx, id: string, proposal: Proposal, force: boolean) {
  return flowRuns.transitionFlowRun({ context, tx, effects }, id, proposal, force);
}

/** Undefined when the run does not exist. */
export function markFlowRunLate(context: Context, tx: Tx, id: string, due: Timestamp) {
  return flowRuns.markFlowRunLate({ context, tx, effects }, id, due);
}

/** Undefined when the idempotency key is taken. Throws IntegrityConflict without its flow or parent task run. */
export function insertFlowRunWithState(context: Context, tx: Tx, row: NewRow<'flow_run'>, firstState: Proposal) {
  return flowRuns.insertFlowRunWithState({ context, tx, effects }, row, firstState);
}

/** Undefined when the run does not exist. */
export function transitionTaskRun(context: Context, tx: Tx, id: string, proposal: Proposal, force: boolean) {
  return taskRuns.transitionTaskRun({ context, tx, effects }, id, proposal, force);
}
