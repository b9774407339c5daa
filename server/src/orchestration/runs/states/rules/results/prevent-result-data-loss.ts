import { hasPersistedData } from '../../../rows/state.ts';
import { type FlowRule, proceed } from '../rule.ts';

export const dataLoss = {
  kind: 'reject',
  state: undefined,
  reason: 'Cannot overwrite a COMPLETED state that carries persisted result data with one that does not.',
} as const;

/** Even a forced transition does not drop a persisted result. */
export const preventResultDataLoss: FlowRule = {
  name: 'PreventResultDataLoss',
  from: ['COMPLETED'],
  to: ['COMPLETED'],
  judge({ initial, proposed }) {
    return hasPersistedData(initial!) && !hasPersistedData(proposed) ? dataLoss : proceed;
  },
};
