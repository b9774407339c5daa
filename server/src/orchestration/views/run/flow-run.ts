/**
 * The page of a flow run in one answer: the run, the reason why it failed or waits, and its differences from a
 * successful one.
 */
import type { Context } from '../../../context/context.ts';
import { isJsonObject, type JsonText, jsonTextOf, parseObject } from '../../../values/json.ts';
import { addSeconds, type Timestamp } from '../../../values/time.ts';
import type { StateType } from '../../filters/field-schema.ts';
import { flowRunResponse } from '../../runs/flow-runs/response.ts';
import { type FlowRunWithState, findFlowRun } from '../../runs/rows/flow-runs.ts';
import { isTerminal } from '../../runs/rows/state.ts';
import { stateOf } from '../../runs/rows/stored-state.ts';
import { countUnrecordedTasks, curesOfUnrecordedTasks } from '../../runs/task-runs/unrecorded.ts';
import { causeOf, exceptionOf, readTraceback } from '../../why/failure-cause.ts';
import { explainFlowRun } from '../../why/why.ts';
import {
  attemptsOfTask,
  countsOfTasks,
  findFirstFailedTask,
  findLastSuccess,
  listErrorLogs,
  listFailureMessages,
  pastStates,
  type SuccessRow,
  surroundings,
} from './flow-run-queries.ts';
import type { RunFailure } from './flow-run-schema.ts';

const SIMILAR_SECONDS = 7 * 86_400;
const MOST_DIFFERENCES = 50;
const VALUE_LENGTH = 500;

/** Undefined when the run does not exist. */
export async function readFlowRunView(context: Context, id: string) {
  const { db, now } = context;
  const run = await findFlowRun(db, id);
  const around = run && (await db.first(surroundings, { id }));
  if (!run || !around) return undefined;
  const [states, task_runs, failure, last_success, waiting, unrecorded] = await Promise.all([
    db.all(pastStates, { id }),
    db.all(countsOfTasks, { id }),
    hasFailed(run) ? readFailure(context, run) : null,
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

async function readFailure({ db }: Context, run: FlowRunWithState): Promise<RunFailure> {
  const before = startOf(run);
  const ownMessage = stateOf(run)?.message ?? null;
  const [task, others] = await Promise.all([
    findFirstFailedTask(db, run),
    listFailureMessages(db, run, { since: addSeconds(before, -SIMILAR_SECONDS), before }),
  ]);
  const [attempts, logs] = await Promise.all([
    task ? db.all(attemptsOfTask, { id: task.id }) : [],
    listErrorLogs(db, { task: task?.id, run: run.id }),
  ]);
  const message = task?.message ?? ownMessage;
  const traceback = logs.map((log) => readTraceback(log.message)).find((found) => found !== undefined);
  const cause = causeOf(ownMessage);
  return {
    message,
    exception: exceptionOf(message) ?? exceptionOf(ownMessage) ?? null,
    task: task ? { ...task, attempts } : null,
    frames: [...(traceback?.frames ?? [])],
    user_frame: traceback?.user_frame ?? null,
    similar: others.filter((other) => causeOf(other.message) === cause).length,
  };
}

async function readLastSuccess({ db }: Context, run: FlowRunWithState) {
  const success = await findLastSuccess(db, run, startOf(run));
  if (!success) return null;
  const { parameters, ...rest } = success;
  return { ...rest, parameters: differencesOf(parameters, run.parameters) };
}

/** Parameters that only one of the runs has, or that have different values. */
function differencesOf(before: SuccessRow['parameters'], now: JsonText) {
  if (before === now) return [];
  const [then, present] = [parameterTexts(before), parameterTexts(now)];
  const names = [...new Set([...then.keys(), ...present.keys()])].sort();
  return names
    .filter((name) => then.get(name) !== present.get(name))
    .slice(0, MOST_DIFFERENCES)
    .map((name) => ({ name, before: shortened(then.get(name)), now: shortened(present.get(name)) }));
}

function parameterTexts(parameters: JsonText): Map<string, string> {
  const read: unknown = parseObject(parameters);
  return new Map(isJsonObject(read) ? Object.entries(read).map(([name, value]) => [name, jsonTextOf(value)]) : []);
}

function shortened(text: string | undefined): string | null {
  if (text === undefined) return null;
  return text.length > VALUE_LENGTH ? `${text.slice(0, VALUE_LENGTH)}…` : text;
}
