import { anyFrom, proceed, type TaskRule } from '../rule.ts';

/** Longest accepted cache key, in characters. Source: `POST /task_runs/{id}/set_state` of the Prefect server 3.9.1. */
const MAX_CACHE_KEY_LENGTH = 2000;

/**
 * A key that is too long gets the status REJECT, as on the Prefect server, but the proposed state is written with its
 * key, and the client continues with that state. The transition stores every key with its state.
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
