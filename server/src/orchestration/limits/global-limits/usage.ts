/**
 * How much of a limit is in use. With a decay, slots come back by themselves: what was in use at the limit's `updated`
 * shrinks by whole slots from then on. Source: asked of the reference server.
 */
import { secondsBetween, type Timestamp } from '../../../time.ts';
import type { LimitInUse, LimitRow } from './queries.ts';

/** A shorter occupancy counts as this long. Source: reference behaviour, concurrency limits. */
const MIN_OCCUPANCY_SECONDS = 0.1;

/** Longest waits that are answered, in seconds. Source: settings of the reference, at their defaults. */
const MAX_WAIT_SECONDS = 30;
const MAX_TAG_WAIT_SECONDS = 10;

/** How far an answered wait may be from the computed one, as a part of it, so that waiters do not return together. */
const SPREAD = 0.3;

export function activeSlots(limit: LimitInUse, now: Timestamp): number {
  return Math.max(0, limit.unleased_slots + limit.leased_slots - decayedSlots(limit, now));
}

/** Slots that came back since the limit was last changed, were there that many in use. */
export function decayedSlots(limit: LimitRow, now: Timestamp): number {
  const decayed = Math.floor(limit.slot_decay_per_second * secondsSinceUpdate(limit, now));
  return Math.min(decayed, Number.MAX_SAFE_INTEGER);
}

/** Denials are forgotten at the pace at which slots come back. */
export function deniedSlots(limit: LimitRow, now: Timestamp): number {
  const { slot_decay_per_second, avg_slot_occupancy_seconds } = limit;
  const pace = slot_decay_per_second || 1 / Math.max(avg_slot_occupancy_seconds, MIN_OCCUPANCY_SECONDS);
  return Math.max(0, limit.denied_slots - Math.floor(pace * secondsSinceUpdate(limit, now)));
}

/** Replicas may differ by some milliseconds. */
function secondsSinceUpdate(limit: LimitRow, now: Timestamp): number {
  return Math.max(0, secondsBetween(limit.updated, now));
}

/**
 * The average with one more measurement: `slots` of the limit were held for `seconds`. It spans about twice as many
 * measurements as the limit has slots.
 */
export function averageOccupancy(limit: LimitRow, slots: number, seconds: number): number {
  const perSlot = Math.max(MIN_OCCUPANCY_SECONDS, seconds / slots);
  const average = limit.avg_slot_occupancy_seconds;
  return limit.limit === 0 ? average : average + (perSlot - average) / (limit.limit * 2);
}

/** Seconds after which somebody who found no room for `slots` should ask again. */
export function secondsToWait(full: readonly LimitRow[], slots: number, now: Timestamp): number {
  return aboutSeconds(Math.max(0, ...full.map((limit) => waitFor(limit, slots, now))));
}

function waitFor(limit: LimitRow, slots: number, now: Timestamp): number {
  const wanted = slots + deniedSlots(limit, now);
  if (limit.slot_decay_per_second > 0) return wanted / limit.slot_decay_per_second;
  const longest = limit.name.startsWith('tag:') ? MAX_TAG_WAIT_SECONDS : MAX_WAIT_SECONDS;
  const occupancy = Math.min(limit.avg_slot_occupancy_seconds, longest);
  return Math.min((occupancy * wanted) / Math.max(1, limit.limit), longest);
}

/** An exponentially distributed time around `average`, cut to at most `SPREAD` from it. */
function aboutSeconds(average: number): number {
  const earliest = Math.exp(-(1 - SPREAD));
  const latest = Math.exp(-(1 + SPREAD));
  return average * -Math.log(earliest - Math.random() * (earliest - latest));
}
