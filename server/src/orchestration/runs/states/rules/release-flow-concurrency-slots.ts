import { withDetails } from '../../rows/state.ts';
import { anyTo, type FlowRule, proceed, type Transition } from './rule.ts';

/**
 * A run keeps its slot while it is prepared, runs, or waits to run again in the same process; then it gives it back. It
 * comes last: what it sees is what is written. A run that is cancelled while it waits to run again gives its slot back as
 * well, which the reference forgets. Source: reference behaviour, flow-run rule 17.
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
      // A forced transition passes no rule that copies the lease.
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
