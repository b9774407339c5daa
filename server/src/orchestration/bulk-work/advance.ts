/**
 * Advances bulk works. A run is changed in the transaction that counts it, so each is changed once however many
 * processes there are and however often one dies. A pass changes a few runs of each work, so that workspaces and works
 * take turns.
 */
import type { Context } from '../../context/context.ts';
import type { Tx } from '../../database/store.ts';
import { ApiError, Unavailable } from '../../errors.ts';
import { BoundedMap } from '../../values/bounded-map.ts';
import { jsonTextOf, parseJson } from '../../values/json.ts';
import type { Timestamp } from '../../values/time.ts';
import { deleteFlowRunIn } from '../runs/flow-runs/operations.ts';
import { emptyFlowRuns } from '../runs/removal.ts';
import { acts, type Outcome } from './acts.ts';
import { asCreator } from './creator.ts';
import { endWork } from './operations.ts';
import {
  type BulkWorkRow,
  bulkWorks,
  claimBulkWork,
  listUnfinished,
  lockBulkWork,
  lockRun,
  type RunToChange,
  runAt,
} from './queries.ts';
import { type BulkAction, type BulkFailure, MOST_FAILURES } from './schema.ts';

/** Runs of one work that a pass changes. */
const STEP = 20;
const MAX_REASON_LENGTH = 300;
/** An unexpected error of one run is tried so often before the work goes on without it. */
const MOST_TRIES = 5;

/** The runs whose change ended with an unexpected error in this process, by the work that waits for it. */
type Tries = BoundedMap<string, { readonly position: number; readonly count: number }>;

export function newTries(): Tries {
  return new BoundedMap({ name: 'bulk_work_tries', most: 1000 });
}

interface Advance {
  /** True when more runs can be changed at once. */
  readonly isLeft: boolean;
  /** The time at which the next work begins. */
  readonly nextStart: Timestamp | undefined;
}

export async function advanceBulkWorks(context: Context, tries: Tries): Promise<Advance> {
  let isLeft = false;
  let nextStart: Timestamp | undefined;
  for (const { id, starts_at } of await listUnfinished(context.db)) {
    if (starts_at > context.now) {
      if (nextStart === undefined || starts_at < nextStart) nextStart = starts_at;
      continue;
    }
    try {
      isLeft = (await advance(context, id, tries)) || isLeft;
    } catch (error) {
      context.server.logger.error({ err: error, bulkWork: id }, 'a bulk work is skipped');
    }
  }
  return { isLeft, nextStart };
}

/** Resolves to true when runs are left. */
async function advance(context: Context, id: string, tries: Tries): Promise<boolean> {
  for (let step = 0; step < STEP; step++) {
    if (!(await changeNext(context, id, tries))) return false;
  }
  return true;
}

/** Changes the next run. False if none is left, or if another process has the work. */
async function changeNext(context: Context, id: string, tries: Tries): Promise<boolean> {
  let position: number | undefined;
  const step = async (tx: Tx): Promise<boolean | { readonly toDelete: string }> => {
    const work = await tx.first(claimBulkWork, { id, now: context.now });
    if (!work) return false;
    position = positionOf(work);
    const runId = await runAt(tx, id, position);
    if (runId === undefined) {
      await endWork(context, tx, work, { status: 'COMPLETED' });
      return false;
    }
    const creator = await asCreator(context, tx, work.created_by);
    if ('refusal' in creator) {
      await endWork(context, tx, work, { status: 'FAILED', problem: creator.refusal });
      return false;
    }
    const action = work.action as BulkAction;
    if (action === 'delete') return { toDelete: runId };
    const run = await lockRun(tx, runId);
    await count(context, tx, work, run, run ? await acts[action](creator.context, tx, run, work) : 'skipped');
    return true;
  };
  try {
    const stepped = await context.transaction(step);
    if (typeof stepped === 'boolean') return stepped;
    await deleteRun(context, id, position!, stepped.toDelete);
  } catch (error) {
    if (position === undefined || error instanceof Unavailable) throw error;
    if (error instanceof ApiError) await countFailure(context, id, position, error.message);
    else await countUnexpected(context, id, position, tries, error);
  }
  return true;
}

/** Throws the error for another try, until the run has had the last one. */
async function countUnexpected(context: Context, id: string, position: number, tries: Tries, error: unknown) {
  const before = tries.get(id);
  const count = before?.position === position ? before.count + 1 : 1;
  tries.set(id, { position, count });
  if (count < MOST_TRIES) throw error;
  context.server.logger.error({ err: error, bulkWork: id, tries: count }, 'a run of a bulk work is left as it is');
  await countFailure(context, id, position, 'An unexpected error, which the log of the server holds.');
  tries.delete(id);
}

/** The number of the next run, from 0. */
function positionOf({ done, skipped, failed }: BulkWorkRow): number {
  return done + skipped + failed;
}

/**
 * Deletes the rows of a run in batches, the run itself last, with its count. It ends what it has begun, also when the
 * work is cancelled meanwhile.
 */
async function deleteRun(context: Context, id: string, position: number, runId: string): Promise<void> {
  await emptyFlowRuns(context, [runId]);
  await context.transaction(async (tx) => {
    const work = await lockAt(tx, id, position);
    if (!work) return;
    const run = await lockRun(tx, runId);
    await count(context, tx, work, run, (await deleteFlowRunIn(context, tx, runId)) ? 'done' : 'skipped');
  });
}

/** Counts a run whose change was undone. */
function countFailure(context: Context, id: string, position: number, reason: string): Promise<void> {
  return context.transaction(async (tx) => {
    const work = await lockAt(tx, id, position);
    const runId = work && (await runAt(tx, id, position));
    if (runId !== undefined) await count(context, tx, work!, await lockRun(tx, runId), { reason });
  });
}

/** Undefined if another process has counted the run at this position. */
async function lockAt(tx: Tx, id: string, position: number): Promise<BulkWorkRow | undefined> {
  const work = await tx.first(lockBulkWork, { id });
  return work && positionOf(work) === position ? work : undefined;
}

async function count(
  { now }: Context,
  tx: Tx,
  work: BulkWorkRow,
  run: RunToChange | undefined,
  outcome: Outcome,
): Promise<void> {
  const counter = typeof outcome === 'string' ? outcome : 'failed';
  const failures = parseJson(work.failures) as BulkFailure[];
  if (typeof outcome !== 'string' && run && failures.length < MOST_FAILURES) {
    const reason = outcome.reason.slice(0, MAX_REASON_LENGTH);
    failures.push({ flow_run_id: run.id, flow_run_name: run.name, reason });
  }
  await bulkWorks.changeAll(
    tx,
    { id: work.id },
    {
      [counter]: work[counter] + 1,
      failures: jsonTextOf(failures),
      status: work.status === 'SCHEDULED' ? 'RUNNING' : work.status,
      updated: now,
    },
  );
}
