import { hasPersistedData, isTerminal, terminalTypes } from '../../../rows/state.ts';
import { endsPauses } from '../old-clients.ts';
import { dataLoss } from '../results/prevent-result-data-loss.ts';
import { anyTo, type FlowRule } from '../rule.ts';

/**
 * A finished run stays finished unless the whole run starts again. A persisted result is never lost.
 * Source: `POST /flow_runs/{id}/set_state` of the Prefect server 3.9.1.
 */
export const handleFlowTerminalStateTransitions: FlowRule = {
  name: 'HandleFlowTerminalStateTransitions',
  from: terminalTypes,
  to: anyTo,
  judge({ initial, proposed, run, client }) {
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
    if (isTerminal(target) || !endsPauses(client)) return { kind: 'proceed' };
    // Applies before the state is written, so that a restart counts as a run even after a pause.
    const retry_type = target === 'SCHEDULED' ? 'reschedule' : null;
    return { kind: 'amend', proposed, changes: { empirical_policy: { resuming: false, pause_keys: [], retry_type } } };
  },
};
