/**
 * The counting of an event trigger. A bucket is a time window with a count; an event or the clock advances it. The
 * functions are pure: the result depends only on the rule, the bucket, the held events and the event. Source:
 * docs.prefect.io/v3/concepts/event-triggers and the Prefect server 3.9.1, with which `npm run test:reference`
 * compares; `bucket.test.ts` checks them against models.
 */
import { timestampFromMicroseconds } from '../../../values/time.ts';

/** Times are microseconds since 1970. */
export interface Bucket {
  readonly start: number;
  /** The end of the window, exclusive. */
  readonly end: number;
  /** -1 when the event that opened the window is also of a counting kind: it does not count itself. */
  readonly count: number;
  readonly lastEventId: string | null;
  /** Time of the last event if it only counts; null for an event that opens windows. */
  readonly lastEnded: number | null;
}

export interface WindowRule {
  readonly isProactive: boolean;
  /** True if the window opens with an event of another kind, instead of the first that counts. */
  readonly opensAfter: boolean;
  readonly threshold: number;
  readonly withinMicroseconds: number;
}

export interface ObservedEvent {
  readonly id: string;
  readonly occurred: number;
  readonly opens: boolean;
  readonly counts: boolean;
}

/** The events of one key that only count, kept for windows that open over them later. */
export interface HeldEvents {
  /** False when it is already held. */
  hold(event: ObservedEvent): boolean;
  /** Number of held events from `start`, inclusive, to `end`, exclusive. */
  countIn(start: number, end: number): number;
}

export interface Outcome {
  /** Undefined when no change needs to be stored. */
  readonly bucket: Bucket | undefined;
  /** The event of each firing; null for a firing without one. */
  readonly fired: readonly (string | null)[];
}

/** A window that opens with its first event reaches back, for events that arrive out of order. */
const LOOK_BACK_MICROSECONDS = 15 * 60 * 1_000_000;
/** The range that can be stored: timestamps have four digits for the year, and these numbers are exact until 2255. */
const EARLIEST = -62_135_596_800_000_000;
const LATEST = 9_000_000_000_000_000;

/** True if an event may count in windows that open after it has arrived. */
export function holdsEvents({ isProactive, opensAfter }: WindowRule): boolean {
  return isProactive && opensAfter;
}

export function observeEvent(
  rule: WindowRule,
  found: Bucket | undefined,
  event: ObservedEvent,
  held: HeldEvents,
): Outcome {
  const opens = rule.opensAfter && event.opens;
  const bucket = found ?? openBucket(rule, event, held);
  if (!event.counts) return { bucket, fired: [] };
  // A held event was counted by the window in which it arrived, or by a window that opened over it.
  if (holdsEvents(rule) && !opens && !held.hold(event)) return { bucket, fired: [] };
  return bucket ? evaluate(rule, bucket, event.occurred, event, held) : { bucket, fired: [] };
}

/** Advances the window of a proactive trigger to `now`: it fires when the window is over and had too few events. */
export function passTime(rule: WindowRule, bucket: Bucket, now: number, held: HeldEvents): Outcome {
  if (!rule.isProactive) return { bucket, fired: [] };
  // Enough events came, whatever follows.
  if (bucket.count >= rule.threshold) return { bucket: undefined, fired: [] };
  return evaluate(rule, bucket, now, undefined, held);
}

/** The window that opens at `now` without an event, for a trigger that does not group events by a key. */
export function bucketFrom(rule: WindowRule, now: number, held: HeldEvents): Bucket {
  return windowFrom(rule, now, { count: 0, lastEventId: null, lastEnded: null }, held);
}

export function windowTime(microseconds: number) {
  return timestampFromMicroseconds(Math.min(Math.max(microseconds, EARLIEST), LATEST));
}

function openBucket(rule: WindowRule, event: ObservedEvent, held: HeldEvents): Bucket | undefined {
  const { id, occurred, opens, counts } = event;
  if (rule.opensAfter) {
    if (!opens) return undefined;
    return windowFrom(rule, occurred, { count: counts ? -1 : 0, lastEventId: id, lastEnded: null }, held);
  }
  if (!counts) return undefined;
  const end = occurred + rule.withinMicroseconds;
  return { start: occurred - LOOK_BACK_MICROSECONDS, end, count: 0, lastEventId: id, lastEnded: occurred };
}

/** `count` is raised by the held events in the window. */
function windowFrom(
  rule: WindowRule,
  start: number,
  { count, ...last }: Omit<Bucket, 'start' | 'end'>,
  held: HeldEvents,
): Bucket {
  const end = start + rule.withinMicroseconds;
  return { start, end, count: count + (holdsEvents(rule) ? held.countIn(start, end) : 0), ...last };
}

/** `event` occurred at `now` and counts; without one, only the time advances. */
function evaluate(
  rule: WindowRule,
  bucket: Bucket,
  now: number,
  event: ObservedEvent | undefined,
  held: HeldEvents,
): Outcome {
  if (now < bucket.start) return { bucket, fired: [] };
  const isInside = now < bucket.end;
  const isCounted = event !== undefined && (isInside || (!rule.isProactive && rule.withinMicroseconds === 0));
  const counted = isCounted ? { ...bucket, count: bucket.count + 1, ...lastOf(rule, event) } : bucket;
  const isReached = counted.count >= rule.threshold;
  const fires = rule.isProactive ? !isInside && !isReached : isReached;
  if (!fires && isInside) {
    const moves = event !== undefined && rule.isProactive && isReached && rule.opensAfter && event.opens;
    return { bucket: moves ? movedWindow(rule, bucket, event, held) : counted, fired: [] };
  }
  const fired = fires ? [event?.id ?? counted.lastEventId] : [];
  if (rule.opensAfter) return { bucket: undefined, fired };
  if (rule.withinMicroseconds === 0) return { bucket: fires ? undefined : counted, fired };
  // The rest of a window in which the trigger has fired does not count.
  const next = bucketFrom(rule, Math.max(bucket.end, now), held);
  if (event === undefined || isCounted) return { bucket: next, fired };
  // The event came after the end of its window and is the first in the next one.
  if (rule.isProactive) return { bucket: { ...next, count: 1 }, fired };
  const again = evaluate(rule, next, now, event, held);
  return { bucket: again.bucket, fired: [...fired, ...again.fired] };
}

/** An event that opens and counts moves a window that has enough events, like a heartbeat. */
function movedWindow(
  rule: WindowRule,
  { lastEventId, lastEnded }: Bucket,
  event: ObservedEvent,
  held: HeldEvents,
): Bucket {
  const hasEnded = lastEnded !== null && lastEnded >= event.occurred;
  const last = hasEnded ? { lastEventId, lastEnded } : lastOf(rule, event);
  return windowFrom(rule, event.occurred, { count: 0, ...last }, held);
}

function lastOf({ opensAfter }: WindowRule, { id, occurred, opens }: ObservedEvent) {
  return { lastEventId: id, lastEnded: opensAfter && opens ? null : occurred };
}
