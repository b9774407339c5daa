import { anyFrom, anyTo, type FlowRule, proceed } from './rule.ts';

/** A client that repeats a transition it already made (its answer was lost) is told so. */
export const preventDuplicateTransitions: FlowRule = {
  name: 'PreventDuplicateTransitions',
  from: anyFrom,
  to: anyTo,
  judge({ initial, proposed }) {
    const made = initial?.state_details.transition_id;
    if (!made || made !== proposed.state_details.transition_id) return proceed;
    return { kind: 'reject', state: undefined, reason: 'This run has already made this state transition.' };
  },
};
