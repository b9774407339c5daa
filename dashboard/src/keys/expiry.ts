/** The choices for the expiry of a key, with their words. */
import type { components } from '../api/platform.gen.ts';

export type ApiKey = components['schemas']['ApiKey'];

const DAY_MILLISECONDS = 86_400_000;
/** Days within which the server lists keys as ending soon. */
const SOON_DAYS = 14;
const LIFETIMES = [7, 30, 90, 365];
const USUAL_DAYS = 90;

/** Days as text, or `none` for the longest allowed time. */
export type Lifetime = string;

/** `maxAgeDays` is the maximum age of keys that the organization accepts. */
export function lifetimesWithin(maxAgeDays: number | null): readonly (readonly [Lifetime, string])[] {
  const days = LIFETIMES.filter((one) => maxAgeDays === null || one < maxAgeDays);
  const longest = maxAgeDays === null ? 'Never' : `In ${daysText(maxAgeDays)}, the maximum age`;
  return [...days.map((one) => [String(one), `In ${daysText(one)}`] as const), ['none', longest]];
}

export function usualLifetime(maxAgeDays: number | null): Lifetime {
  return maxAgeDays === null || maxAgeDays > USUAL_DAYS ? String(USUAL_DAYS) : 'none';
}

export function expiryOf(lifetime: Lifetime, now = Date.now()): string | null {
  const days = Number(lifetime);
  return Number.isFinite(days) ? new Date(now + days * DAY_MILLISECONDS).toISOString() : null;
}

export function endsSoon({ state, expiresAt }: Pick<ApiKey, 'state' | 'expiresAt'>, now: number): boolean {
  return state === 'active' && expiresAt !== null && Date.parse(expiresAt) <= now + SOON_DAYS * DAY_MILLISECONDS;
}

export function daysText(days: number): string {
  return days === 1 ? '1 day' : `${days} days`;
}
