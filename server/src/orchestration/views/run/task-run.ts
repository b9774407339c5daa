/**
 * The page of a task run in one answer: the run, the reason why it failed, its inputs, and the runs that use its
 * result.
 */
import type { Context } from '../../../context/context.ts';
import { type JsonText, parseObject } from '../../../values/json.ts';
import { stateOf } from '../../runs/rows/stored-state.ts';
import { findTaskRun, type TaskRunWithState } from '../../runs/task-runs/queries.ts';
import { taskRunResponse } from '../../runs/task-runs/response.ts';
import { errorLogsOfTask } from '../../why/failing-path.ts';
import { exceptionOf, readTraceback } from '../../why/failure-cause.ts';
import { attemptsOfTask } from './flow-run-queries.ts';
import { childOfTask, flowRunOfTask, listLinkedRuns, listUsers } from './task-run-queries.ts';
import type { LinkedRun, TaskInput } from './task-run-schema.ts';

const MOST_LINKED = 100;

/** Undefined when the task run does not exist. */
export async function readTaskRunView(context: Context, id: string) {
  const { db, now } = context;
  const run = await findTaskRun(db, id);
  if (!run) return undefined;
  const { flow_run_id } = run;
  const [flow_run, child, states, failure, inputs, used_by] = await Promise.all([
    flow_run_id === null ? undefined : db.first(flowRunOfTask, { id: flow_run_id }),
    db.first(childOfTask, { id }),
    db.all(attemptsOfTask, { id }),
    run.state_type === 'FAILED' || run.state_type === 'CRASHED' ? readFailure(context, run) : null,
    readInputs(context, run.task_inputs),
    flow_run_id === null ? [] : listUsers(db, { id, flow_run_id }),
  ]);
  return {
    as_of: now,
    task_run: taskRunResponse(run, now),
    flow_run: flow_run ?? null,
    child: child ?? null,
    states,
    failure,
    inputs,
    used_by,
  };
}

async function readFailure({ db }: Context, run: TaskRunWithState) {
  const logs = await db.all(errorLogsOfTask, { id: run.id });
  const message = stateOf(run)?.message ?? null;
  const traceback = logs.map((log) => readTraceback(log.message)).find((found) => found !== undefined);
  return {
    message,
    exception: exceptionOf(message) ?? null,
    frames: [...(traceback?.frames ?? [])],
    user_frame: traceback?.user_frame ?? null,
  };
}

/** An item of `task_inputs` in its stored form. */
interface StoredInput {
  readonly input_type: 'task_run' | 'flow_run' | 'parameter' | 'constant';
  readonly id?: string;
  readonly name?: string;
  readonly type?: string;
}

async function readInputs({ db }: Context, text: JsonText): Promise<TaskInput[]> {
  const stored = Object.entries(parseObject(text) as Record<string, readonly StoredInput[]>);
  const named = stored.flatMap(([, items]) => items.flatMap(({ id }) => id ?? []));
  const ids = [...new Set(named)].slice(0, MOST_LINKED);
  const found = new Map((await listLinkedRuns(db, ids)).map((run) => [run.id, run]));
  const shown = new Set(ids);
  return stored.map(([name, items]) => {
    const runs = items.filter(({ id }) => id !== undefined);
    return {
      name,
      runs: runs.filter(({ id }) => shown.has(id as string)).map((item) => found.get(item.id as string) ?? gone(item)),
      run_count: runs.length,
      parameters: items.flatMap((item) => (item.input_type === 'parameter' ? (item.name ?? []) : [])),
      types: items.flatMap((item) => (item.input_type === 'constant' ? (item.type ?? []) : [])),
    };
  });
}

function gone({ id, input_type }: StoredInput): LinkedRun {
  const kind = input_type === 'flow_run' ? 'flow_run' : 'task_run';
  return { kind, id: id as string, name: null, state_type: null, state_name: null };
}
