import { numberOf } from '../../../../../values/json.ts';
import { addSeconds } from '../../../../../values/time.ts';
import { endsPauses } from '../old-clients.ts';
import type { FlowRule } from '../rule.ts';

/**
 * A failed run with retries left waits and runs again in the same process: the client follows the returned state.
 * Source: `POST /flow_runs/{id}/set_state` of the Prefect server 3.9.1.
 */
export const retryFailedFlows: FlowRule = {
  name: 'RetryFailedFlows',
  from: ['RUNNING'],
  to: ['FAILED'],
  judge({ run, initial, proposed, now, client }) {
    const { retries, retry_delay } = run.empirical_policy;
    if (retries === null || retries === undefined || run.run_count > retries) {
      return { kind: 'amend', proposed, changes: { empirical_policy: { retry_type: null } } };
    }
    const { deployment_concurrency_lease_id } = initial!.state_details;
    return {
      kind: 'reject',
      state: {
        type: 'SCHEDULED',
        name: 'AwaitingRetry',
        message: proposed.message,
        data: proposed.data,
        state_details: { scheduled_time: addSeconds(now, numberOf(retry_delay) ?? 0), deployment_concurrency_lease_id },
      },
      reason: 'Retrying',
      changes: endsPauses(client)
        ? { empirical_policy: { resuming: false, pause_keys: [], retry_type: 'in_process' } }
        : {},
    };
  },
};
