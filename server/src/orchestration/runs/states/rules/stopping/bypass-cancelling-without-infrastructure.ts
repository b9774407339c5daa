import { type FlowRule, proceed } from '../rule.ts';

/** Cancels a run without infrastructure at once, because there is nothing to stop. */
export const bypassCancellingFlowRunsWithNoInfra: FlowRule = {
  name: 'BypassCancellingFlowRunsWithNoInfra',
  from: ['SCHEDULED', 'PAUSED'],
  to: ['CANCELLING'],
  judge({ initial, run }) {
    if (initial!.type === 'SCHEDULED' && (run.infrastructure_pid === null || initial!.name === 'Resuming')) {
      return {
        kind: 'reject',
        state: { type: 'CANCELLED' },
        reason: 'Scheduled flow run has no infrastructure to terminate.',
      };
    }
    if (initial!.type === 'PAUSED' && initial!.state_details.pause_reschedule) {
      return {
        kind: 'reject',
        state: { type: 'CANCELLED' },
        reason: 'Suspended flow run has no infrastructure to terminate.',
      };
    }
    return proceed;
  },
};
