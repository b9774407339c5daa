import { refillDueDeployments } from '../orchestration/deployments/refill.ts';
import type { WorkspaceService } from './service.ts';

/** Creates the runs of schedules ahead of time. Edits wake it; another replica sees them in its next pass. */
export const scheduler: WorkspaceService = {
  name: 'scheduler',
  scope: 'workspace',
  everySeconds: 5,
  runOnce: refillDueDeployments,
};
