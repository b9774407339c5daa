import { anyFrom, type FlowRule, proceed } from './rule.ts';

/** A run that found no slot in time is cancelled where its deployment says so. Source: reference behaviour, late policy. */
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
