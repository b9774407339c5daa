/**
 * The page of a flow run in one answer: the run, the reason why it failed or waits, and its differences from a
 * successful one.
 */
import type { Context } from '../../../context/context.ts';
import type { Db } from '../../../database/store.ts';
import { parseObject } from '../../../values/json.ts';
import { addSeconds, type Timestamp } from '../../../values/time.ts';
import type { StateType } from '../../filters/field-schema.ts';
import { flowRunResponse } from '../../runs/flow-runs/response.ts';
import { type FlowRunWithState, findFlowRun } from '../../runs/rows/flow-runs.ts';
import { isTerminal } from '../../runs/rows/state.ts';
import { stateOf } from '../../runs/rows/stored-state.ts';
import { countUnrecordedTasks, curesOfUnrecordedTasks } from '../../runs/task-runs/unrecorded.ts';
import { errorLogsOfRun, errorLogsOfTask, type FailingPath, findFailingPath } from '../../why/failing-path.ts';
import { causeOf, exceptionOf, readTraceback } from '../../why/failure-cause.ts';
import { explainFlowRun } from '../../why/why.ts';
import { differencesOf } from './differences.ts';
import {
  attemptsOfTask,
  countsOfTasks,
  findLastSuccess,
  listFailureMessages,
  pastStates,
  surroundings,
} from './flow-run-queries.ts';
import type { RunFailure } from './flow-run-schema.ts';

const SIMILAR_SECONDS = 7 * 86_400;

/** Undefined when the run does not exist. */
export async function readFlowRunView(context: Context, id: string) {
  const { db, now } = context;
  const run = await findFlowRun(db, id);
  const around = run && (await db.first(surroundings, { id }));
  if (!run || !around) return undefined;
  const [states, task_runs, failure, last_success, waiting, unrecorded] = await Promise.all([
    db.all(pastStates, { id }),
    db.all(countsOfTasks, { id }),
    hasFailed(run) ? readFailure(context, run, around.flow_name) : null,
    readLastSuccess(context, run),
    isTerminal(run.state_type as StateType | null) ? null : explainFlowRun(context, id),
    countUnrecordedTasks(db, id, now),
  ]);
  return {
    as_of: now,
    flow_run: flowRunResponse(run, now),
    flow: { id: run.flow_id, name: around.flow_name },
    deployment:
      run.deployment_id && around.deployment_name ? { id: run.deployment_id, name: around.deployment_name } : null,
    parent: around.parent_id ? { id: around.parent_id, name: around.parent_name ?? '' } : null,
    states,
    task_runs,
    failure,
    last_success,
    waiting: waiting ?? null,
    unrecorded_tasks: unrecorded === 0 ? null : { count: unrecorded, cures: curesOf(context) },
  };
}

function curesOf({ server, workspace }: Context): string[] {
  return curesOfUnrecordedTasks(server.config, workspace === server.defaultWorkspace);
}

function hasFailed({ state_type }: FlowRunWithState): boolean {
  return state_type === 'FAILED' || state_type === 'CRASHED';
}

function startOf(run: FlowRunWithState): Timestamp {
  return run.start_time ?? run.expected_start_time ?? run.created;
}

async function readFailure({ db }: Context, run: FlowRunWithState, flowName: string): Promise<RunFailure> {
  const before = startOf(run);
  const own = stateOf(run)?.message ?? null;
  const { name, run_count } = run;
  const state_type = run.state_type as StateType;
  const [{ runs, task }, others] = await Promise.all([
    findFailingPath(db, {
      id: run.id,
      name,
      flow_id: run.flow_id,
      flow_name: flowName,
      run_count,
      state_type,
      message: own,
    }),
    listFailureMessages(db, run, { since: addSeconds(before, -SIMILAR_SECONDS), before }),
  ]);
  const [attempts, traceback] = await Promise.all([
    task ? db.all(attemptsOfTask, { id: task.id }) : [],
    findTraceback(db, { runs, task }),
  ]);
  const deepest = runs.at(-1)?.message ?? null;
  const message = task?.message ?? deepest ?? own;
  const cause = causeOf(own);
  return {
    message,
    exception: exceptionOf(message) ?? exceptionOf(deepest) ?? null,
    subflows: runs.slice(1).map((subflow) => ({ id: subflow.id, name: subflow.name, flow_name: subflow.flow_name })),
    task: task ? { ...task, attempts } : null,
    frames: [...(traceback?.frames ?? [])],
    user_frame: traceback?.user_frame ?? null,
    similar: others.filter((other) => causeOf(other.message) === cause).length,
  };
}

/** Reads the logs of the task run, then those of the runs above it, whose tracebacks lead to the same line. */
async function findTraceback(db: Db, { runs, task }: FailingPath) {
  const sources = [
    ...(task ? [() => db.all(errorLogsOfTask, { id: task.id })] : []),
    ...runs.toReversed().map(
      ({ id }) =>
        () =>
          db.all(errorLogsOfRun, { id }),
    ),
  ];
  for (const read of sources) {
    const found = (await read()).map(({ message }) => readTraceback(message)).find((one) => one !== undefined);
    if (found) return found;
  }
  return undefined;
}

async function readLastSuccess({ db }: Context, run: FlowRunWithState) {
  const success = await findLastSuccess(db, run, startOf(run));
  if (!success) return null;
  const { parameters, ...rest } = success;
  const differ = parameters !== run.parameters;
  return { ...rest, parameters: differ ? differencesOf(parseObject(parameters), parseObject(run.parameters)) : [] };
}
