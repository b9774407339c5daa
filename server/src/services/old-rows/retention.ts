import type { Context, Server } from '../../context/context.ts';
import { deleteOldBulkWork } from '../../orchestration/bulk-work/delete-old.ts';
import { deleteOldCauses } from '../../orchestration/causes/delete-old.ts';
import { continueRemovals } from '../../orchestration/flows/remove.ts';
import {
  deleteOldEvents,
  deleteOldFlowRuns,
  deleteOldLogs,
  deleteOldLogsOfDeployments,
} from '../../orchestration/retention/delete-old.ts';
import { deleteOrphans, newOrphanSearch, type OrphanSearch } from '../../orchestration/retention/orphans.ts';
import { deleteOldConnections } from '../../platform/connections/delete-old.ts';
import { deleteOldRates } from '../../platform/servers/limits/delete-old.ts';
import {
  deleteEndedSessions,
  deleteOldRequests,
  deleteOldTasks,
  deleteRequestsOfDeletedServers,
} from '../../platform/servers/requests/delete-old.ts';
import { deleteRowsOfRemovedWorkspaces } from '../../platform/workspaces/delete-removed.ts';
import { secondsBetween, type Timestamp } from '../../values/time.ts';
import type { ServerService, WorkspaceService } from '../service.ts';
import { keepPartitions } from './partitions.ts';

const EVERY_SECONDS = 3600;
/** A search for orphans reads every run that has logs. */
const ORPHANS_EVERY_SECONDS = 86_400;

const byAge = [deleteOldEvents, deleteOldLogs, deleteOldFlowRuns, deleteOldBulkWork, deleteOldCauses];

/**
 * Deletes old rows of a workspace, a batch of each kind in a pass, and updates the statistics of the database's
 * planner.
 */
export class WorkspaceRetention implements WorkspaceService {
  readonly name = 'retention';
  readonly scope = 'workspace';
  readonly everySeconds = EVERY_SECONDS;
  /** For each workspace, up to which time the logs of deployments with a time of their own are deleted. */
  readonly #done = new Map<number, Map<string, Timestamp>>();
  readonly #searches = new Map<number, { began: Timestamp; search: OrphanSearch | undefined }>();

  async runOnce(context: Context): Promise<boolean> {
    const { config, store } = context.server;
    const left: boolean[] = [await continueRemovals(context)];
    for (const deleteSome of byAge) left.push(await deleteSome(context));
    left.push(await deleteOldLogsOfDeployments(context, this.#doneIn(context.workspace)));
    if (config.retention.has('orphans')) left.push(await this.#continueSearch(context));
    if (left.includes(true)) return true;
    await store.refreshStatistics();
    return false;
  }

  #doneIn(workspace: number): Map<string, Timestamp> {
    const done = this.#done.get(workspace) ?? new Map<string, Timestamp>();
    this.#done.set(workspace, done);
    return done;
  }

  async #continueSearch(context: Context): Promise<boolean> {
    const { now, workspace } = context;
    const last = this.#searches.get(workspace);
    const isDue = !last || (!last.search && secondsBetween(last.began, now) >= ORPHANS_EVERY_SECONDS);
    const { began, search } = isDue ? { began: now, search: newOrphanSearch } : last;
    const next = search && (await deleteOrphans(context, search));
    this.#searches.set(workspace, { began, search: next });
    return next !== undefined;
  }
}

/**
 * Deletes old rows that belong to no workspace: records of requests to MCP servers, rows of deleted workspaces, and
 * ended sign-ins of MCP clients. Makes and drops partitions. Returns the space of deleted rows to the disk.
 */
export class ServerRetention implements ServerService {
  readonly name = 'retention';
  readonly scope = 'server';
  readonly everySeconds = EVERY_SECONDS;
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
  }

  async runOnce(now: Timestamp): Promise<boolean> {
    const { config, store } = this.#server;
    const left = [
      await deleteRequestsOfDeletedServers(this.#server),
      await deleteRowsOfRemovedWorkspaces(this.#server, now),
      await deleteOldConnections(this.#server, now),
      await deleteOldRates(this.#server, now),
      await deleteEndedSessions(this.#server, now),
      await deleteOldTasks(this.#server, now),
      config.retention.has('mcp_requests') && (await deleteOldRequests(this.#server, now)),
    ];
    // It fails where something of the operator depends on a partition, and must not keep the rest from being deleted.
    await keepPartitions(this.#server, now);
    if (left.includes(true)) return true;
    if (await store.releaseSpace()) return true;
    await store.refreshStatistics();
    return false;
  }
}
