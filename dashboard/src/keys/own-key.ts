/** A key of the person who is signed in. */
import { useAccess } from '../api/access.ts';
import { answered, platform } from '../api/client.ts';

export const createOwnKey = (descriptor: string, expiresAt: string | null) =>
  answered(platform.POST('/me/api-keys', { body: { descriptor, expiresAt } }));

/** The maximum age of the person's keys in days: every organization must accept them. Null for any. */
export function useMaxKeyAge(): number | null {
  const ages = (useAccess()?.organizations ?? []).flatMap(({ maxKeyAgeDays }) => maxKeyAgeDays ?? []);
  return ages.length > 0 ? Math.min(...ages) : null;
}
