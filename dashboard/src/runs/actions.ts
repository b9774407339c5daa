/** What people do with runs. Each throws Problem when the server refuses it. */
import { answered, api } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import type { components } from '../api/schema.gen.ts';
import type { StateType } from '../design/states.ts';

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

type OrchestrationResult = components['schemas']['OrchestrationResult'];

/** Throws when the rules of orchestration did not take the state. */
function accepted(result: OrchestrationResult, name: string): void {
  if (result.status === 'ACCEPT') return;
  const { reason } = result.details as { reason?: string | null };
  throw new Problem(409, reason ?? `The server did not accept the state ${name}.`);
}

async function setState(
  id: string,
  state: { type: 'SCHEDULED' | 'CANCELLING' | 'PAUSED'; name: string },
  message?: string,
): Promise<void> {
  const body = { state: { ...state, message } };
  accepted(await answered(api.POST('/flow_runs/{id}/set_state', { params: { path: { id } }, body })), state.name);
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

/** A state as a person sets it. */
export interface NewState {
  readonly type: StateType;
  readonly name: string;
  readonly message: string | undefined;
}

/** `force` passes over the rules of orchestration. */
export async function changeState(
  run: { readonly kind: 'flow_run' | 'task_run'; readonly id: string },
  state: NewState,
  force: boolean,
): Promise<void> {
  const options = { params: { path: { id: run.id } }, body: { state, force } };
  const pending =
    run.kind === 'flow_run'
      ? api.POST('/flow_runs/{id}/set_state', options)
      : api.POST('/task_runs/{id}/set_state', options);
  accepted(await answered<OrchestrationResult>(pending), state.name);
}

export async function deleteTaskRun(id: string): Promise<void> {
  await answered(api.DELETE('/task_runs/{id}', { params: { path: { id } } }));
}
