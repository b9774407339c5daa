/** Tools that change runs: start, cancel, pause, resume, retry and run again. */
import { DateTime, described, JsonObject, Type } from '../../../schema/kinds.ts';
import { DEPLOYMENT_BY_NAME, deployment, deploymentIdOf, runId } from '../definition/arguments.ts';
import { stateOf } from '../definition/run-line.ts';
import { CREATE_RUN as CREATE } from '../definition/run-origin.ts';
import { compact } from '../definition/text.ts';
import { type Asking, ToolRefusal, tool } from '../definition/tool.ts';

const SET_STATE = 'POST /flow_runs/{id}/set_state';
const RESUME = 'POST /flow_runs/{id}/resume';
const READ = 'GET /flow_runs/{id}';

interface Run {
  readonly id: string;
  readonly name: string;
  readonly state_type: string | null;
  readonly state_name: string | null;
  readonly deployment_id: string | null;
  readonly parameters: unknown;
}

const runName = described(Type.Optional(Type.String({ minLength: 1, maxLength: 200 })), 'Name of the new run.');
const idempotencyKey = described(
  Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  'A repeated call with the same key returns the same run and starts no other. Give one if the call may be repeated.',
);

const startedFields = {
  run_id: Type.String(),
  name: Type.String(),
  state: Type.String(),
  state_name: Type.Optional(Type.String()),
};

function startedOf(run: Run) {
  return {
    run_id: run.id,
    name: run.name,
    ...compact(stateOf(run)),
    next_steps: [
      `get_flow_run with run_id ${run.id} shows how it goes.`,
      `why_is_this_run_not_running with run_id ${run.id}, where it does not start.`,
    ],
  };
}

const startRun = tool({
  name: 'start_flow_run',
  title: 'Start a flow run',
  description:
    'Creates a run of a deployment, now or at `scheduled_time`. The given parameters override those of the deployment; get_deployment lists them.',
  effect: 'add',
  routes: [CREATE, DEPLOYMENT_BY_NAME],
  input: {
    deployment,
    parameters: described(Type.Optional(JsonObject()), 'Parameters that differ from those of the deployment.'),
    name: runName,
    tags: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 50 })),
    scheduled_time: described(Type.Optional(DateTime()), 'When the run should start. Default: now.'),
    idempotency_key: idempotencyKey,
  },
  output: startedFields,
  async run({ deployment: named, parameters, scheduled_time, ...given }, asking) {
    const id = await deploymentIdOf(named, asking);
    const body = {
      ...given,
      parameters: parameters === undefined ? undefined : JSON.parse(parameters),
      state: scheduled_time && { type: 'SCHEDULED', state_details: { scheduled_time } },
    };
    return startedOf(await asking.ask<Run>(CREATE, { path: { id }, body }));
  },
});

const rerun = tool({
  name: 'rerun_flow_run',
  title: 'Run again',
  description: 'Creates a run of the same deployment with the same parameters. The old run does not change.',
  effect: 'add',
  routes: [READ, CREATE],
  input: { run_id: runId, name: runName, idempotency_key: idempotencyKey },
  output: startedFields,
  async run({ run_id, ...given }, { ask }) {
    const run = await ask<Run>(READ, { path: { id: run_id } });
    if (run.deployment_id === null) {
      throw new ToolRefusal('This run has no deployment, so only the program that started it can run it again.');
    }
    const body = { ...given, parameters: run.parameters };
    return startedOf(await ask<Run>(CREATE, { path: { id: run.deployment_id }, body }));
  },
});

interface Transition {
  readonly status: 'ACCEPT' | 'REJECT' | 'WAIT' | 'ABORT';
  readonly state: { readonly type: string; readonly name: string | null } | null;
  readonly details: { readonly reason?: string | null };
}

const changedFields = {
  run_id: Type.String(),
  state: Type.String(),
  state_name: Type.Optional(Type.String()),
};

/** Throws ToolRefusal with the reason when the orchestration rules did not accept the state. */
function changed(run_id: string, { status, state, details }: Transition, accepted: readonly string[] = []) {
  if (status !== 'ACCEPT' && !(state && accepted.includes(state.type))) {
    throw new ToolRefusal(`The run did not accept the state: ${details.reason ?? status}.`);
  }
  return { run_id, ...compact(stateOf({ state_type: state?.type ?? null, state_name: state?.name ?? null })) };
}

async function setState(run_id: string, state: object, { ask }: Asking): Promise<Transition> {
  return ask<Transition>(SET_STATE, { path: { id: run_id }, body: { state } });
}

const cancelRun = tool({
  name: 'cancel_flow_run',
  title: 'Cancel a flow run',
  description:
    'Ends a run. A run that has not started is cancelled at once; a running one is CANCELLING until its worker has stopped it. Its progress is lost.',
  effect: 'end',
  routes: [SET_STATE],
  input: { run_id: runId },
  output: changedFields,
  async run({ run_id }, asking) {
    const state = { type: 'CANCELLING', name: 'Cancelling', message: 'Cancelled by an agent' };
    // The server sets CANCELLED at once for a run that has not started.
    return changed(run_id, await setState(run_id, state, asking), ['CANCELLED']);
  },
});

const pauseRun = tool({
  name: 'pause_flow_run',
  title: 'Pause a flow run',
  description:
    'Records a run as paused until it is resumed. Its process continues unless its code checks the state. To stop the scheduling of new runs, use pause_deployment.',
  effect: 'change',
  routes: [SET_STATE],
  input: { run_id: runId },
  output: changedFields,
  async run({ run_id }, asking) {
    const state = { type: 'PAUSED', name: 'Paused', message: 'Paused by an agent' };
    return changed(run_id, await setState(run_id, state, asking));
  },
});

const resumeRun = tool({
  name: 'resume_flow_run',
  title: 'Resume a flow run',
  description: 'Continues a paused or suspended run, with the input that it asked for.',
  effect: 'change',
  routes: [RESUME],
  input: {
    run_id: runId,
    input: described(Type.Optional(JsonObject()), 'The input that the run waits for, if it asked for one.'),
  },
  output: changedFields,
  async run({ run_id, input }, { ask }) {
    const body = input === undefined ? {} : { run_input: JSON.parse(input) };
    return changed(run_id, await ask<Transition>(RESUME, { path: { id: run_id }, body }));
  },
});

const retryRun = tool({
  name: 'retry_flow_run',
  title: 'Retry a flow run',
  description:
    'Runs an ended run again under the same id: completed tasks with cached results are not repeated. To begin from the start, use rerun_flow_run.',
  effect: 'add',
  routes: [SET_STATE],
  input: { run_id: runId },
  output: changedFields,
  async run({ run_id }, asking) {
    const state = { type: 'SCHEDULED', name: 'AwaitingRetry', message: 'Retried by an agent' };
    return {
      ...changed(run_id, await setState(run_id, state, asking)),
      next_steps: [`get_flow_run with run_id ${run_id} shows how it goes.`],
    };
  },
});

export const changingTools = [startRun, rerun, cancelRun, pauseRun, resumeRun, retryRun];
