import { hasPersistedData, isTerminal, terminalTypes } from '../../../rows/state.ts';
import { anyTo, type TaskRule } from '../rule.ts';

/**
 * A finished task run stays finished unless its flow run runs again.
 * Source: `POST /task_runs/{id}/set_state` of the Prefect server 3.9.1.
 */
export const handleTaskTerminalStateTransitions: TaskRule = {
  name: 'HandleTaskTerminalStateTransitions',
  from: terminalTypes,
  to: anyTo,
  async judge({ initial, proposed, run, reads }) {
    const target = proposed.type;
    if (target === 'CANCELLING' || target === 'PAUSED' || target === 'CRASHED') {
      return { kind: 'abort', reason: `Run is already ${initial!.type}.` };
    }
    if (initial!.type === 'COMPLETED' && hasPersistedData(initial!)) {
      return { kind: 'reject', state: undefined, reason: 'This run is already completed.' };
    }
    if (isTerminal(target)) return { kind: 'proceed' };
    const flowRun = target === 'RUNNING' ? await reads.enclosingFlowRun() : undefined;
    const isRerun = flowRun !== undefined && flowRun.run_count > run.flow_run_run_count;
    return {
      kind: 'amend',
      proposed: isRerun ? { ...proposed, name: 'Retrying' } : proposed,
      changes: { run_count: 0 },
    };
  },
};
