import type { Timestamp } from '../../../values/time.ts';
import { estimatedRunTime, estimatedStartTimeDelta } from '../rows/derived-columns.ts';
import { wireState } from '../rows/stored-state.ts';
import type { TaskRunWithState } from './queries.ts';

/** A task run in the shape of `TaskRun`, and of the smaller `TaskRunResponse`; estimates are as of `now`. */
export function taskRunResponse(run: TaskRunWithState, now: Timestamp) {
  return {
    ...run,
    estimated_run_time: estimatedRunTime(run, now),
    estimated_start_time_delta: estimatedStartTimeDelta(run, now),
    state: wireState(run),
  };
}
