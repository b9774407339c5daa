import { withDetails } from '../../../rows/state.ts';
import { anyTo, type FlowRule, proceed, type Transition } from '../rule.ts';

/**
 * A run keeps its slot while it is prepared, runs, or waits for a retry in the same process; then it releases the slot.
 * This rule comes last, so it sees the state that is written. A run cancelled while it waits for a retry also releases
 * its slot; the Prefect server 3.9.1 keeps it. Shown by deployment-slots.test.ts.
 */
export const releaseFlowConcurrencySlots: FlowRule = {
  name: 'ReleaseFlowConcurrencySlots',
  from: ['SCHEDULED', 'PENDING', 'RUNNING', 'CANCELLING'],
  to: anyTo,
  everyTransition: true,
  async judge(transition) {
    const { initial, proposed, run } = transition;
    const lease = initial!.state_details.deployment_concurrency_lease_id;
    if (keepsSlot(transition)) {
      // An earlier rule may have replaced the proposed state.
      if (!lease || proposed.state_details.deployment_concurrency_lease_id) return proceed;
      return { kind: 'amend', proposed: withDetails(proposed, { deployment_concurrency_lease_id: lease }) };
    }
    if (lease || run.slots.isLimited) await run.slots.release();
    return proceed;
  },
};

function keepsSlot({ proposed, intended }: Transition<unknown>): boolean {
  const { type, name } = proposed;
  if (type === 'PENDING' || type === 'RUNNING' || type === 'CANCELLING') return true;
  return intended === 'FAILED' && type === 'SCHEDULED' && name === 'AwaitingRetry';
}
