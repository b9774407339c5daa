/**
 * The page of a flow run in one answer: the run, the reason why it failed or waits, and its differences from a
 * successful one.
 */
import type { Context } from '../../../context/context.ts';
import type { Db } from '../../../database/store.ts';
import { parseObject } from '../../../values/json.ts';
import { addSeconds, type Timestamp } from '../../../values/time.ts';
import type { StateType } from '../../filters/field-schema.ts';
import { type Attempt, hasFailed, listAttempts } from '../../runs/attempts.ts';
import { flowRunResponse } from '../../runs/flow-runs/response.ts';
import { type FlowRunWithState, findFlowRun } from '../../runs/rows/flow-runs.ts';
import { isTerminal } from '../../runs/rows/state.ts';
import { countUnrecordedTasks, curesOfUnrecordedTasks } from '../../runs/task-runs/unrecorded.ts';
import { bounds, errorLogsOfRun, errorLogsOfTask, type FailingPath, findFailingPath } from '../../why/failing-path.ts';
import { causeOf, exceptionOf, readTraceback } from '../../why/failure-cause.ts';
import { explainFlowRun } from '../../why/why.ts';
import { MESSAGE_LENGTH } from '../runs/run-row.ts';
import { differencesOf } from './differences.ts';
import {
  attemptsOfTask,
  countsOfTasks,
  findLastSuccess,
  findPrevious,
  listFailureMessages,
  pastStates,
  surroundings,
} from './flow-run-queries.ts';
import type { RunFailure } from './flow-run-schema.ts';

const SIMILAR_SECONDS = 7 * 86_400;

/**
 * Undefined when the run, or the attempt, does not exist. Without an attempt, the answer is about all of them, with the
 * failure of the latest that has run.
 */
export async function readFlowRunView(context: Context, id: string, number?: number) {
  const { db, now } = context;
  const run = await findFlowRun(db, id);
  const around = run && (await db.first(surroundings, { id }));
  if (!run || !around) return undefined;
  const attempts = await listAttempts(db, run);
  const attempt = number === undefined ? undefined : attempts.find((one) => one.number === number);
  if (number !== undefined && !attempt) return undefined;
  const explained = attempt ?? latestThatRan(attempts);
  const [states, task_runs, failure, last_success, previous, waiting, unrecorded] = await Promise.all([
    db.all(pastStates, { id }),
    db.all(countsOfTasks, { id }),
    hasFailed(explained) ? readFailure(context, run, around.flow_name, explained) : null,
    readLastSuccess(context, run),
    findPrevious(db, run, startOf(run)),
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
    attempts: attempts.map(({ first_run: _first, last_run: _last, message, ...one }) => ({
      ...one,
      message: message?.slice(0, MESSAGE_LENGTH) ?? null,
    })),
    explained: explained.number,
    states,
    task_runs,
    failure,
    last_success,
    previous: previous ?? null,
    waiting: waiting ?? null,
    unrecorded_tasks: unrecorded === 0 ? null : { count: unrecorded, cures: curesOf(context) },
  };
}

function curesOf({ server, workspace }: Context): string[] {
  return curesOfUnrecordedTasks(server.config, workspace === server.defaultWorkspace);
}

/** The last attempt, or the one before while the last waits. */
function latestThatRan(attempts: readonly [Attempt, ...Attempt[]]): Attempt {
  const [last, before] = attempts.toReversed() as [Attempt, Attempt | undefined];
  return before && last.last_run < last.first_run && !isTerminal(last.state_type) ? before : last;
}

function startOf(run: FlowRunWithState): Timestamp {
  return run.start_time ?? run.expected_start_time ?? run.created;
}

async function readFailure(
  { db }: Context,
  run: FlowRunWithState,
  flowName: string,
  attempt: Attempt,
): Promise<RunFailure> {
  const before = startOf(run);
  const own = attempt.message;
  const [{ runs, task }, others] = await Promise.all([
    findFailingPath(db, { id: run.id, name: run.name, flow_name: flowName, attempt }),
    listFailureMessages(db, run, { since: addSeconds(before, -SIMILAR_SECONDS), before }),
  ]);
  const [attempts, traceback] = await Promise.all([
    task ? db.all(attemptsOfTask, { id: task.id }) : [],
    findTraceback(db, { runs, task }),
  ]);
  const deepest = runs.at(-1)?.attempt.message ?? null;
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
      ({ id, attempt }) =>
        () =>
          db.all(errorLogsOfRun, { id, ...bounds(attempt) }),
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
