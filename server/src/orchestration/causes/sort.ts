/**
 * Sorts failures by their causes: failures of one flow that say the same, apart from ids, numbers and quoted values. A
 * tree of runs counts once, for the cause of the deepest run that the runs above it report. A subflow fails before its
 * parent, so its failure is counted first; the failure of the parent then takes it over.
 */
import type { Context } from '../../context/context.ts';
import type { Db, Tx } from '../../database/store.ts';
import { recordChange } from '../../events/record-change.ts';
import { neverSeen, type Recurring, seenAt, spanOf, unseen } from '../../recurrence/recurrence.ts';
import { newTimeOrderedId } from '../../values/id.ts';
import { type JsonText, jsonTextOf } from '../../values/json.ts';
import type { Timestamp } from '../../values/time.ts';
import { listAttempts } from '../runs/attempts.ts';
import { findFlowRun } from '../runs/rows/flow-runs.ts';
import { findFailingPath } from '../why/failing-path.ts';
import { causeOf, exceptionOf, explainedBy } from '../why/failure-cause.ts';
import {
  type CauseRow,
  causes,
  type Failure,
  failureOfState,
  giveCause,
  lockCause,
  makePart,
  partsOfFailure,
  SHOWN,
  unsortedFailures,
  versionsOf,
} from './queries.ts';

/** Failures of one pass. Each takes a few reads. */
const BATCH = 100;
const MOST_VERSIONS = 10;
/** Subflows within each other that are followed. */
const MOST_DEPTH = 20;

/** A failure, and the run whose words are its cause. */
interface Sorted {
  readonly failure: Failure;
  readonly cause: string;
  readonly flow_id: string;
  readonly flow_name: string;
  readonly message: string | null;
  readonly version: string | null;
}

/** One pass. True when more failures are left, unless the first cannot be sorted. */
export async function sortSomeFailures(context: Context): Promise<boolean> {
  const failures = await context.db.all(unsortedFailures, { limit: BATCH });
  let alone: Sorted[] = [];
  /** One that cannot be sorted does not keep back the others. */
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      context.server.logger.error({ err: error }, 'a failure is not sorted by its cause');
    }
  };
  const countEarlier = () => {
    const earlier = alone;
    alone = [];
    return attempt(() => countAlone(context, earlier));
  };
  for (const failure of failures) {
    await attempt(async () => {
      const sorted = await sort(context, failure, countEarlier);
      if (sorted) alone.push(sorted);
    });
  }
  await countEarlier();
  if (failures.length < BATCH) return false;
  const [next] = await context.db.all(unsortedFailures, { limit: 1 });
  return next !== undefined && next.id !== failures[0]!.id;
}

/**
 * Returns a failure that is still to be counted: one without parts. `countEarlier` counts those that were returned
 * before, which the failures of parents take over.
 */
async function sort(
  context: Context,
  failure: Failure,
  countEarlier: () => Promise<void>,
  depth = 0,
): Promise<Sorted | undefined> {
  const { db } = context;
  if (failure.belongs_to !== null) {
    await countEarlier();
    const above = await db.first(failureOfState, { id: failure.belongs_to });
    // It may be from before failures were kept.
    if (!above || depth === MOST_DEPTH) return withCause(db, { ...failure, belongs_to: null }, []);
    await follow(context, failure, above, depth + 1);
    return undefined;
  }
  const parts = await db.all(partsOfFailure, failure);
  const sorted = await withCause(db, failure, parts);
  if (parts.length === 0) return sorted;
  await countEarlier();
  await context.transaction((tx) => count(context, tx, [sorted], parts));
  return undefined;
}

/** Gives a failure the cause of the one to which it belongs. */
async function follow(context: Context, failure: Failure, above: Failure, depth: number): Promise<void> {
  let { cause_id } = above;
  if (cause_id === null) {
    const sorted = await sort(context, above, async () => {}, depth);
    if (sorted) await countAlone(context, [sorted]);
    cause_id = (await context.db.first(failureOfState, above))?.cause_id ?? null;
  }
  const given = cause_id;
  if (given !== null) await context.transaction((tx) => giveCause(tx, failure, given));
}

/** Counts failures without parts: those of one cause together, and the causes in one order for all replicas. */
async function countAlone(context: Context, sorted: readonly Sorted[]): Promise<void> {
  const groups = Map.groupBy(sorted, ({ flow_id, cause }) => `${flow_id} ${cause}`);
  for (const [, group] of [...groups].sort(([one], [other]) => (one < other ? -1 : 1))) {
    await context.transaction((tx) => count(context, tx, group, []));
  }
}

async function withCause(db: Db, failure: Failure, parts: readonly Failure[]): Promise<Sorted> {
  let deepest = failure;
  for (let below = parts, depth = 0; depth < MOST_DEPTH; depth++) {
    const part = explainedBy(deepest.message, below);
    if (!part) break;
    deepest = part;
    below = await db.all(partsOfFailure, part);
  }
  const { flow_id, flow_name, version } = deepest;
  const message = (await wordsOf(db, deepest))?.toWellFormed() ?? null;
  return { failure, flow_id, flow_name, message, version, cause: causeOf(message).toWellFormed() };
}

/** A run that returned the states of its task runs does not say why they failed. */
async function wordsOf(db: Db, { flow_run_id: id, name, flow_name, message, timestamp }: Failure) {
  const run = exceptionOf(message) === undefined ? await findFlowRun(db, id) : undefined;
  const attempt = run && (await listAttempts(db, run)).find((one) => one.timestamp === timestamp);
  if (!attempt) return message;
  const { task } = await findFailingPath(db, { id, name, flow_name, attempt });
  return task?.message ?? message;
}

/** Counts failures of one cause in the transaction that gives it to them, so that each counts once. */
async function count(context: Context, tx: Tx, group: readonly Sorted[], parts: readonly Failure[]): Promise<void> {
  const cause = await causeFor(tx, context.now, group.at(-1)!);
  const taken: Sorted[] = [];
  for (const sorted of group) if (await giveCause(tx, sorted.failure, cause.id)) taken.push(sorted);
  if (taken.length > 0) await write(context, tx, cause, await takeOver(tx, cause, parts), taken);
  else if (cause.count === 0) await causes.removeAll(tx, { id: cause.id });
}

/** Takes back what parts have added to their causes. Returns the columns of `cause` without them. */
async function takeOver(tx: Tx, cause: CauseRow, parts: readonly Failure[]): Promise<Recurring> {
  let before: Recurring = cause;
  for (const part of parts) {
    const { cause_id } = (await makePart(tx, part)) ?? {};
    if (!cause_id) continue;
    if (cause_id === cause.id) {
      before = unseen(before, [part.timestamp]);
      continue;
    }
    const other = await tx.first(lockCause, { id: cause_id });
    if (!other) continue;
    if (other.count === 1) await causes.removeAll(tx, { id: other.id });
    else await causes.changeAll(tx, { id: other.id }, countsOf(unseen(other, [part.timestamp])));
  }
  return before;
}

function countsOf({ count: times, days }: Recurring) {
  return { count: times, days };
}

async function write(
  context: Context,
  tx: Tx,
  cause: CauseRow,
  before: Recurring,
  counted: readonly Sorted[],
): Promise<void> {
  const { now } = context;
  const { id, flow_id } = cause;
  const times = counted.map(({ failure }) => failure.timestamp);
  const { after, what } = seenAt(before, times, now);
  const { failure, flow_name, message } = counted.at(-1)!;
  // A parent took over the failure of its subflow.
  const isKnown = after.count === cause.count;
  await causes.changeAll(
    tx,
    { id },
    {
      ...recurringOf(after),
      updated: now,
      ...(!isKnown && { versions: withVersions(cause, counted) }),
      ...(failure.timestamp === after.last_seen && lastOf(failure, message)),
    },
  );
  if (what === undefined || isKnown) return;
  const payload = jsonTextOf({ cause: cause.cause, count: after.count, flow_id, flow_run_id: failure.flow_run_id });
  const related = [
    resource('flow', flow_id, flow_name),
    resource('flow-run', failure.flow_run_id, failure.name.slice(0, SHOWN).toWellFormed()),
  ];
  await recordChange(
    context,
    tx,
    'failure-cause',
    what,
    { id, name: nameOf(flow_name, cause.cause) },
    payload,
    related,
  );
}

function recurringOf({ first_seen, last_seen, count: times, days, resolved, regressed, muted_until_count }: Recurring) {
  return { first_seen, last_seen, count: times, days, resolved, regressed, muted_until_count };
}

function resource(kind: string, id: string, name: string) {
  return {
    'prefect.resource.id': `prefect.${kind}.${id}`,
    'prefect.resource.role': kind,
    'prefect.resource.name': name,
  };
}

export function nameOf(flowName: string, cause: string): string {
  return `${flowName}: ${cause || 'no message'}`;
}

/** The locked row of a cause; a new one without a count if there is none. */
async function causeFor(tx: Tx, now: Timestamp, sorted: Sorted): Promise<CauseRow> {
  const { flow_id, cause, failure, message } = sorted;
  const known = await causes.first(tx, { flow_id, cause });
  const locked = known && (await tx.first(lockCause, { id: known.id }));
  if (locked) return locked;
  const made = await causes.insertUnlessThere(tx, {
    id: newTimeOrderedId(),
    created: now,
    updated: now,
    flow_id,
    cause,
    ...neverSeen(failure.timestamp),
    versions: '[]' as JsonText,
    ...lastOf(failure, message),
  });
  // Another replica made it at the same time.
  return made ?? causeFor(tx, now, sorted);
}

function lastOf({ flow_run_id, name, state_type, state_name }: Failure, message: string | null) {
  return {
    last_run_id: flow_run_id,
    last_run_name: name.slice(0, SHOWN).toWellFormed(),
    last_state_type: state_type,
    last_state_name: state_name,
    last_message: message?.slice(0, SHOWN).toWellFormed() ?? null,
  };
}

function withVersions(cause: Pick<CauseRow, 'versions'>, counted: readonly Sorted[]): JsonText {
  const known = new Map(versionsOf(cause).map((one) => [one.version, one]));
  for (const { failure, version } of counted) {
    const { timestamp } = failure;
    if (version === null) continue;
    const before = known.get(version);
    const { first, last } = spanOf([timestamp, before?.first_seen ?? timestamp, before?.last_seen ?? timestamp]);
    known.set(version, { version, first_seen: first, last_seen: last, count: (before?.count ?? 0) + 1 });
  }
  const newestFirst = [...known.values()].sort((one, other) => (one.last_seen > other.last_seen ? -1 : 1));
  return jsonTextOf(newestFirst.slice(0, MOST_VERSIONS));
}
