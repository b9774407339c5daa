/**
 * Evaluates the triggers of a workspace. One transaction removes events from the inbox and writes all their effects, so
 * neither a crash nor another replica loses or duplicates a firing.
 */
import type { Context } from '../../../context/context.ts';
import type { Tx } from '../../../database/store.ts';
import { WHOLE_WORK, WorkAllowance } from '../../../fairness/foreign-work/allowance.ts';
import { parseObject } from '../../../values/json.ts';
import { addMicroseconds, addSeconds, microsecondsOf, type Timestamp } from '../../../values/time.ts';
import { holdsEvents } from './bucket.ts';
import { looksAtAllTogether, TriggerSet } from './compile.ts';
import { ChildFirings } from './composite.ts';
import {
  type BucketKey,
  bucketKey,
  Evaluation,
  type HeldRange,
  heldRanges,
  type QueuedEvent,
  type Sighting,
  type StoredBucket,
  sightingsOf,
} from './evaluation.ts';
import { HELD_SECONDS } from './held-events.ts';
import { MAX_BATCH, takeBatch } from './inbox.ts';
import { Looks } from './looks.ts';
import {
  findBuckets,
  findBucketsToLookAt,
  findHeldEvents,
  findNextEnds,
  hasTriggers,
  haveManyActions,
  holdProgress,
  listEnabledAutomations,
  listStoredFirings,
  type Progress,
  progresses,
  sweepBuckets,
  sweepHeldEvents,
  writeBuckets,
  writeHeldEvents,
} from './trigger-queries.ts';
import { writeFirings } from './write-firings.ts';

/** Seconds between checks of proactive triggers, as on the Prefect server 3.9.1. */
export const TICK_SECONDS = 5;
/** Seconds for which buckets are kept after their end, as on the Prefect server 3.9.1. */
const KEPT_AFTER_END_SECONDS = 60;

interface Compiled {
  version: number;
  triggers: TriggerSet;
}

/** A cache of one process between passes; losing it loses no data. */
interface Memory {
  compiled: Compiled | undefined;
  readonly looks: Looks;
  lastTick: Timestamp;
  nextTick: Timestamp;
  /** Most events in one pass: fewer after a pass whose events took too much work. */
  mostEvents: number;
}

/**
 * The events of a pass take too much work for one turn of the event loop: nothing is written, and the next pass takes
 * fewer.
 */
class BatchTooCostly extends Error {
  readonly seen: number;

  /** `seen` is the number of evaluated events, at least 1. */
  constructor(seen: number) {
    super('The events of this pass take too much work.');
    this.seen = seen;
  }
}

/**
 * Waiting actions of one workspace. Otherwise automations that fire each other would create actions faster than they
 * run.
 */
const MOST_WAITING = 20_000;

/** Characters of triggers that the firings of one pass may write, because others wait for its transaction. */
const MOST_WRITTEN = 3_000_000;

/** The passes of one process over the triggers of each workspace. */
export class TriggerPasses {
  readonly #memories = new Map<number, Memory>();
  readonly #mostWaiting: number;

  constructor(mostWaiting = MOST_WAITING) {
    this.#mostWaiting = mostWaiting;
  }

  /**
   * One pass. Resolves to true when more may be due at once. While too many actions wait, events wait too: the event of
   * a finished action wakes the passes.
   */
  async evaluate(context: Context): Promise<boolean> {
    if (!(await hasTriggers(context.db))) return false;
    if (await haveManyActions(context.db, this.#mostWaiting)) return false;
    const memory = this.#memoryOf(context.workspace);
    // If the clock was set back, the next tick is due at once.
    const isTick = context.now >= memory.nextTick || context.now < memory.lastTick;
    const hasMore = await context
      .transaction(async (tx) => {
        const progress = await tx.first(holdProgress);
        return progress ? evaluate(context, tx, progress, memory, isTick) : false;
      })
      .then(
        (more) => {
          memory.mostEvents = Math.min(MAX_BATCH, 2 * memory.mostEvents);
          return more;
        },
        (error: unknown) => {
          if (!(error instanceof BatchTooCostly)) throw error;
          memory.mostEvents = error.seen;
          return true;
        },
      );
    if (isTick && !hasMore) {
      memory.lastTick = context.now;
      memory.nextTick = addSeconds(context.now, TICK_SECONDS);
    }
    return hasMore;
  }

  #memoryOf(workspace: number): Memory {
    let memory = this.#memories.get(workspace);
    if (!memory) {
      memory = {
        compiled: undefined,
        looks: new Looks(),
        lastTick: '' as Timestamp,
        nextTick: '' as Timestamp,
        mostEvents: MAX_BATCH,
      };
      this.#memories.set(workspace, memory);
    }
    return memory;
  }
}

async function evaluate(
  context: Context,
  tx: Tx,
  progress: Progress,
  memory: Memory,
  isTick: boolean,
): Promise<boolean> {
  const triggers = await currentTriggers(tx, progress, memory);
  const batch = await takeBatch(tx, context.now, isTick, Math.min(memory.mostEvents, batchSizeFor(triggers)));
  const children = new ChildFirings(triggers.hasComposites ? await listStoredFirings(tx) : []);
  const evaluation = new Evaluation(children, microsecondsOf(context.now));

  const sightings = sightingsIn(triggers, batch.events, memory.mostEvents > 1);
  const keys = new Map(
    sightings
      .filter(({ trigger }) => trigger.remembers)
      .map(({ key }) => [`${key.trigger_id} ${key.key_digest}`, key] as const),
  );
  addStored(triggers, evaluation, await findBuckets(tx, [...keys.values()]));
  await addHeld(tx, triggers, evaluation, heldRanges(sightings));
  for (const sighting of sightings) evaluation.observe(sighting);

  const clock = eventClock(progress, batch.lastOccurred, context.now);
  // Until the inbox is empty, it may still contain an event that seems to be missing.
  const isOver = batch.isLast && isTick ? await passTime(context, tx, triggers, evaluation, clock, memory.looks) : true;
  await writeBuckets(tx, evaluation);
  await writeHeldEvents(tx, evaluation, context.now);
  await writeFirings(context, tx, evaluation.firings, children, batch.rows);
  if (batch.isLast && isTick && isOver) {
    await tx.run(sweepHeldEvents, { now: context.now, before: addSeconds(context.now, -HELD_SECONDS) });
    await tx.run(sweepBuckets, { before: addSeconds(clock, -KEPT_AFTER_END_SECONDS) });
  }
  if (batch.lastOccurred !== undefined) {
    await progresses.changeAll(tx, {}, { last_occurred: clock, last_seen: context.now });
  }
  // A firing is also an event.
  return batch.rows.size > 0 || evaluation.firings.length > 0 || !batch.isLast || !isOver;
}

/** Throws BatchTooCostly when `mayStop` is true and the events take more work than the allowance of one. */
function sightingsIn(triggers: TriggerSet, events: readonly QueuedEvent[], mayStop: boolean): Sighting[] {
  const sightings: Sighting[] = [];
  let spent = 0;
  for (const [index, event] of events.entries()) {
    if (mayStop && spent > WHOLE_WORK) throw new BatchTooCostly(index);
    const work = new WorkAllowance();
    sightings.push(...sightingsOf(triggers, event, work));
    spent += WHOLE_WORK - work.left;
  }
  return sightings;
}

/** Number of events in one pass: fewer if each of them can cause large or many firings. */
function batchSizeFor({ weight }: TriggerSet): number {
  return Math.min(MAX_BATCH, Math.max(1, Math.floor(MOST_WRITTEN / Math.max(1, weight))));
}

async function currentTriggers(tx: Tx, { version }: Progress, memory: Memory): Promise<TriggerSet> {
  if (memory.compiled?.version !== version) {
    memory.compiled = { version, triggers: new TriggerSet(await tx.all(listEnabledAutomations)) };
    memory.looks.keep(memory.compiled.triggers.events);
  }
  return memory.compiled.triggers;
}

function addStored(triggers: TriggerSet, evaluation: Evaluation, stored: readonly StoredBucket[]): void {
  for (const bucket of stored) {
    const trigger = triggers.withId(bucket.key.trigger_id);
    if (!trigger) continue;
    evaluation.addStored(trigger, labelsOf(bucket.key), bucket);
  }
}

function labelsOf({ bucketing_key }: BucketKey): Record<string, string> {
  return parseObject(bucketing_key as never) as Record<string, string>;
}

async function addHeld(
  tx: Tx,
  triggers: TriggerSet,
  evaluation: Evaluation,
  ranges: readonly HeldRange[],
): Promise<void> {
  for (const { key, ...event } of await findHeldEvents(tx, ranges)) {
    const trigger = triggers.withId(key.trigger_id);
    if (trigger) evaluation.addHeld(trigger, labelsOf(key), key, event);
  }
}

/** Checks the proactive triggers that are due. False when more are due. */
async function passTime(
  context: Context,
  tx: Tx,
  triggers: TriggerSet,
  evaluation: Evaluation,
  clock: Timestamp,
  looks: Looks,
): Promise<boolean> {
  const due = looks.due(triggers.proactive, microsecondsOf(context.now));
  if (due.length === 0) return true;
  const now = microsecondsOf(clock);
  const together = due.filter(looksAtAllTogether);
  const keys = together.map((trigger) => bucketKey(trigger, {}));
  addStored(triggers, evaluation, await findBuckets(tx, keys));
  const windows = together
    .filter(({ rule }) => holdsEvents(rule))
    .map((trigger) => ({
      key: bucketKey(trigger, {}),
      since: now,
      until: now + trigger.rule.withinMicroseconds,
    }));
  await addHeld(tx, triggers, evaluation, windows);
  const found = await findBucketsToLookAt(tx, due, clock, MAX_BATCH);
  addStored(triggers, evaluation, found);
  for (const trigger of together) evaluation.open(trigger, now);
  evaluation.passTime(new Set(due), now);
  if (found.length === MAX_BATCH) return false;
  const ends = await findNextEnds(tx, due, clock);
  for (const trigger of due) {
    const [stored, seen] = [ends.get(trigger.id), evaluation.nextEnd(trigger, now)];
    looks.looked(trigger, now, stored === undefined || seen === undefined ? (stored ?? seen) : Math.min(stored, seen));
  }
  return true;
}

/**
 * The time of the latest event, plus the time since the last event was evaluated: while old events of a backlog arrive,
 * no event counts as missing. Never later than `now`. Source: the Prefect server 3.9.1.
 */
function eventClock(progress: Progress, lastOccurred: Timestamp | undefined, now: Timestamp): Timestamp {
  const { last_occurred, last_seen } = progress;
  // Timestamps sort like text.
  const [latest] = [last_occurred ?? undefined, lastOccurred]
    .filter((time) => time !== undefined)
    .toSorted()
    .reverse();
  if (latest === undefined) return now;
  const seen = lastOccurred === undefined ? (last_seen ?? now) : now;
  const clock = addMicroseconds(latest, microsecondsOf(now) - microsecondsOf(seen));
  return clock < now ? clock : now;
}
