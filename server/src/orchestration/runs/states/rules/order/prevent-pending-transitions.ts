import { withDetails } from '../../../rows/state.ts';
import type { Rule, Verdict } from '../rule.ts';

/**
 * Allows only one of two workers to pick up a run: the first makes it PENDING and the second gets an abort. A pending
 * run may move only to a named pending state (Submitting, InfrastructurePending). Background task runs follow the same
 * rule. Source: `POST /flow_runs/{id}/set_state` of the Prefect server 3.9.1.
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
