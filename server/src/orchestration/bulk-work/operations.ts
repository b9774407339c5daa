import type { Context } from '../../context/context.ts';
import type { Tx } from '../../database/store.ts';
import { Conflict, ObjectNotFound, TooManyRequests, Unprocessable } from '../../errors.ts';
import { recordChange } from '../../events/record-change.ts';
import { recordWorkspaceAudit } from '../../identity/audit/workspace-audit.ts';
import { counted } from '../../values/counted.ts';
import { newTimeOrderedId } from '../../values/id.ts';
import { type JsonText, jsonTextOf } from '../../values/json.ts';
import { addSeconds } from '../../values/time.ts';
import { storedCreator } from './creator.ts';
import {
  type BulkWorkRow,
  bulkWorks,
  deleteParts,
  existingIds,
  insertParts,
  listUnfinished,
  lockBulkWork,
  MOST_UNFINISHED,
  matchingIds,
} from './queries.ts';
import { type BulkAction, type BulkWorkCreate, MOST_RUNS, type RunsMatching } from './schema.ts';

/**
 * Stores a work with the runs that it changes; the service changes them. Throws Unprocessable if more runs match than a
 * work may have, and TooManyRequests while the workspace has too many unfinished works.
 */
export async function createBulkWork(context: Context, input: BulkWorkCreate): Promise<BulkWorkRow> {
  const { db, now } = context;
  const { flow_run_ids, matching } = input;
  const ids = matching ? await idsMatching(context, matching) : await existingIds(db, flow_run_ids ?? []);
  return context.transaction(async (tx) => {
    if ((await listUnfinished(tx)).length >= MOST_UNFINISHED) {
      throw new TooManyRequests(
        `${MOST_UNFINISHED} works of this workspace have not ended. Wait, or cancel one of them.`,
        5,
      );
    }
    const isEmpty = ids.length === 0;
    const work = await bulkWorks.insert(tx, {
      id: newTimeOrderedId(),
      created: now,
      updated: now,
      action: input.action,
      state: input.state ? jsonTextOf(input.state) : null,
      force: input.force,
      status: isEmpty ? 'COMPLETED' : 'SCHEDULED',
      starts_at: addSeconds(now, input.delay_seconds),
      ended: isEmpty ? now : null,
      total: ids.length,
      done: 0,
      skipped: 0,
      failed: 0,
      failures: '[]' as JsonText,
      problem: null,
      created_by: storedCreator(context),
    });
    await insertParts(tx, work.id, ids);
    await recordWork(context, tx, 'created', work);
    return work;
  });
}

async function idsMatching(context: Context, matching: RunsMatching): Promise<string[]> {
  const ids = await matchingIds(context, matching);
  if (ids) return ids;
  throw new Unprocessable(`matching: more than ${MOST_RUNS} runs match. Narrow the filters.`);
}

/** Leaves the rest of the runs as they are. Throws ObjectNotFound, and Conflict for a work that has ended. */
export function cancelBulkWork(context: Context, id: string): Promise<BulkWorkRow> {
  return context.transaction(async (tx) => {
    const work = (await tx.first(lockBulkWork, { id })) ?? missingBulkWork();
    if (work.ended !== null) throw new Conflict(`A work that is ${work.status} cannot be cancelled.`);
    return endWork(context, tx, work, { status: 'CANCELLED' });
  });
}

export function missingBulkWork(): never {
  throw new ObjectNotFound('Bulk work not found');
}

/** Ends a work whose row the transaction has locked. */
export async function endWork(
  context: Context,
  tx: Tx,
  work: BulkWorkRow,
  end: { readonly status: 'COMPLETED' | 'CANCELLED' | 'FAILED'; readonly problem?: string },
): Promise<BulkWorkRow> {
  const change = { ...end, ended: context.now, updated: context.now };
  await bulkWorks.changeAll(tx, { id: work.id }, change);
  await deleteParts(tx, work.id);
  const ended = { ...work, ...change };
  await recordWork(context, tx, ended.status.toLowerCase() as Lowercase<typeof end.status>, ended);
  return ended;
}

type Change = 'created' | 'completed' | 'cancelled' | 'failed';

const verbs = { created: 'create', completed: 'complete', cancelled: 'cancel', failed: 'fail' } as const;

/** Records a change as an event and, if it has an actor, in the audit; wakes the service for a new work. */
async function recordWork(context: Context, tx: Tx, change: Change, work: BulkWorkRow): Promise<void> {
  const { id, action, status, total, done, skipped, failed, problem } = work;
  const name = nameOf(work);
  const payload = jsonTextOf({ action, status, total, done, skipped, failed, problem });
  await recordChange(context, tx, 'bulk-work', change, { id, name }, payload);
  await recordWorkspaceAudit(tx, context, {
    action: `bulk_work.${verbs[change]}`,
    target: { type: 'bulk_work', id, name },
    details: { action, total, done, skipped, failed },
  });
  if (change !== 'created') return;
  tx.afterCommit(() => context.server.hub.tell('work', 'bulk-work', context.workspace));
}

const titles: Readonly<Record<BulkAction, string>> = {
  retry: 'Retry',
  cancel: 'Cancel',
  delete: 'Delete',
  set_state: 'Change the state of',
};

function nameOf({ action, total }: BulkWorkRow): string {
  return `${titles[action as BulkAction]} ${counted(total, 'run')}`;
}
