import { sortSomeFailures } from '../orchestration/causes/sort.ts';
import type { WorkspaceService } from './service.ts';

/** Sorts failures of flow runs by their causes. A run that fails wakes it. */
export const failureCauses: WorkspaceService = {
  name: 'failure-causes',
  scope: 'workspace',
  everySeconds: 10,
  runOnce: sortSomeFailures,
};
