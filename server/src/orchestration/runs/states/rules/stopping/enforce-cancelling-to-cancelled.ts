import { allBut, anyTo, type FlowRule } from '../rule.ts';

/** A run in CANCELLING can only end as CANCELLED. */
export const enforceCancellingToCancelledTransition: FlowRule = {
  name: 'EnforceCancellingToCancelledTransition',
  from: ['CANCELLING'],
  to: allBut(anyTo, 'CANCELLED'),
  judge() {
    return {
      kind: 'reject',
      state: undefined,
      reason: 'Cannot transition flows that are cancelling to a state other than Cancelled.',
    };
  },
};
