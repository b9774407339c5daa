import {
  cancelWhatCancelledRunsLeft,
  endHangingCancellations,
} from '../../orchestration/runs/upkeep/cancelled-runs.ts';
import { requestTeardown } from '../../orchestration/work/worker-channel/cleanups.ts';
import type { WorkspaceService } from '../service.ts';

/** Extends a cancellation to everything that the run started, and completes it. */
export const cancellationCleanup: WorkspaceService = {
  name: 'cancellation-cleanup',
  scope: 'workspace',
  everySeconds: 20,
  async runOnce(context) {
    const isMoreLeft = await cancelWhatCancelledRunsLeft(context);
    return (await endHangingCancellations(context, requestTeardown)) || isMoreLeft;
  },
};
