import { withDetails } from '../../../rows/state.ts';
import { proceed, type Rule } from '../rule.ts';

/** A run that a worker picks up early keeps its due time, so that it does not start early. */
export const copyScheduledTime: Rule<unknown, never> = {
  name: 'CopyScheduledTime',
  from: ['SCHEDULED'],
  to: ['PENDING'],
  judge({ initial, proposed }) {
    if (proposed.state_details.scheduled_time) return proceed;
    const { scheduled_time } = initial!.state_details;
    return { kind: 'amend', proposed: withDetails(proposed, { scheduled_time }) };
  },
};
