/**
 * Computes when API keys end: at their expiry and, in an organization that limits the age of keys, when they reach that
 * age. A key that has expired identifies no one. A key that is too old for one organization still works in the other
 * organizations of its owner.
 */
import { counted } from '../../values/counted.ts';
import { addSeconds, type Timestamp } from '../../values/time.ts';

const DAY_SECONDS = 86_400;

export const KEY_EXPIRED = 'This API key has expired. Create a new one.';

/** The refusal of a key that has reached the maximum age of an organization. */
function keyTooOld(days: number): string {
  return `This organization accepts API keys for ${daysText(days)}, and this key is older. Roll it, or create a new one.`;
}

/** For example, `1 day` or `90 days`. */
export function daysText(days: number): string {
  return counted(days, 'day');
}

export function addDays(time: Timestamp, days: number): Timestamp {
  return addSeconds(time, days * DAY_SECONDS);
}

/** Null when no maximum age is set. */
export function endOfAge(created: Timestamp, maxKeyAgeDays: number | null): Timestamp | null {
  return maxKeyAgeDays === null ? null : addDays(created, maxKeyAgeDays);
}

export function earlierEnd(one: Timestamp | null, other: Timestamp | null): Timestamp | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

/** The end is the first moment at which a key no longer works. */
export function hasEnded(end: Timestamp | null, now: Timestamp): boolean {
  return end !== null && end <= now;
}

/** The sentence for a key that an organization no longer accepts; undefined for an accepted key and for a session. */
export function ageRefusal(
  created: Timestamp | undefined,
  maxKeyAgeDays: number | null,
  now: Timestamp,
): string | undefined {
  if (created === undefined || maxKeyAgeDays === null) return undefined;
  return hasEnded(endOfAge(created, maxKeyAgeDays), now) ? keyTooOld(maxKeyAgeDays) : undefined;
}
