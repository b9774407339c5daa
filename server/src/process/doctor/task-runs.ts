/** Checks that the task runs of clients arrive. */
import type { Config } from '../../config.ts';
import type { Store } from '../../database/store.ts';
import { listWorkspaces } from '../../database/workspaces.ts';
import { countRunsWithUnrecordedTasks, curesOfUnrecordedTasks } from '../../orchestration/runs/task-runs/unrecorded.ts';
import { addSeconds, type Timestamp } from '../../values/time.ts';
import type { Finding } from './finding.ts';

const subject = 'task runs';
const SINCE_SECONDS = 7 * 86_400;
const MAX_WORKSPACES = 100;

/** The database must have the tables of this version. */
export async function examineTaskRuns(store: Store, config: Config, now: Timestamp): Promise<Finding> {
  const since = addSeconds(now, -SINCE_SECONDS);
  let runs = 0;
  for (const workspace of (await listWorkspaces(store)).slice(0, MAX_WORKSPACES)) {
    runs += await countRunsWithUnrecordedTasks(store.reads(workspace, { background: true }), since, now);
  }
  if (runs === 0) return { subject, state: 'ok', says: 'The task runs that recent logs name are recorded.' };
  const says =
    runs === 1
      ? 'The logs of a recent flow run name task runs that were not recorded: its client cannot use websockets.'
      : `The logs of ${runs} recent flow runs name task runs that were not recorded: their clients cannot use websockets.`;
  return { subject, state: 'warning', says, cure: curesOfUnrecordedTasks(config, true).join(' ') };
}
