import { anyFrom, type FlowRule, proceed } from '../rule.ts';

/** Late is the name of a waiting run's state; a run that has already left that state is not late. */
export const ensureOnlyScheduledFlowsMarkedLate: FlowRule = {
  name: 'EnsureOnlyScheduledFlowsMarkedLate',
  from: anyFrom,
  to: ['SCHEDULED'],
  judge({ initial, proposed }) {
    if (proposed.name !== 'Late') return proceed;
    if (initial?.type !== 'SCHEDULED') {
      return { kind: 'reject', state: undefined, reason: 'Only scheduled flows can be marked late.' };
    }
    if (initial.name === 'Late') {
      return { kind: 'reject', state: undefined, reason: 'This flow run is already marked late.' };
    }
    return proceed;
  },
};
