import { expirePauses } from '../../orchestration/runs/upkeep/expired-pauses.ts';
import type { WorkspaceService } from '../service.ts';

/** Fails paused runs that were not resumed in time. */
export const pauseExpiry: WorkspaceService = {
  name: 'pause-expiry',
  scope: 'workspace',
  everySeconds: 5,
  runOnce: expirePauses,
};
