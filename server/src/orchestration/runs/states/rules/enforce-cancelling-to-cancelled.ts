import { allBut, anyTo, type FlowRule } from './rule.ts';

/** A run that is being cancelled can only end cancelled. */
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
