import { noticeSilence } from '../orchestration/polling/readiness.ts';
import { forgetSilentTaskWorkers } from '../orchestration/work/task-workers/workers.ts';
import { forgetOldCleanups } from '../orchestration/work/worker-channel/cleanups.ts';
import type { WorkspaceService } from './service.ts';

/**
 * Notices that workers, runners and agents are gone. Workers themselves are ONLINE until a time that is stored with
 * their heartbeat, so only what depends on them is looked for here.
 */
export const foreman: WorkspaceService = {
  name: 'foreman',
  scope: 'workspace',
  everySeconds: 15,
  async runOnce(context) {
    await forgetSilentTaskWorkers(context);
    await forgetOldCleanups(context);
    return noticeSilence(context);
  },
};
