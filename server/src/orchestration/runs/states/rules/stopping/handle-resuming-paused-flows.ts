import { secondsBetween } from '../../../../../values/time.ts';
import { isTerminal } from '../../../rows/state.ts';
import { endsPauses } from '../old-clients.ts';
import { anyTo, type FlowRule } from '../rule.ts';

/** Records that the run left its pause or tried to. */
const resuming = { empirical_policy: { resuming: true } };
/** Records that no process waits in the pause: a worker receives the run again. */
const startingOver = { empirical_policy: { resuming: false, pause_keys: [], retry_type: 'reschedule' as const } };

/**
 * A paused run may continue, be rescheduled, be cancelled or end. After its time-out it can only fail.
 * Source: `POST /flow_runs/{id}/set_state` of the Prefect server 3.9.1.
 */
export const handleResumingPausedFlows: FlowRule = {
  name: 'HandleResumingPausedFlows',
  from: ['PAUSED'],
  to: anyTo,
  judge({ initial, proposed, run, now }) {
    const target = proposed.type;
    if (target !== 'RUNNING' && target !== 'SCHEDULED' && target !== 'CANCELLING' && !isTerminal(target)) {
      return {
        kind: 'reject',
        state: undefined,
        // The Prefect server prints the members of its enumeration, and clients expect this text.
        reason: `This run cannot transition to the StateType.${target} state from the StateType.${initial!.type} state.`,
        // As on the Prefect server, a refusal by this rule counts as an attempt to resume.
        changes: resuming,
      };
    }
    if (target === 'CANCELLING') return { kind: 'proceed' };
    const { pause_reschedule, pause_timeout } = initial!.state_details;
    if (pause_reschedule && run.deployment_id === null) {
      return {
        kind: 'reject',
        state: undefined,
        reason: `Cannot reschedule a ${proposed.name.toLowerCase()} flow run without a deployment.`,
        changes: resuming,
      };
    }
    if (pause_timeout && secondsBetween(pause_timeout, now) > 0) {
      return {
        kind: 'reject',
        state: { type: 'FAILED', message: `The flow was ${proposed.name.toLowerCase()} and never resumed.` },
        reason: 'The flow run pause has timed out and can no longer resume.',
      };
    }
    return { kind: 'proceed' };
  },
  settle({ initial, proposed, client }) {
    const isStartedOver = proposed.type === 'SCHEDULED' && !initial!.state_details.pause_reschedule;
    return isStartedOver && endsPauses(client) ? startingOver : resuming;
  },
};
