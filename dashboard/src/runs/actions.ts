/** What people do with runs. Each throws Problem when the server refuses it. */
import { answered, api } from '../api/client.ts';
import { Problem } from '../api/problem.ts';

/** Runs that have ended stay as they are. */
export async function cancelRuns(ids: readonly string[]): Promise<void> {
  await answered(
    api.POST('/flow_runs/bulk_set_state', {
      body: {
        flow_runs: {
          id: { any_: [...ids] },
          state: { type: { not_any_: ['COMPLETED', 'FAILED', 'CRASHED', 'CANCELLED'] } },
        },
        state: { type: 'CANCELLING', name: 'Cancelling' },
      },
    }),
  );
}

export async function deleteRuns(ids: readonly string[]): Promise<void> {
  await answered(api.POST('/flow_runs/bulk_delete', { body: { flow_runs: { id: { any_: [...ids] } } } }));
}

async function setState(
  id: string,
  state: { type: 'SCHEDULED' | 'CANCELLING' | 'PAUSED'; name: string },
  message?: string,
) {
  const result = await answered(
    api.POST('/flow_runs/{id}/set_state', { params: { path: { id } }, body: { state: { ...state, message } } }),
  );
  if (result.status !== 'ACCEPT') {
    const { reason } = result.details as { reason?: string | null };
    throw new Problem(409, reason ?? `The server did not accept the state ${state.name}.`);
  }
}

/** Runs again what has failed; what has completed is not repeated. */
export function retryRun(id: string): Promise<void> {
  return setState(id, { type: 'SCHEDULED', name: 'AwaitingRetry' }, 'Retry from the dashboard');
}

export function cancelRun(id: string): Promise<void> {
  return setState(id, { type: 'CANCELLING', name: 'Cancelling' }, 'Cancelled from the dashboard');
}

export async function resumeRun(id: string): Promise<void> {
  await answered(api.POST('/flow_runs/{id}/resume', { params: { path: { id } }, body: {} }));
}

/** A new run of the deployment with the same parameters. Returns its id. */
export async function runAgain(deploymentId: string, parameters: Record<string, unknown>): Promise<string> {
  const run = await answered(
    api.POST('/deployments/{id}/create_flow_run', { params: { path: { id: deploymentId } }, body: { parameters } }),
  );
  return run.id;
}
