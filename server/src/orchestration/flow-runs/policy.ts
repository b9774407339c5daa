/** The old names of the retry settings of a run. */

interface Policy {
  max_retries: number;
  retry_delay_seconds: number;
  retries?: number | null;
  retry_delay?: number | number[] | null;
}

/**
 * `max_retries` and `retry_delay_seconds` stand in for `retries` and `retry_delay` where those are absent, null, 0 or an empty list.
 * For flow runs and task runs alike, whenever a policy was decoded. Source: reference behaviour, validation rules.
 */
export function normalisePolicy<Given extends Policy>(policy: Given): Given {
  return {
    ...policy,
    retries: policy.retries || policy.max_retries || policy.retries,
    retry_delay: isNothing(policy.retry_delay) ? policy.retry_delay_seconds || policy.retry_delay : policy.retry_delay,
  };
}

function isNothing(delay: number | number[] | null | undefined): boolean {
  return !delay || (Array.isArray(delay) && delay.length === 0);
}
