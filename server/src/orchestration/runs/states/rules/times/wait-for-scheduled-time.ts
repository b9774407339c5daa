import { secondsBetween } from '../../../../../values/time.ts';
import { proceed, type Rule } from '../rule.ts';

/** Keeps a run from starting early. The answer tells the client how long to wait. */
export const waitForScheduledTime: Rule<unknown, never> = {
  name: 'WaitForScheduledTime',
  from: ['SCHEDULED', 'PENDING'],
  to: ['RUNNING'],
  judge({ initial, now }) {
    const due = initial!.state_details.scheduled_time;
    if (!due) return proceed;
    const delaySeconds = Math.ceil(secondsBetween(now, due) - 0.5); // whole seconds on the wire; halves round down
    return delaySeconds > 0 ? { kind: 'wait', delaySeconds, reason: 'Scheduled time is in the future' } : proceed;
  },
};
