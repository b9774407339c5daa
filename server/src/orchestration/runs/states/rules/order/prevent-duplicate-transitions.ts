import { anyFrom, anyTo, type FlowRule, proceed } from '../rule.ts';

/** Rejects a transition that the client has already made: it lost the answer and sent the transition again. */
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
