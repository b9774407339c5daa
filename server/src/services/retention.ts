import type { Context } from '../context.ts';
import { continueRemovals } from '../orchestration/flows/remove.ts';
import { deleteOldEvents, deleteOldFlowRuns, deleteOldLogs } from '../orchestration/retention/delete-old.ts';
import { deleteOrphans, newOrphanSearch, type OrphanSearch } from '../orchestration/retention/orphans.ts';
import { deleteOldRequests, deleteRequestsOfDeletedServers } from '../platform/server-requests/delete-old.ts';
import { deleteRowsOfRemovedWorkspaces } from '../platform/workspaces/delete-removed.ts';
import type { RetentionKind } from '../settings/services.ts';
import { secondsBetween, type Timestamp } from '../time.ts';
import type { Service } from './service.ts';

const EVERY_SECONDS = 3600;
/** A search for orphans looks at every run that has logs. */
const ORPHANS_EVERY_SECONDS = 86_400;

const byAge = {
  events: deleteOldEvents,
  logs: deleteOldLogs,
  flow_runs: deleteOldFlowRuns,
} satisfies Partial<Record<RetentionKind, (context: Context) => Promise<boolean>>>;

/** Deletes what has become old, a batch of each kind a pass, and tells the database's planner what is left. */
export function retention(): Service {
  const searches = new Map<number, { began: Timestamp; search: OrphanSearch | undefined }>();

  async function continueSearch(context: Context): Promise<boolean> {
    const { now, workspace } = context;
    const last = searches.get(workspace);
    const isDue = !last || (!last.search && secondsBetween(last.began, now) >= ORPHANS_EVERY_SECONDS);
    const { began, search } = isDue ? { began: now, search: newOrphanSearch } : last;
    const next = search && (await deleteOrphans(context, search));
    searches.set(workspace, { began, search: next });
    return next !== undefined;
  }

  return {
    name: 'retention',
    everySeconds: EVERY_SECONDS,
    async runOnce(context) {
      const { server, workspace, now } = context;
      const { config, store } = server;
      const left: boolean[] = [await continueRemovals(context)];
      for (const [kind, deleteSome] of Object.entries(byAge)) {
        if (config.retention.has(kind as RetentionKind)) left.push(await deleteSome(context));
      }
      if (config.retention.has('orphans')) left.push(await continueSearch(context));
      // What stands above workspaces is swept once, with the workspace that is always there.
      if (workspace === server.defaultWorkspace) {
        left.push(await deleteRequestsOfDeletedServers(server));
        left.push(await deleteRowsOfRemovedWorkspaces(server, now));
        if (config.retention.has('mcp_requests')) left.push(await deleteOldRequests(server, now));
      }
      if (left.includes(true)) return true;
      await store.refreshStatistics();
      return false;
    },
  };
}
