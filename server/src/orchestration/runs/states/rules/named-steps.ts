import type { StateType } from '../../../filters/field-schema.ts';
import { anyFrom, anyTo, type FromType, proceed, type Rule } from './rule.ts';

/**
 * A step of the Prefect server's policy that judges nothing here. The list contains it because the order of the steps
 * is the contract. Other code has its effect, as the description says.
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
export const enqueueScheduledTasks = step(
  'EnqueueScheduledTasks',
  'the transition puts the run into the queue of its task workers',
  anyFrom,
  ['SCHEDULED'],
);
