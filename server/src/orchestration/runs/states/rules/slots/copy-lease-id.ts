import { withDetails } from '../../../rows/state.ts';
import { anyFrom, anyTo, type FlowRule, proceed } from '../rule.ts';

/** The lease on a deployment's slot stays with the run until it is released. */
export const copyDeploymentConcurrencyLeaseId: FlowRule = {
  name: 'CopyDeploymentConcurrencyLeaseID',
  from: anyFrom,
  to: anyTo,
  judge({ initial, proposed }) {
    const lease = initial?.state_details.deployment_concurrency_lease_id;
    if (!lease || proposed.state_details.deployment_concurrency_lease_id) return proceed;
    return { kind: 'amend', proposed: withDetails(proposed, { deployment_concurrency_lease_id: lease }) };
  },
};
