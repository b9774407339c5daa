import { anyFrom, proceed, type TaskRule } from '../rule.ts';

/** Records the attempt of the flow run in which a task run ran. */
export const updateFlowRunTrackerOnTasks: TaskRule = {
  name: 'UpdateFlowRunTrackerOnTasks',
  from: anyFrom,
  to: ['RUNNING'],
  async judge({ proposed, reads }) {
    const flowRun = await reads.enclosingFlowRun();
    return flowRun ? { kind: 'amend', proposed, changes: { flow_run_run_count: flowRun.run_count } } : proceed;
  },
};
