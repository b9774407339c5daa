import type { Context } from '../../context/context.ts';
import type { Tx } from '../../database/store.ts';
import { Conflict, ObjectNotFound } from '../../errors.ts';
import { recordChange, relatedResource } from '../../events/record-change.ts';
import { recordWorkspaceAudit } from '../../identity/audit/workspace-audit.ts';
import { newId } from '../../values/id.ts';
import { type JsonText, jsonTextOf } from '../../values/json.ts';
import { checkParameterSize } from '../parameters/parameter-size.ts';
import { creatorOf } from '../runs/flow-runs/create.ts';
import { planDates } from './dates.ts';
import { type BackfillRow, backfills, lockBackfill } from './queries.ts';
import type { BackfillCreate, BackfillStatus } from './schema.ts';

/**
 * Stores a backfill with its dates; the service creates the runs. Throws NotFound and Unprocessable like `planDates`,
 * and ValidationFailed for parameters that are too large.
 */
export async function createBackfill(context: Context, input: BackfillCreate): Promise<string> {
  const { now } = context;
  checkParameterSize(input.parameters, context.server.config.maxParameterBytes);
  const id = newId();
  await context.transaction(async (tx) => {
    const { schedule, dates } = await planDates(context, tx, input);
    const backfill = await backfills.insert(tx, {
      id,
      created: now,
      updated: now,
      deployment_id: input.deployment_id,
      name: input.name ?? `${input.start_time.slice(0, 10)} to ${input.end_time.slice(0, 10)}`,
      status: 'RUNNING',
      schedule,
      start_time: input.start_time,
      end_time: input.end_time,
      parameters: input.parameters ?? ('{}' as JsonText),
      date_parameter: input.date_parameter ?? null,
      max_unfinished: input.max_unfinished,
      total: dates.length,
      problem: null,
      ended: null,
      created_by: creatorOf(context),
    });
    await tx.insertAll(
      'backfill_date',
      dates.map((date, position) => ({ backfill_id: id, position, date, flow_run_id: null })),
    );
    await recordBackfillChange(context, tx, 'created', backfill);
  });
  return id;
}

/** Stops creating runs; existing ones continue. Throws ObjectNotFound and Conflict. */
export function pauseBackfill(context: Context, id: string): Promise<void> {
  return change(context, id, 'paused', ['RUNNING'], { status: 'PAUSED' });
}

/** Throws ObjectNotFound and Conflict. */
export function resumeBackfill(context: Context, id: string): Promise<void> {
  return change(context, id, 'resumed', ['PAUSED'], { status: 'RUNNING', problem: null });
}

/** Stops creating runs, and cancels those that have not ended. Throws ObjectNotFound and Conflict. */
export function cancelBackfill(context: Context, id: string): Promise<void> {
  return change(context, id, 'cancelled', ['RUNNING', 'PAUSED'], { status: 'CANCELLING', problem: null });
}

export function missingBackfill(): never {
  throw new ObjectNotFound('Backfill not found');
}

const actions = {
  created: 'create',
  paused: 'pause',
  resumed: 'resume',
  cancelled: 'cancel',
  completed: 'complete',
} as const;

type Change = keyof typeof actions;

function change(
  context: Context,
  id: string,
  kind: Change,
  from: readonly BackfillStatus[],
  given: { readonly status: BackfillStatus; readonly problem?: null },
): Promise<void> {
  return context.transaction(async (tx) => {
    const backfill = (await tx.first(lockBackfill, { id })) ?? missingBackfill();
    if (!from.some((status) => status === backfill.status)) {
      throw new Conflict(`A backfill that is ${backfill.status} cannot be ${kind}.`);
    }
    await backfills.changeAll(tx, { id }, { ...given, updated: context.now });
    await recordBackfillChange(context, tx, kind, { ...backfill, ...given });
  });
}

/** Records a change as an event and, if a person made it, in the audit; wakes the service. */
export async function recordBackfillChange(
  context: Context,
  tx: Tx,
  kind: Change,
  backfill: BackfillRow,
): Promise<void> {
  const { id, name, status, total, problem, deployment_id, start_time, end_time } = backfill;
  const payload = jsonTextOf({ status, total, problem, start_time, end_time });
  await recordChange(context, tx, 'backfill', kind, backfill, payload, [relatedResource('deployment', deployment_id)]);
  await recordWorkspaceAudit(tx, context, {
    action: `backfill.${actions[kind]}`,
    target: { type: 'backfill', id, name },
    details: { deployment: deployment_id, total },
  });
  tx.afterCommit(() => context.server.hub.tell('work', 'backfills', context.workspace));
}
