import { isAtLeast } from '../../../../versions.ts';
import { LEASE_RENEWING_VERSION } from './lease-renewing-clients.ts';
import { type FlowRule, proceed } from './rule.ts';

/**
 * Clients that renew no leases keep their slot until the run ends. The reference removes the lease and counts the slot;
 * here the lease is made to last, so that the slot goes with the run. Source: reference behaviour, flow-run rule 9.
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
