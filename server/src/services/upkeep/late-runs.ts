import { markLateRuns } from '../../orchestration/runs/upkeep/late-runs.ts';
import type { WorkspaceService } from '../service.ts';

/** Marks runs as Late that should have started but did not. */
export const lateRuns: WorkspaceService = {
  name: 'late-runs',
  scope: 'workspace',
  everySeconds: 5,
  runOnce: markLateRuns,
};
