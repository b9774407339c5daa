/** Intended differences that can be recognized by their dates. The README has the reasons. */
import type { DateRequest } from './date-request.ts';
import { transitionsOf } from './transition-requests.ts';

/** In the tz database their winter time, or their time in Ramadan, is a daylight saving time of minus one hour. */
const NEGATIVE_SAVING = ['Africa/Casablanca', 'Africa/El_Aaiun', 'Eire', 'Europe/Dublin'];

const REACH_SECONDS = 2 * 3600;

/**
 * True where a recurrence of such a zone differs only in dates within two hours of a clock change: the reference takes
 * other hours for those that the change skips or repeats.
 */
export function isNegativeSaving(
  { schedule: { rrule, timezone } }: DateRequest,
  theirs: readonly string[],
  ours: readonly string[],
): boolean {
  if (rrule === undefined || typeof timezone !== 'string' || !NEGATIVE_SAVING.includes(timezone)) return false;
  const changes = transitionsOf(timezone).map(({ epochMilliseconds }) => epochMilliseconds);
  const different = new Set(theirs).symmetricDifference(new Set(ours));
  if (different.size === 0) return false;
  return different.values().every((date) => {
    const { epochMilliseconds } = Temporal.Instant.from(date);
    return changes.some((change) => Math.abs(change - epochMilliseconds) <= REACH_SECONDS * 1000);
  });
}

/** True where the reference only leaves out days at the beginning of March, for a cron with days that February lacks. */
export function isSkippedMarch(
  { schedule: { cron } }: DateRequest,
  theirs: readonly string[],
  ours: readonly string[],
): boolean {
  if (typeof cron !== 'string') return false;
  const found = new Set(theirs);
  const missing = ours.filter((date) => !found.has(date));
  const known = new Set(ours);
  // As many dates are asked for, so that others can follow where some are left out.
  const last = ours.at(-1) ?? '';
  const isExtra = (date: string) =>
    !known.has(date) && Temporal.Instant.from(date).toString() <= Temporal.Instant.from(last).toString();
  return missing.length > 0 && missing.every((date) => /^\d+-03-0[1-3]/.test(date)) && !theirs.some(isExtra);
}
