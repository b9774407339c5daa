import { isAtLeast } from '../../../../../values/versions.ts';
import { LEASE_RENEWING_VERSION } from '../old-clients.ts';
import { type FlowRule, proceed } from '../rule.ts';

/**
 * A client that does not renew leases keeps its slot until the run ends. The Prefect server 3.9.1 removes the lease and
 * counts the slot; here the lease is extended, so that the slot ends with the run. Shown by deployment-slots.test.ts.
 */
export const removeDeploymentConcurrencyLeaseForOldClientVersions: FlowRule = {
  name: 'RemoveDeploymentConcurrencyLeaseForOldClientVersions',
  from: ['PENDING'],
  to: ['RUNNING', 'CANCELLING'],
  async judge({ initial, run, client }) {
    const holdsLease = initial!.state_details.deployment_concurrency_lease_id;
    if (holdsLease && !isAtLeast(client.version, LEASE_RENEWING_VERSION)) await run.slots.keepUntilGivenBack();
    return proceed;
  },
};
