import { cancelWhatCancelledRunsLeft, endHangingCancellations } from '../orchestration/runs/states/cancelled-runs.ts';
import type { Service } from './service.ts';

/** Cancelling a run reaches all that it started, and comes to an end. */
export const cancellationCleanup: Service = {
  name: 'cancellation-cleanup',
  everySeconds: 20,
  async runOnce(context) {
    const isMoreLeft = await cancelWhatCancelledRunsLeft(context);
    return (await endHangingCancellations(context)) || isMoreLeft;
  },
};
