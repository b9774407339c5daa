/**
 * How an event trigger counts. A bucket is a window of time with a count; an event or the clock advances it. The
 * functions are pure: the result depends only on the rule, the bucket and the event. Source:
 * docs.prefect.io/v3/concepts/event-triggers; `bucket.test.ts` checks them against models.
 */
import { timestampFromMicroseconds } from '../../../time.ts';

/** Times are microseconds since 1970. */
export interface Bucket {
  readonly start: number;
  /** The window ends before it. */
  readonly end: number;
  /** -1 when the event that opened the window also counts: it does not count itself. */
  readonly count: number;
  readonly lastEventId: string | null;
}

export interface WindowRule {
  readonly isProactive: boolean;
  /** The window opens with an event of another kind, and not with the first that counts. */
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

export interface Outcome {
  /** Undefined when nothing needs to be stored. */
  readonly bucket: Bucket | undefined;
  /** For each firing the last event of its window; null when there was none. */
  readonly fired: readonly (string | null)[];
}

/** A window that opens with its first event reaches back, for events that arrive out of order. */
const LOOK_BACK_MICROSECONDS = 15 * 60 * 1_000_000;
/** The range that can be stored: timestamps have four digits for the year, and these numbers are exact until 2255. */
const EARLIEST = -62_135_596_800_000_000;
const LATEST = 9_000_000_000_000_000;

export function observeEvent(rule: WindowRule, found: Bucket | undefined, event: ObservedEvent): Outcome {
  const fired: (string | null)[] = [];
  let bucket = found;
  if (bucket && rule.opensAfter && event.opens && event.occurred >= bucket.end) {
    if (isMissed(rule, bucket)) fired.push(bucket.lastEventId);
    bucket = undefined;
  }
  if (!bucket) bucket = openBucket(rule, event);
  else if (rule.opensAfter && event.opens && !event.counts) bucket = { ...bucket, lastEventId: event.id };
  if (!bucket || !event.counts) return { bucket, fired };
  const counted = countEvent(rule, bucket, event);
  return { bucket: counted.bucket, fired: [...fired, ...counted.fired] };
}

/** Advances the clock alone: a proactive trigger fires when its window is over and too few events came. */
export function passTime(rule: WindowRule, bucket: Bucket, now: number): Outcome {
  if (!rule.isProactive || now < bucket.end) return { bucket, fired: [] };
  return { bucket: successor(rule, bucket, now), fired: isMissed(rule, bucket) ? [bucket.lastEventId] : [] };
}

/** The window that begins at `now`, for a trigger that needs no event to open it. */
export function bucketFrom(rule: WindowRule, now: number): Bucket {
  return { start: now, end: now + rule.withinMicroseconds, count: 0, lastEventId: null };
}

export function windowTime(microseconds: number) {
  return timestampFromMicroseconds(Math.min(Math.max(microseconds, EARLIEST), LATEST));
}

function openBucket(rule: WindowRule, { id, occurred, opens, counts }: ObservedEvent): Bucket | undefined {
  const end = occurred + rule.withinMicroseconds;
  if (rule.opensAfter) {
    return opens ? { start: occurred, end, count: counts ? -1 : 0, lastEventId: id } : undefined;
  }
  if (!counts) return undefined;
  return { start: occurred - LOOK_BACK_MICROSECONDS, end, count: 0, lastEventId: id };
}

function countEvent(rule: WindowRule, bucket: Bucket, event: ObservedEvent): Outcome {
  const { id, occurred } = event;
  if (occurred < bucket.start) return { bucket, fired: [] };
  const isInside = occurred < bucket.end;
  const isCounted = isInside || (!rule.isProactive && rule.withinMicroseconds === 0);
  const counted: Bucket = isCounted ? { ...bucket, count: bucket.count + 1, lastEventId: id } : bucket;
  const isReached = counted.count >= rule.threshold;
  const fires = rule.isProactive ? !isInside && !isReached : isCounted && isReached;
  if (!fires && isInside) {
    const restarts = rule.isProactive && event.opens && rule.opensAfter && isReached;
    return { bucket: restarts ? { ...bucketFrom(rule, occurred), lastEventId: id } : counted, fired: [] };
  }
  const fired = fires ? [counted.lastEventId] : [];
  const next = successor(rule, counted, occurred);
  // An event after the end is the first of the next window; at the end of the calendar there may be none.
  if (isInside || !next || occurred >= next.end) return { bucket: next, fired };
  const again = countEvent(rule, next, event);
  return { bucket: again.bucket, fired: [...fired, ...again.fired] };
}

/** The window after one that is over; the rest of a window in which the trigger fired is not counted. */
function successor(rule: WindowRule, bucket: Bucket, now: number): Bucket | undefined {
  if (rule.opensAfter || rule.withinMicroseconds === 0) return undefined;
  return bucketFrom(rule, Math.max(bucket.end, now));
}

function isMissed(rule: WindowRule, bucket: Bucket): boolean {
  return rule.isProactive && bucket.count < rule.threshold;
}
