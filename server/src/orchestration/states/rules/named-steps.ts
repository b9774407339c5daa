import { anyFrom, anyTo, type FromType, proceed, type Rule } from '../rule.ts';
import type { StateType } from '../schema.ts';

/**
 * A step of the reference's policy that judges nothing here: it stands in the list because the order is the contract,
 * and what it does happens elsewhere, as its description says.
 */
function step(
  name: string,
  _happens: string,
  from: readonly FromType[] = anyFrom,
  to: readonly StateType[] = anyTo,
): Rule<unknown, never> {
  return { name, from, to, judge: () => proceed };
}

export const instrumentFlowRunStateTransitions = step(
  'InstrumentFlowRunStateTransitions',
  'the transition records the state-change event with the state',
);
export const validateDeploymentConcurrencyAtRunning = step(
  'ValidateDeploymentConcurrencyAtRunning',
  'runs hold no deployment slots yet',
  ['PENDING'],
  ['RUNNING'],
);
export const secureFlowConcurrencySlots = step(
  'SecureFlowConcurrencySlots',
  'runs take no deployment slots yet',
  anyFrom,
  ['PENDING'],
);
export const removeDeploymentConcurrencyLeaseForOldClientVersions = step(
  'RemoveDeploymentConcurrencyLeaseForOldClientVersions',
  'runs hold no leases yet',
  ['PENDING'],
  ['RUNNING', 'CANCELLING'],
);
export const releaseFlowConcurrencySlots = step('ReleaseFlowConcurrencySlots', 'runs hold no deployment slots yet', [
  'RUNNING',
  'CANCELLING',
  'PENDING',
]);
export const secureTaskConcurrencySlots = step(
  'SecureTaskConcurrencySlots',
  'task runs take no tag slots yet',
  anyFrom,
  ['RUNNING'],
);
export const releaseTaskConcurrencySlots = step('ReleaseTaskConcurrencySlots', 'task runs hold no tag slots yet');
export const enqueueScheduledTasks = step(
  'EnqueueScheduledTasks',
  'task workers find scheduled background runs in the database',
  anyFrom,
  ['SCHEDULED'],
);
