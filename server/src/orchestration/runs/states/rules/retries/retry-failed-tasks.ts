import { numberOf } from '../../../../../values/json.ts';
import { addSeconds } from '../../../../../values/time.ts';
import { proceed, type TaskRule } from '../rule.ts';

/**
 * A failed task run with retries left waits and runs again.
 * Source: `POST /task_runs/{id}/set_state` of the Prefect server 3.9.1.
 */
export const retryFailedTasks: TaskRule = {
  name: 'RetryFailedTasks',
  from: ['RUNNING'],
  to: ['FAILED'],
  judge({ run, proposed, now }) {
    const { retries, retry_delay, retry_jitter_factor } = run.empirical_policy;
    if (proposed.state_details.retriable === false) return proceed;
    if (retries === null || retries === undefined || run.run_count > retries) return proceed;
    // The policy keeps numbers such as 1.0 in their original text.
    const base = numberOf(
      Array.isArray(retry_delay)
        ? retry_delay[Math.min(Math.max(run.run_count - 1, 0), retry_delay.length - 1)]
        : retry_delay,
    );
    const factor = numberOf(retry_jitter_factor);
    const delay = factor ? jittered(base ?? 0, factor) : (base ?? 0);
    return {
      kind: 'reject',
      state: {
        type: 'SCHEDULED',
        name: 'AwaitingRetry',
        message: proposed.message,
        data: proposed.data,
        state_details: { scheduled_time: addSeconds(now, delay) },
      },
      reason: 'Retrying',
    };
  },
};

/** Seconds, drawn from a Poisson process with mean `base`, between `base / (1 + factor)` and `base * (1 + factor)`. */
function jittered(base: number, factor: number): number {
  const drawn = -Math.log(1 - Math.random()) * base;
  return Math.min(Math.max(drawn, base / (1 + factor)), base * (1 + factor));
}
