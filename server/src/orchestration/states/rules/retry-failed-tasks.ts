import { addSeconds } from '../../../time.ts';
import { proceed, type TaskRule } from '../rule.ts';

/** A failed task run with retries left waits and runs again. Source: reference behaviour, task-run rule 7. */
export const retryFailedTasks: TaskRule = {
  name: 'RetryFailedTasks',
  from: ['RUNNING'],
  to: ['FAILED'],
  judge({ run, proposed, now }) {
    const { retries, retry_delay, retry_jitter_factor } = run.empirical_policy;
    if (proposed.state_details.retriable === false) return proceed;
    if (retries === null || retries === undefined || run.run_count > retries) return proceed;
    const base = Array.isArray(retry_delay)
      ? (retry_delay[Math.min(Math.max(run.run_count - 1, 0), retry_delay.length - 1)] ?? 0)
      : (retry_delay ?? 0);
    const delay = retry_jitter_factor ? jittered(base, retry_jitter_factor) : base;
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

/** A wait of a Poisson process with mean `base`, kept within `base / (1 + factor)` and `base * (1 + factor)`. Seconds. */
function jittered(base: number, factor: number): number {
  const drawn = -Math.log(1 - Math.random()) * base;
  return Math.min(Math.max(drawn, base / (1 + factor)), base * (1 + factor));
}
