/**
 * Advances backfills: creates the runs of their next dates, with a limited number unfinished at a time, cancels the
 * runs of cancelled backfills, and ends backfills. One transaction claims a backfill, creates its runs and records them,
 * so each date gets one run however many processes there are and however often one dies.
 */
import type { Context } from '../../context/context.ts';
import type { Tx } from '../../database/store.ts';
import { ApiError, Unavailable } from '../../errors.ts';
import { FIRST_ID } from '../../values/id.ts';
import { jsonTextOf, parseObject } from '../../values/json.ts';
import { type Timestamp, wireTimestamp } from '../../values/time.ts';
import { createRunIn } from '../deployments/create-runs.ts';
import { setFlowRunState } from '../runs/flow-runs/operations.ts';
import { recordBackfillChange } from './operations.ts';
import {
  type BackfillRow,
  backfills,
  claimBackfill,
  giveRun,
  listNextDates,
  listUnfinished,
  listWorking,
  progressOf,
} from './queries.ts';
import { MOST_UNFINISHED } from './schema.ts';

/** Backfills that are read together. */
const BATCH = 50;
/** Runs that one transaction creates; others wait for it on SQLite. */
const CREATED_TOGETHER = 10;

/** Resolves to true when more runs can be created at once. */
export async function advanceBackfills(context: Context): Promise<boolean> {
  let more = false;
  for (let after = FIRST_ID; ; ) {
    const ids = await listWorking(context.db, after, BATCH);
    for (const id of ids) {
      try {
        more = (await advance(context, id)) || more;
      } catch (error) {
        context.server.logger.error({ err: error, backfill: id }, 'a backfill is skipped');
      }
    }
    const last = ids.at(-1);
    if (last === undefined || ids.length < BATCH) return more;
    after = last;
  }
}

async function advance(context: Context, id: string): Promise<boolean> {
  let refused: { readonly error: ApiError } | undefined;
  const step = await context
    .transaction(async (tx) => {
      const backfill = await tx.first(claimBackfill, { id });
      if (!backfill) return 'nothing';
      if (backfill.status === 'CANCELLING') return cancelStep(context, tx, backfill);
      return createStep(context, tx, backfill);
    })
    .catch((error) => {
      if (!(error instanceof ApiError) || error instanceof Unavailable) throw error;
      refused = { error };
      return 'nothing' as const;
    });
  if (refused) await pauseFor(context, id, refused.error);
  if (step === 'cancel') await cancelRuns(context, id);
  return step === 'more';
}

type Step = 'nothing' | 'more' | 'cancel';

async function createStep(context: Context, tx: Tx, backfill: BackfillRow): Promise<Step> {
  const { waiting, unfinished } = await progressOf(tx, backfill.id);
  if (waiting === 0) {
    if (unfinished === 0) await end(context, tx, backfill, 'COMPLETED');
    return 'nothing';
  }
  const room = Math.max(0, backfill.max_unfinished - unfinished);
  const limit = Math.min(room, CREATED_TOGETHER);
  const dates = await tx.all(listNextDates, { backfill_id: backfill.id, limit });
  for (const { position, date } of dates) {
    const { run } = await createRunIn(context, tx, backfill.deployment_id, runFor(backfill, date));
    await giveRun(tx, { backfill_id: backfill.id, position, date }, run.id);
  }
  return dates.length > 0 && room > dates.length && waiting > dates.length ? 'more' : 'nothing';
}

function runFor({ id, name, parameters, date_parameter }: BackfillRow, date: Timestamp) {
  const wire = wireTimestamp(date);
  const dated =
    date_parameter === null ? parameters : jsonTextOf({ ...parseObject(parameters), [date_parameter]: wire });
  return {
    parameters: dated,
    tags: ['backfill', `backfill:${name}`],
    labels: jsonTextOf({ 'prefect.backfill.id': id, 'prefect.backfill.date': wire }),
    idempotency_key: `backfill ${id} ${wire}`,
    job_variables: jsonTextOf({}),
  };
}

/** Ends a backfill whose runs have all ended; otherwise cancels them. */
async function cancelStep(context: Context, tx: Tx, backfill: BackfillRow): Promise<Step> {
  const [unfinished] = await tx.all(listUnfinished, { backfill_id: backfill.id, limit: 1 });
  if (unfinished) return 'cancel';
  await end(context, tx, backfill, 'CANCELLED');
  return 'nothing';
}

async function end(context: Context, tx: Tx, backfill: BackfillRow, status: 'COMPLETED' | 'CANCELLED'): Promise<void> {
  await backfills.changeAll(tx, { id: backfill.id }, { status, ended: context.now, updated: context.now });
  if (status === 'COMPLETED') await recordBackfillChange(context, tx, 'completed', { ...backfill, status });
}

/** Cancels each run in a transaction of its own. Cancelling a run twice has no further effect. */
async function cancelRuns(context: Context, id: string): Promise<void> {
  const message = 'The backfill of this run was cancelled.';
  for (const run of await context.db.all(listUnfinished, { backfill_id: id, limit: MOST_UNFINISHED })) {
    if (run.state_type === 'CANCELLING') continue;
    await setFlowRunState(context, run.id, { type: 'CANCELLING', message }, false);
  }
}

/**
 * Pauses a backfill whose next run cannot be created, for example because its parameters no longer fit: it would fail
 * again, so a person must decide.
 */
function pauseFor(context: Context, id: string, { message }: ApiError): Promise<void> {
  return context.transaction(async (tx) => {
    const backfill = await tx.first(claimBackfill, { id });
    if (backfill?.status !== 'RUNNING') return;
    const change = { status: 'PAUSED', problem: message.slice(0, 500) } as const;
    await backfills.changeAll(tx, { id }, { ...change, updated: context.now });
    await recordBackfillChange(context, tx, 'paused', { ...backfill, ...change });
  });
}
