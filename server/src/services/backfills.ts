import { advanceBackfills } from '../orchestration/backfills/advance.ts';
import type { WorkspaceService } from './service.ts';

/** Creates the runs of backfills as earlier ones end. Changes of a backfill wake it. */
export const backfills: WorkspaceService = {
  name: 'backfills',
  scope: 'workspace',
  everySeconds: 5,
  runOnce: advanceBackfills,
};
