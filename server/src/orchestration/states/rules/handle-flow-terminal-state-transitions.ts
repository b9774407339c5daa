import { anyTo, type FlowRule } from '../rule.ts';
import { hasPersistedData, isTerminal, terminalTypes } from '../state.ts';
import { dataLoss } from './prevent-result-data-loss.ts';

/**
 * A finished run stays finished unless it is run again as a whole; a result that was persisted is never lost.
 * Source: reference behaviour, flow-run rule 3.
 */
export const handleFlowTerminalStateTransitions: FlowRule = {
  name: 'HandleFlowTerminalStateTransitions',
  from: terminalTypes,
  to: anyTo,
  judge({ initial, proposed, run }) {
    const target = proposed.type;
    if (target === 'CANCELLING' || target === 'PAUSED' || target === 'CRASHED') {
      return { kind: 'abort', reason: `Run is already in terminal state ${initial!.type}.` };
    }
    if (initial!.type === 'COMPLETED' && hasPersistedData(initial!)) {
      if (!isTerminal(target)) return { kind: 'reject', state: undefined, reason: 'Run is already COMPLETED.' };
      if (target === 'COMPLETED' && !hasPersistedData(proposed)) return dataLoss;
    }
    if (target === 'SCHEDULED' && run.deployment_id === null) {
      return { kind: 'abort', reason: 'Cannot reschedule a run without an associated deployment.' };
    }
    return { kind: 'proceed' };
  },
  settle({ proposed }) {
    if (isTerminal(proposed.type)) return {};
    const retry_type = proposed.type === 'SCHEDULED' ? 'reschedule' : null;
    return { empirical_policy: { resuming: false, pause_keys: [], retry_type } };
  },
};
