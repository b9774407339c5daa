import { noticeSilence } from '../orchestration/polling/readiness.ts';
import { forgetSilentTaskWorkers } from '../orchestration/work/task-workers/workers.ts';
import { forgetOldCleanups } from '../orchestration/work/worker-channel/cleanups.ts';
import type { WorkspaceService } from './service.ts';

/**
 * Notices that workers, runners and agents are gone. A worker is ONLINE until a time that is stored with its heartbeat,
 * so this service only updates what depends on workers.
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
