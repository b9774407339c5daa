import { anyFrom, type FlowRule, proceed } from '../rule.ts';

/** Cancels a late run when its deployment is full and its strategy is CANCEL_NEW. Shown by deployment-slots.test.ts. */
export const cancelLateRunsOfFullDeployments: FlowRule = {
  name: 'CancelLateRunsOfFullDeployments',
  from: anyFrom,
  to: ['SCHEDULED'],
  async judge({ run }) {
    if (!run.slots.cancelsNew || !(await run.slots.areAllTaken())) return proceed;
    const reason = 'Deployment concurrency limit is full and uses the CANCEL_NEW strategy.';
    return { kind: 'reject', state: { type: 'CANCELLED', message: reason }, reason };
  },
};
