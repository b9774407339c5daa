import { anyFrom, proceed, type TaskRule } from '../rule.ts';

/** A task run does not run when its cache key has an unexpired result: it gets that state under another name. */
export const cacheRetrieval: TaskRule = {
  name: 'CacheRetrieval',
  from: anyFrom,
  to: ['RUNNING'],
  async judge({ proposed, reads }) {
    const { cache_key, refresh_cache } = proposed.state_details;
    if (!cache_key || refresh_cache) return proceed;
    const cached = await reads.cachedState(cache_key);
    if (!cached) return proceed;
    return { kind: 'reject', state: { ...cached, name: 'Cached' }, reason: 'Retrieved state from cache' };
  },
};
