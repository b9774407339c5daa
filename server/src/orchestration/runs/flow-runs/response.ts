import type { Timestamp } from '../../../values/time.ts';
import { estimatedRunTime, estimatedStartTimeDelta } from '../rows/derived-columns.ts';
import type { FlowRunWithState } from '../rows/flow-runs.ts';
import { wireState } from '../rows/stored-state.ts';

/** A run in the shape of `FlowRunResponse`; estimates are as of `now`. */
export function flowRunResponse(run: FlowRunWithState, now: Timestamp) {
  return {
    ...run,
    work_queue_name: run.queue_name ?? run.work_queue_name,
    estimated_run_time: estimatedRunTime(run, now),
    estimated_start_time_delta: estimatedStartTimeDelta(run, now),
    state: wireState(run),
  };
}
