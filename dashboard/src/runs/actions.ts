/** Changes of runs. Each throws Problem when the server refuses it. */
import { answered, api } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import type { components } from '../api/schema.gen.ts';
import type { StateType } from '../design/states.ts';

type OrchestrationResult = components['schemas']['OrchestrationResult'];

/** Throws when the orchestration rules did not accept the state. */
function accepted(result: OrchestrationResult, name: string): void {
  if (result.status === 'ACCEPT') return;
  const { reason } = result.details as { reason?: string | null };
  throw new Problem(409, reason ?? `The server did not accept the state ${name}.`);
}

/** `input` answers the question of the paused run. */
export async function resumeRun(id: string, input?: Readonly<Record<string, unknown>>): Promise<void> {
  const body = input ? { run_input: input } : {};
  accepted(await answered(api.POST('/flow_runs/{id}/resume', { params: { path: { id } }, body })), 'Running');
}

/** Records the run as paused until a person resumes it. Its process continues unless its code checks the state. */
export function pauseRun(id: string): Promise<void> {
  return changeState(
    { kind: 'flow_run', id },
    { type: 'PAUSED', name: 'Paused', message: 'Paused from the dashboard' },
    false,
  );
}

/** Starts a scheduled run now. */
export async function startNow(id: string): Promise<void> {
  const state = {
    type: 'SCHEDULED' as const,
    name: 'Scheduled',
    message: 'Started early from the dashboard',
    state_details: { scheduled_time: new Date().toISOString() },
  };
  const body = { state, force: true };
  accepted(await answered(api.POST('/flow_runs/{id}/set_state', { params: { path: { id } }, body })), state.name);
}

/** A state that a person sets. */
export interface NewState {
  readonly type: StateType;
  readonly name: string;
  readonly message: string | undefined;
}

/** `force` skips the orchestration rules. */
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
