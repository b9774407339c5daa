import { withDetails } from '../../rows/state.ts';
import type { Rule, Verdict } from './rule.ts';

/**
 * Two workers that picked up the same run: the first makes it PENDING, the second is turned away. A pending run may only
 * go on to a named step of being pending (Submitting, InfrastructurePending).
 * Source: reference behaviour, flow-run rule 6; background task runs have the same.
 */
export const preventPendingTransitions: Rule<unknown, never> = {
  name: 'PreventPendingTransitions',
  from: ['PENDING', 'CANCELLING', 'RUNNING', 'CANCELLED'],
  to: ['PENDING'],
  judge({ initial, proposed }): Verdict<never> {
    if (initial!.type === 'PENDING' && proposed.name !== initial!.name && proposed.name !== 'Pending') {
      const { scheduled_time, deployment_concurrency_lease_id } = initial!.state_details;
      return { kind: 'amend', proposed: withDetails(proposed, { scheduled_time, deployment_concurrency_lease_id }) };
    }
    return {
      kind: 'abort',
      reason: `This run is in a ${initial!.type} state and cannot transition to a PENDING state.`,
    };
  },
};
