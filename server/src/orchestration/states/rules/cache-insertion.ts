import { anyFrom, proceed, type TaskRule } from '../rule.ts';

/** Longest cache key that is stored, in characters. Source: reference behaviour, "Names and other validation". */
export const MAX_CACHE_KEY_LENGTH = 2000;

/** A cache key that cannot be stored is refused; the transition stores the others with the state. */
export const cacheInsertion: TaskRule = {
  name: 'CacheInsertion',
  from: anyFrom,
  to: ['COMPLETED'],
  judge({ proposed }) {
    const { cache_key } = proposed.state_details;
    if (!cache_key || cache_key.length <= MAX_CACHE_KEY_LENGTH) return proceed;
    return {
      kind: 'reject',
      state: undefined,
      reason: `Cache key exceeded maximum allowed length of ${MAX_CACHE_KEY_LENGTH} characters.`,
    };
  },
};
