import { advanceLogIndex } from '../orchestration/logs/search/older-lines.ts';
import type { WorkspaceService } from './service.ts';

/** Indexes the words of lines that were stored without them, or deletes the index where it is not wanted. */
export const logIndex: WorkspaceService = {
  name: 'log-index',
  scope: 'workspace',
  everySeconds: 60,
  runOnce: advanceLogIndex,
};
