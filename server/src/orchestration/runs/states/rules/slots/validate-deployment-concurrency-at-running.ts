import { isAtLeast } from '../../../../../values/versions.ts';
import { withDetails } from '../../../rows/state.ts';
import { LEASE_RENEWING_VERSION } from '../old-clients.ts';
import { type FlowRule, proceed } from '../rule.ts';

/**
 * Preparing a run may outlast the lease of its slot. A run that lost its slot takes another before it starts, or is
 * cancelled when all are taken. Source: `POST /flow_runs/{id}/set_state` of the Prefect server 3.9.1.
 */
export const validateDeploymentConcurrencyAtRunning: FlowRule = {
  name: 'ValidateDeploymentConcurrencyAtRunning',
  from: ['PENDING'],
  to: ['RUNNING'],
  async judge({ initial, proposed, run, client }) {
    const { slots } = run;
    if (!initial!.state_details.deployment_concurrency_lease_id || !slots.isLimited) return proceed;
    if (!isAtLeast(client.version, LEASE_RENEWING_VERSION)) return proceed;
    const slot = await slots.take();
    if (slot === 'full' || slot === 'never') {
      return {
        kind: 'reject',
        state: {
          type: 'CANCELLED',
          message: 'Deployment concurrency slot lost during provisioning - no slots available to continue execution',
        },
        reason: 'Deployment concurrency limit reached after lease expiry.',
      };
    }
    if (slot === 'unlimited') return proceed;
    return { kind: 'amend', proposed: withDetails(proposed, { deployment_concurrency_lease_id: slot.lease }) };
  },
};
