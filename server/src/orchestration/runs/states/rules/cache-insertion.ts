import { anyFrom, proceed, type TaskRule } from './rule.ts';

/** Longest cache key that is taken without complaint, in characters. Source: reference behaviour, "Names and other validation". */
const MAX_CACHE_KEY_LENGTH = 2000;

/**
 * A cache key that is too long is called a rejection, as in the reference, whose client goes on with the state that it
 * is given: the proposed one, which is written with its key. The transition stores all keys with the state.
 */
export const cacheInsertion: TaskRule = {
  name: 'CacheInsertion',
  from: anyFrom,
  to: ['COMPLETED'],
  judge({ proposed }) {
    const { cache_key } = proposed.state_details;
    if (!cache_key || cache_key.length <= MAX_CACHE_KEY_LENGTH) return proceed;
    return {
      kind: 'reject',
      state: proposed,
      reason: `Cache key exceeded maximum allowed length of ${MAX_CACHE_KEY_LENGTH} characters.`,
    };
  },
};
