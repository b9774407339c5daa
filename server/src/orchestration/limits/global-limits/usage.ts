/**
 * Counts the used slots of a limit. A limit with a decay frees slots over time: the number in use at its `updated`
 * falls by whole slots from then on. Source: `GET /v2/concurrency_limits/{id_or_name}` of the Prefect server 3.9.1.
 */
import { secondsBetween, type Timestamp } from '../../../values/time.ts';
import type { LimitInUse, LimitRow } from './queries.ts';

/** A shorter occupancy counts as this. Source: `POST /v2/concurrency_limits/decrement` of the Prefect server 3.9.1. */
const MIN_OCCUPANCY_SECONDS = 0.1;

/** Longest `Retry-After`, in seconds. Source: settings of the Prefect server, at their defaults. */
const MAX_WAIT_SECONDS = 30;
const MAX_TAG_WAIT_SECONDS = 10;

/** Largest deviation of a returned wait from the computed one, as a fraction, so that clients do not retry together. */
const SPREAD = 0.3;

export function activeSlots(limit: LimitInUse, now: Timestamp): number {
  return Math.max(0, limit.unleased_slots + limit.leased_slots - decayedSlots(limit, now));
}

/** Slots freed by decay since the limit last changed. It may exceed the number in use. */
export function decayedSlots(limit: LimitRow, now: Timestamp): number {
  const decayed = Math.floor(limit.slot_decay_per_second * secondsSinceUpdate(limit, now));
  return Math.min(decayed, Number.MAX_SAFE_INTEGER);
}

/** Denied slots that still count. They decrease at the rate at which slots become free. */
export function deniedSlots(limit: LimitRow, now: Timestamp): number {
  const { slot_decay_per_second, avg_slot_occupancy_seconds } = limit;
  const pace = slot_decay_per_second || 1 / Math.max(avg_slot_occupancy_seconds, MIN_OCCUPANCY_SECONDS);
  return Math.max(0, limit.denied_slots - Math.floor(pace * secondsSinceUpdate(limit, now)));
}

/** Never negative: the clocks of replicas may differ by some milliseconds. */
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

/** Seconds after which a client that was refused `slots` should retry. */
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

/** An exponentially distributed time around `average`, at most `SPREAD` away from it. */
function aboutSeconds(average: number): number {
  const earliest = Math.exp(-(1 - SPREAD));
  const latest = Math.exp(-(1 + SPREAD));
  return average * -Math.log(earliest - Math.random() * (earliest - latest));
}
