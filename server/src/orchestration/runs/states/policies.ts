/**
 * The policies: the rules of a transition, in the order of the Prefect server. The order is the contract: an earlier
 * rule sees the proposal first. `docs/architecture.md` shows these lists, and a test compares the two.
 */

import { bypassCancellingFlowRunsWithNoInfra } from './rules/bypass-cancelling-without-infrastructure.ts';
import { cacheInsertion } from './rules/cache-insertion.ts';
import { cacheRetrieval } from './rules/cache-retrieval.ts';
import { cancelLateRunsOfFullDeployments } from './rules/cancel-late-runs-of-full-deployments.ts';
import { copyDeploymentConcurrencyLeaseId } from './rules/copy-lease-id.ts';
import { copyScheduledTime } from './rules/copy-scheduled-time.ts';
import { copyTaskParametersId } from './rules/copy-task-parameters-id.ts';
import { enforceCancellingToCancelledTransition } from './rules/enforce-cancelling-to-cancelled.ts';
import { ensureOnlyScheduledFlowsMarkedLate } from './rules/ensure-only-scheduled-marked-late.ts';
import { handleFlowTerminalStateTransitions } from './rules/handle-flow-terminal-state-transitions.ts';
import { handlePausingFlows } from './rules/handle-pausing-flows.ts';
import { handleResumingPausedFlows } from './rules/handle-resuming-paused-flows.ts';
import { handleTaskTerminalStateTransitions } from './rules/handle-task-terminal-state-transitions.ts';
import { removeDeploymentConcurrencyLeaseForOldClientVersions } from './rules/keep-slots-of-old-clients.ts';
import { enqueueScheduledTasks, instrumentFlowRunStateTransitions } from './rules/named-steps.ts';
import { preventDuplicateTransitions } from './rules/prevent-duplicate-transitions.ts';
import { preventPendingTransitions } from './rules/prevent-pending-transitions.ts';
import { preventResultDataLoss } from './rules/prevent-result-data-loss.ts';
import { preventRunningTasksFromStoppedFlows } from './rules/prevent-running-tasks-from-stopped-flows.ts';
import { releaseFlowConcurrencySlots } from './rules/release-flow-concurrency-slots.ts';
import { releaseTaskConcurrencySlots } from './rules/release-task-concurrency-slots.ts';
import { renameReruns } from './rules/rename-reruns.ts';
import { retryFailedFlows } from './rules/retry-failed-flows.ts';
import { retryFailedTasks } from './rules/retry-failed-tasks.ts';
import type { FlowRule, Rule, TaskRule } from './rules/rule.ts';
import { secureFlowConcurrencySlots } from './rules/secure-flow-concurrency-slots.ts';
import { secureTaskConcurrencySlots } from './rules/secure-task-concurrency-slots.ts';
import { updateFlowRunTrackerOnTasks } from './rules/update-flow-run-tracker.ts';
import { validateDeploymentConcurrencyAtRunning } from './rules/validate-deployment-concurrency-at-running.ts';
import { waitForScheduledTime } from './rules/wait-for-scheduled-time.ts';

/** A rule that reads no columns of the run fits flow runs and task runs. */
type Shared = Rule<unknown, never>;
const flow = (rule: Shared): FlowRule => rule as FlowRule;
const task = (rule: Shared): TaskRule => rule as TaskRule;

export const coreFlowPolicy: readonly FlowRule[] = [
  copyDeploymentConcurrencyLeaseId,
  preventDuplicateTransitions,
  handleFlowTerminalStateTransitions,
  enforceCancellingToCancelledTransition,
  bypassCancellingFlowRunsWithNoInfra,
  flow(preventPendingTransitions),
  validateDeploymentConcurrencyAtRunning,
  secureFlowConcurrencySlots,
  removeDeploymentConcurrencyLeaseForOldClientVersions,
  ensureOnlyScheduledFlowsMarkedLate,
  handlePausingFlows,
  handleResumingPausedFlows,
  flow(copyScheduledTime),
  flow(waitForScheduledTime),
  retryFailedFlows,
  flow(instrumentFlowRunStateTransitions),
  releaseFlowConcurrencySlots,
];

/** For forced transitions. */
export const minimalFlowPolicy: readonly FlowRule[] = [
  copyDeploymentConcurrencyLeaseId,
  preventResultDataLoss,
  bypassCancellingFlowRunsWithNoInfra,
  flow(instrumentFlowRunStateTransitions),
  releaseFlowConcurrencySlots,
];

/** For runs that are marked late. */
export const lateFlowPolicy: readonly FlowRule[] = [
  ensureOnlyScheduledFlowsMarkedLate,
  cancelLateRunsOfFullDeployments,
  flow(instrumentFlowRunStateTransitions),
];

export const coreTaskPolicy: readonly TaskRule[] = [
  cacheRetrieval,
  handleTaskTerminalStateTransitions,
  preventRunningTasksFromStoppedFlows,
  secureTaskConcurrencySlots,
  task(copyScheduledTime),
  task(waitForScheduledTime),
  retryFailedTasks,
  renameReruns,
  updateFlowRunTrackerOnTasks,
  cacheInsertion,
  releaseTaskConcurrencySlots,
];

/** For states with `deferred`: task runs that wait for a task worker. */
export const backgroundTaskPolicy: readonly TaskRule[] = [
  task(preventPendingTransitions),
  cacheRetrieval,
  handleTaskTerminalStateTransitions,
  task(copyScheduledTime),
  copyTaskParametersId,
  task(waitForScheduledTime),
  retryFailedTasks,
  renameReruns,
  updateFlowRunTrackerOnTasks,
  cacheInsertion,
  releaseTaskConcurrencySlots,
  task(enqueueScheduledTasks),
];

/** For forced transitions. */
export const minimalTaskPolicy: readonly TaskRule[] = [releaseTaskConcurrencySlots];

export const policies = {
  coreFlowPolicy,
  minimalFlowPolicy,
  lateFlowPolicy,
  coreTaskPolicy,
  backgroundTaskPolicy,
  minimalTaskPolicy,
};
