import type { ClientInfo } from '../../../context/context.ts';
import { statement } from '../../../database/statement.ts';
import { isAtLeast } from '../../../values/versions.ts';
import type { State } from '../rows/state.ts';
import type { Transition } from './effects.ts';
import { transitionTaskRun } from './task-run-transition.ts';

const failedTaskRuns = statement<{ flow_run_id: string }, { id: string }>((query, given) =>
  query
    .selectFrom('task_run')
    .select('id')
    .where('workspace', '=', given.workspace)
    .where('flow_run_id', '=', given.flow_run_id)
    .where('state_type', '=', 'FAILED')
    .orderBy('id'),
);

/**
 * Clients before API version 0.8.3 rerun only tasks that wait for a retry. When the flow run of such a client waits for
 * a retry, its failed task runs do too. Source: `POST /flow_runs/{id}/set_state` of the Prefect server 3.9.1.
 */
export async function restartFailedTasks(transition: Transition, flow_run_id: string, written: State): Promise<void> {
  const { context, tx } = transition;
  if (written.name !== 'AwaitingRetry' || !restartsByTask(context.client)) return;
  const { scheduled_time } = written.state_details;
  for (const { id } of await tx.all(failedTaskRuns, { flow_run_id })) {
    const proposal = { type: 'SCHEDULED', name: 'AwaitingRetry', state_details: { scheduled_time } } as const;
    await transitionTaskRun(transition, id, proposal, false);
  }
}

function restartsByTask({ apiVersion }: ClientInfo): boolean {
  return apiVersion !== undefined && !isAtLeast(apiVersion, '0.8.3');
}
