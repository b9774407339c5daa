/** The limits of a server: `limits` of its row. */

import { type MatchedText, parseGlob } from '../../fairness/foreign-work/glob.ts';
import { BoundedMap } from '../../values/bounded-map.ts';

export interface Quota {
  /** `actor`: separately for each person and service account; `server`: for all together. */
  readonly per: 'actor' | 'server';
  /** Name of a tool or a pattern with `*` and `?`; all matching tools count together. Null means every request. */
  readonly tool: string | null;
  readonly requestsPerMinute: number | null;
  /** Open requests at the same time; an open stream counts as one. */
  readonly concurrentRequests: number | null;
}

export interface StoredLimits {
  readonly quotas: readonly Quota[];
  /** Bytes of one answer, or of one message in a stream. */
  readonly maxResultBytes: number | null;
}

export const NO_LIMITS: StoredLimits = { quotas: [], maxResultBytes: null };

export interface Limits {
  /** `matches` throws WorkSpent. */
  readonly quotas: readonly { readonly quota: Quota; matches(tool: MatchedText | undefined): boolean }[];
  readonly maxResultBytes: number | undefined;
}

const MAX_KEPT = 1000;
const kept = new BoundedMap<string, Limits>({ name: 'quotas', most: MAX_KEPT });

/** The limits of a row; undefined when it has none. */
export function limitsOf(stored: string | null): Limits | undefined {
  if (stored === null) return undefined;
  const known = kept.get(stored);
  if (known) return known;
  const { quotas, maxResultBytes } = JSON.parse(stored) as StoredLimits;
  const limits: Limits = {
    quotas: quotas.map((quota) => {
      const glob = quota.tool === null ? undefined : parseGlob(quota.tool);
      return { quota, matches: (tool) => !glob || (tool !== undefined && glob.matches(tool)) };
    }),
    maxResultBytes: maxResultBytes ?? undefined,
  };
  kept.set(stored, limits);
  return limits;
}
