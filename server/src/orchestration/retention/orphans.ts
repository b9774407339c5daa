/**
 * Deletes logs and artifacts whose flow run was deleted: they have no foreign key to the run, so they are not deleted
 * with it.
 */
import type { Context } from '../../context/context.ts';
import { NotFound } from '../../errors.ts';
import { FIRST_ID } from '../../values/id.ts';
import { addSeconds, type Timestamp } from '../../values/time.ts';
import { deleteArtifact } from '../artifacts/operations.ts';
import { deleteSomeLogs } from '../runs/removal.ts';
import { oldBefore } from './import-hold.ts';
import { listArtifactsOfRun, type NamedRun, runsOfArtifacts, runsOfLogs } from './queries.ts';

/** The progress of a search for orphans: through the logs first, then through the artifacts. */
export interface OrphanSearch {
  readonly of: 'log' | 'artifact';
  /** The id of the last run that was checked. */
  readonly after: string;
}

export const newOrphanSearch: OrphanSearch = { of: 'log', after: FIRST_ID };

/** Seconds for which rows without a run are kept, because a log may arrive before its run. */
const GRACE_SECONDS = 86_400;
const RUNS = 200;
const LOGS = 200;
const ARTIFACTS = 50;

/** Checks the next runs, and deletes the rows of deleted runs. Undefined when the search is complete. */
export async function deleteOrphans(context: Context, search: OrphanSearch): Promise<OrphanSearch | undefined> {
  const { db, now, server } = context;
  // An import brings artifacts even if their runs are too old to be imported.
  if ((await oldBefore(db, 'flow_runs', now, server.config.runRetentionSeconds)) === undefined) return undefined;
  const before = addSeconds(now, -GRACE_SECONDS);
  const isOfLogs = search.of === 'log';
  const runs = await db.all(isOfLogs ? runsOfLogs : runsOfArtifacts, { after: search.after, limit: RUNS });
  let { after } = search;
  for (const run of runs) {
    const isDone = run.runs > 0 || (await (isOfLogs ? deleteLogs : deleteArtifacts)(context, run, before));
    // The next pass deletes the rest of a run with many rows.
    if (!isDone) return { ...search, after };
    after = run.id;
  }
  if (runs.length === RUNS) return { ...search, after };
  return isOfLogs ? { of: 'artifact', after: FIRST_ID } : undefined;
}

async function deleteLogs(context: Context, run: NamedRun, before: Timestamp): Promise<boolean> {
  return (await context.transaction((tx) => deleteSomeLogs(tx, [run.id], LOGS, before))) < LOGS;
}

async function deleteArtifacts(context: Context, run: NamedRun, before: Timestamp): Promise<boolean> {
  const ids = await listArtifactsOfRun(context.db, run.id, before, ARTIFACTS);
  for (const id of ids) {
    try {
      await deleteArtifact(context, id);
    } catch (error) {
      // Another replica deleted it first.
      if (!(error instanceof NotFound)) throw error;
    }
  }
  return ids.length < ARTIFACTS;
}
