/**
 * The policies: the rules of a transition, in the order of the Prefect server. The order is the contract: an earlier
 * rule sees the proposal first. `docs/architecture/policies.md` shows these lists, and a test compares the two.
 */

import { enqueueScheduledTasks, instrumentFlowRunStateTransitions } from './rules/named-steps.ts';
import { handleFlowTerminalStateTransitions } from './rules/order/handle-flow-terminal-state-transitions.ts';
import { handleTaskTerminalStateTransitions } from './rules/order/handle-task-terminal-state-transitions.ts';
import { preventDuplicateTransitions } from './rules/order/prevent-duplicate-transitions.ts';
import { preventPendingTransitions } from './rules/order/prevent-pending-transitions.ts';
import { preventRunningTasksFromStoppedFlows } from './rules/order/prevent-running-tasks-from-stopped-flows.ts';
import { cacheInsertion } from './rules/results/cache-insertion.ts';
import { cacheRetrieval } from './rules/results/cache-retrieval.ts';
import { copyTaskParametersId } from './rules/results/copy-task-parameters-id.ts';
import { preventResultDataLoss } from './rules/results/prevent-result-data-loss.ts';
import { renameReruns } from './rules/retries/rename-reruns.ts';
import { retryFailedFlows } from './rules/retries/retry-failed-flows.ts';
import { retryFailedTasks } from './rules/retries/retry-failed-tasks.ts';
import { updateFlowRunTrackerOnTasks } from './rules/retries/update-flow-run-tracker.ts';
import type { FlowRule, Rule, TaskRule } from './rules/rule.ts';
import { cancelLateRunsOfFullDeployments } from './rules/slots/cancel-late-runs-of-full-deployments.ts';
import { copyDeploymentConcurrencyLeaseId } from './rules/slots/copy-lease-id.ts';
import { removeDeploymentConcurrencyLeaseForOldClientVersions } from './rules/slots/keep-slots-of-old-clients.ts';
import { releaseFlowConcurrencySlots } from './rules/slots/release-flow-concurrency-slots.ts';
import { releaseTaskConcurrencySlots } from './rules/slots/release-task-concurrency-slots.ts';
import { secureFlowConcurrencySlots } from './rules/slots/secure-flow-concurrency-slots.ts';
import { secureTaskConcurrencySlots } from './rules/slots/secure-task-concurrency-slots.ts';
import { validateDeploymentConcurrencyAtRunning } from './rules/slots/validate-deployment-concurrency-at-running.ts';
import { bypassCancellingFlowRunsWithNoInfra } from './rules/stopping/bypass-cancelling-without-infrastructure.ts';
import { enforceCancellingToCancelledTransition } from './rules/stopping/enforce-cancelling-to-cancelled.ts';
import { handlePausingFlows } from './rules/stopping/handle-pausing-flows.ts';
import { handleResumingPausedFlows } from './rules/stopping/handle-resuming-paused-flows.ts';
import { copyScheduledTime } from './rules/times/copy-scheduled-time.ts';
import { ensureOnlyScheduledFlowsMarkedLate } from './rules/times/ensure-only-scheduled-marked-late.ts';
import { waitForScheduledTime } from './rules/times/wait-for-scheduled-time.ts';

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

/** The policy of forced transitions. */
export const minimalFlowPolicy: readonly FlowRule[] = [
  copyDeploymentConcurrencyLeaseId,
  preventResultDataLoss,
  bypassCancellingFlowRunsWithNoInfra,
  flow(instrumentFlowRunStateTransitions),
  releaseFlowConcurrencySlots,
];

/** The policy of runs that are marked late. */
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

/** The policy of states with `deferred`: task runs that wait for a task worker. */
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

/** The policy of forced transitions. */
export const minimalTaskPolicy: readonly TaskRule[] = [releaseTaskConcurrencySlots];

export const policies = {
  coreFlowPolicy,
  minimalFlowPolicy,
  lateFlowPolicy,
  coreTaskPolicy,
  backgroundTaskPolicy,
  minimalTaskPolicy,
};
