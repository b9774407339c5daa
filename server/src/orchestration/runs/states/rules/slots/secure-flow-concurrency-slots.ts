import { addSeconds } from '../../../../../values/time.ts';
import { withDetails } from '../../../rows/state.ts';
import { slotTakingVersions } from '../old-clients.ts';
import { allBut, anyFrom, type FlowRule, proceed } from '../rule.ts';

/** Seconds after which a run without a slot retries. Source: the setting of the Prefect server, at its default. */
const WAIT_SECONDS = 30;

/**
 * A run of a limited deployment takes its slot before a worker prepares it.
 * Source: `POST /flow_runs/{id}/set_state` of the Prefect server 3.9.1.
 */
export const secureFlowConcurrencySlots: FlowRule = {
  name: 'SecureFlowConcurrencySlots',
  from: allBut(anyFrom, 'PENDING', 'RUNNING', 'CANCELLING'),
  to: ['PENDING'],
  async judge({ proposed, run, now, client }) {
    const { slots } = run;
    if (client.version !== undefined && slotTakingVersions.includes(client.version)) return proceed;
    if (slots.isDeploymentGone) return { kind: 'abort', reason: 'Deployment not found.' };
    if (!slots.isLimited) return proceed;
    const slot = await slots.take();
    if (slot === 'unlimited') return proceed;
    if (slot === 'never') {
      return {
        kind: 'abort',
        reason: 'The deployment concurrency limit is 0. The flow will deadlock if submitted again.',
      };
    }
    if (slot !== 'full') {
      return { kind: 'amend', proposed: withDetails(proposed, { deployment_concurrency_lease_id: slot.lease }) };
    }
    const reason = 'Deployment concurrency limit reached.';
    if (slots.cancelsNew) return { kind: 'reject', state: { type: 'CANCELLED', message: reason }, reason };
    return {
      kind: 'reject',
      state: {
        type: 'SCHEDULED',
        name: 'AwaitingConcurrencySlot',
        state_details: { scheduled_time: addSeconds(now, WAIT_SECONDS) },
      },
      reason,
    };
  },
};
