/**
 * Sorts failures by their causes: failures of one flow that say the same, apart from ids, numbers and quoted values. A run
 * that failed because of a subflow is no failure of its own, so a tree of runs that fails for one reason counts once.
 */
import type { Context } from '../../context/context.ts';
import type { Db, Tx } from '../../database/store.ts';
import { recordChange } from '../../events/record-change.ts';
import { neverSeen, seenAt, spanOf } from '../../recurrence/recurrence.ts';
import { newTimeOrderedId } from '../../values/id.ts';
import { type JsonText, jsonTextOf } from '../../values/json.ts';
import type { Timestamp } from '../../values/time.ts';
import type { StateType } from '../filters/field-schema.ts';
import { findFailingPath } from '../why/failing-path.ts';
import { causeOf, exceptionOf } from '../why/failure-cause.ts';
import {
  type CauseRow,
  causes,
  lockCause,
  sortFailures,
  type UnsortedFailure,
  unsortedFailures,
  versionsOf,
} from './queries.ts';

/** Failures of one pass. Each takes a few reads. */
const BATCH = 100;
const MOST_VERSIONS = 10;

interface Sorted extends UnsortedFailure {
  readonly cause: string;
  readonly cause_flow_id: string;
  readonly cause_flow_name: string;
  /** The run whose failure this one repeats. */
  readonly follows: string | null;
}

/** One pass. True when more failures are left. */
export async function sortSomeFailures(context: Context): Promise<boolean> {
  const failures = await context.db.all(unsortedFailures, { limit: BATCH });
  if (failures.length === 0) return false;
  const sorted: Sorted[] = [];
  for (const failure of failures) sorted.push(await withCause(context.db, failure));
  const groups = Map.groupBy(sorted, ({ cause_flow_id, cause }) => `${cause_flow_id} ${cause}`);
  // In one order, so that two replicas do not wait for each other.
  for (const [, group] of [...groups].sort(([one], [other]) => (one < other ? -1 : 1))) {
    await context.transaction((tx) => count(context, tx, group));
  }
  return failures.length === BATCH;
}

async function withCause(db: Db, failure: UnsortedFailure): Promise<Sorted> {
  const { flow_run_id: id, name, flow_id, flow_name, run_count, message } = failure;
  const own = { cause: causeOf(message), cause_flow_id: flow_id, cause_flow_name: flow_name, follows: null };
  // The task runs and subflows of an earlier state have changed since.
  if (!failure.is_current) return { ...failure, ...own };
  const state_type = failure.state_type as StateType;
  const { runs, task } = await findFailingPath(db, { id, name, flow_id, flow_name, run_count, state_type, message });
  const deepest = runs.at(-1)!;
  const isExplained = task !== undefined && exceptionOf(deepest.message) === undefined;
  return {
    ...failure,
    cause: causeOf(isExplained ? (task.message ?? deepest.message) : deepest.message),
    cause_flow_id: deepest.flow_id,
    cause_flow_name: deepest.flow_name,
    follows: runs.length > 1 ? deepest.id : null,
  };
}

/** Counts failures of one cause, in the transaction that gives them their cause: each counts once. */
async function count(context: Context, tx: Tx, group: readonly Sorted[]): Promise<void> {
  const { now } = context;
  const [{ cause, cause_flow_id: flow_id, cause_flow_name }] = group as [Sorted];
  const before = await causeFor(tx, now, { flow_id, cause, last: group.at(-1)! });
  const taken = await sortFailures(tx, before.id, group);
  const own = group.filter(({ id, follows }) => taken.has(id) && follows === null);
  if (own.length === 0) {
    if (before.count === 0 && taken.size === 0) await causes.removeAll(tx, { id: before.id });
    return;
  }
  const { after, what } = seenAt(
    before,
    own.map(({ timestamp }) => timestamp),
    now,
  );
  const newest = own.at(-1)!;
  await causes.changeAll(
    tx,
    { id: before.id },
    {
      ...after,
      updated: now,
      versions: withVersions(before, own),
      ...(newest.timestamp === after.last_seen && { last_run_id: newest.flow_run_id }),
    },
  );
  if (what === undefined) return;
  const payload = jsonTextOf({ cause, count: after.count, flow_id, flow_run_id: newest.flow_run_id });
  await recordChange(
    context,
    tx,
    'failure-cause',
    what,
    { id: before.id, name: nameOf(cause_flow_name, cause) },
    payload,
    [
      {
        'prefect.resource.id': `prefect.flow.${flow_id}`,
        'prefect.resource.role': 'flow',
        'prefect.resource.name': cause_flow_name,
      },
      {
        'prefect.resource.id': `prefect.flow-run.${newest.flow_run_id}`,
        'prefect.resource.role': 'flow-run',
        'prefect.resource.name': newest.name,
      },
    ],
  );
}

export function nameOf(flowName: string, cause: string): string {
  return `${flowName}: ${cause || 'no message'}`;
}

/** The locked row of a cause; a new one without a count if there is none. */
async function causeFor(
  tx: Tx,
  now: Timestamp,
  { flow_id, cause, last }: { readonly flow_id: string; readonly cause: string; readonly last: Sorted },
): Promise<CauseRow> {
  const known = await causes.first(tx, { flow_id, cause });
  const locked = known && (await tx.first(lockCause, { id: known.id }));
  if (locked) return locked;
  const made = await causes.insertUnlessThere(tx, {
    id: newTimeOrderedId(),
    created: now,
    updated: now,
    flow_id,
    cause,
    ...neverSeen(last.timestamp),
    versions: '[]' as JsonText,
    last_run_id: last.follows ?? last.flow_run_id,
  });
  // Another replica made it at the same time.
  return made ?? causeFor(tx, now, { flow_id, cause, last });
}

function withVersions(cause: Pick<CauseRow, 'versions'>, own: readonly Sorted[]): JsonText {
  const known = new Map(versionsOf(cause).map((one) => [one.version, one]));
  for (const { version, timestamp } of own) {
    if (version === null) continue;
    const before = known.get(version);
    const { first, last } = spanOf([timestamp, before?.first_seen ?? timestamp, before?.last_seen ?? timestamp]);
    known.set(version, { version, first_seen: first, last_seen: last, count: (before?.count ?? 0) + 1 });
  }
  const newestFirst = [...known.values()].sort((one, other) => (one.last_seen > other.last_seen ? -1 : 1));
  return jsonTextOf(newestFirst.slice(0, MOST_VERSIONS));
}
