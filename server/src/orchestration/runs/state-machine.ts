/**
 * Connects the state machine of runs with the resources that its transitions change. Results become artifacts, runs
 * take and release slots of concurrency limits, and background task runs enter their queue.
 */
import { insertResultArtifact } from '../artifacts/operations.ts';
import { DeploymentSlots } from '../limits/global-limits/deployment-slots.ts';
import { TagSlots } from '../limits/global-limits/tag-slots.ts';
import { enqueueTaskRun } from './rows/queued-task-runs.ts';
import type { TransitionEffects } from './states/effects.ts';
import * as flowRuns from './states/flow-run-transition.ts';
import * as taskRuns from './states/task-run-transition.ts';

const effects: TransitionEffects = {
  flowRunSlots: (context, tx, run) => new DeploymentSlots(context, tx, run),
  taskRunSlots: (context, tx, id, tags) => new TagSlots(context, tx, id, tags),
  storeResult: insertResultArtifact,
  enqueue: enqueueTaskRun,
};

export const transitionFlowRun = flowRuns.transitionFlowRun.bind(undefined, effects);
export const markFlowRunLate = flowRuns.markFlowRunLate.bind(undefined, effects);
export const insertFlowRunWithState = flowRuns.insertFlowRunWithState.bind(undefined, effects);
export const transitionTaskRun = taskRuns.transitionTaskRun.bind(undefined, effects);
