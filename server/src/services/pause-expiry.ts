import { expirePauses } from '../orchestration/runs/upkeep/expired-pauses.ts';
import type { WorkspaceService } from './service.ts';

/** Paused runs that nobody resumed in time fail. */
export const pauseExpiry: WorkspaceService = {
  name: 'pause-expiry',
  scope: 'workspace',
  everySeconds: 5,
  runOnce: expirePauses,
};
