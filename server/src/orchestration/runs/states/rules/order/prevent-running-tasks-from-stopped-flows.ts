import { anyFrom, proceed, type TaskRule } from '../rule.ts';

/** A task runs only while its flow runs; under a paused flow it waits with it. */
export const preventRunningTasksFromStoppedFlows: TaskRule = {
  name: 'PreventRunningTasksFromStoppedFlows',
  from: anyFrom,
  to: ['RUNNING'],
  async judge({ run, reads }) {
    const flowRun = await reads.enclosingFlowRun();
    if (!flowRun) return proceed;
    const { state } = flowRun;
    if (state?.type === 'RUNNING') return proceed;
    if (state?.type === 'PAUSED') {
      const { pause_timeout, pause_reschedule } = state.state_details;
      return {
        kind: 'reject',
        state: { type: 'PAUSED', name: 'NotReady', state_details: { pause_timeout, pause_reschedule } },
        reason: `The flow is paused, new tasks can execute after resuming flow run: ${run.flow_run_id}.`,
      };
    }
    return { kind: 'abort', reason: 'The enclosing flow must be running to begin task execution.' };
  },
};
