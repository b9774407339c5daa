/** Two flow runs side by side: what they were given, how long their tasks took, and what they logged. */
import { sql } from 'kysely';
import type { Context } from '../../../context/context.ts';
import { statement } from '../../../database/statement.ts';
import { type JsonText, parseObject } from '../../../values/json.ts';
import type { Timestamp } from '../../../values/time.ts';
import type { StateType } from '../../filters/field-schema.ts';
import { estimatedRunTime } from '../../runs/rows/derived-columns.ts';
import { type FlowRunWithState, findFlowRun } from '../../runs/rows/flow-runs.ts';
import { shortName } from '../runs/run-row.ts';
import { type ComparedTask, LOG_LENGTH, MOST_LOGS, type TaskTimes } from './comparison-schema.ts';
import { differencesOf } from './differences.ts';
import { pastStates, surroundings } from './flow-run-queries.ts';

/** Undefined when one of the runs does not exist. */
export async function compareFlowRuns(context: Context, ids: { readonly a: string; readonly b: string }) {
  const { db, now } = context;
  const [a, b] = await Promise.all([findFlowRun(db, ids.a), findFlowRun(db, ids.b)]);
  if (!a || !b) return undefined;
  const [runA, runB, tasksA, tasksB] = await Promise.all([
    comparedRun(context, a),
    comparedRun(context, b),
    db.all(tasksOfRun, { id: a.id }),
    db.all(tasksOfRun, { id: b.id }),
  ]);
  return {
    as_of: now,
    a: runA,
    b: runB,
    parameters: differencesOf(parseObject(a.parameters), parseObject(b.parameters)),
    job_variables: differencesOf(objectOf(a.job_variables), objectOf(b.job_variables)),
    tasks: pairedTasks(timesOf(tasksA, now), timesOf(tasksB, now)).slice(0, MOST_TASKS),
    are_all_tasks: tasksA.length < MOST_TASK_RUNS && tasksB.length < MOST_TASK_RUNS,
  };
}

function objectOf(text: JsonText | null): object {
  return text === null ? {} : parseObject(text);
}

async function comparedRun({ db, now }: Context, run: FlowRunWithState) {
  const [around, states] = await Promise.all([db.first(surroundings, run), db.all(pastStates, run)]);
  const { deployment_id } = run;
  const deploymentName = around?.deployment_name ?? null;
  return {
    ...run,
    flow: { id: run.flow_id, name: around?.flow_name ?? '' },
    deployment: deployment_id !== null && deploymentName !== null ? { id: deployment_id, name: deploymentName } : null,
    work_queue_name: run.queue_name ?? run.work_queue_name,
    created_by: run.created_by ? creatorIn(run.created_by) : null,
    run_time: estimatedRunTime(run, now),
    states,
  };
}

function creatorIn(creator: JsonText): string | null {
  const { display_value } = parseObject(creator) as { readonly display_value?: string | null };
  return display_value ?? null;
}

const MOST_TASK_RUNS = 10_000;
const MOST_TASKS = 1000;

interface TaskRow {
  readonly task_key: string;
  readonly id: string;
  /** 0 or 1. */
  readonly is_subflow: number;
  readonly state_type: StateType | null;
  readonly state_timestamp: Timestamp | null;
  readonly total_run_time: number;
}

/** A subflow run stands in place of the task run that represents it. */
const tasksOfRun = statement<{ id: string }, TaskRow>(
  (_query, given) =>
    sql<TaskRow>`select ${shortName('task_run.task_key')} as task_key, coalesce(child.id, task_run.id) as id,
        case when child.id is null then 0 else 1 end as is_subflow,
        coalesce(child.state_type, task_run.state_type) as state_type,
        coalesce(child.state_timestamp, task_run.state_timestamp) as state_timestamp,
        coalesce(child.total_run_time, task_run.total_run_time) as total_run_time
      from task_run
      left join flow_run child on child.workspace = task_run.workspace and child.parent_task_run_id = task_run.id
      where task_run."workspace" = ${given.workspace} and task_run.flow_run_id = ${given.id}
      order by task_run.task_key, task_run.dynamic_key limit ${sql.lit(MOST_TASK_RUNS)}`,
);

interface Task extends TaskTimes {
  readonly key: string;
}

function timesOf(rows: readonly TaskRow[], now: Timestamp): Task[] {
  return [...Map.groupBy(rows, ({ task_key }) => task_key)].map(([key, runs]) => {
    const timed = runs.map((run) => ({ ...run, seconds: estimatedRunTime(run, now) }));
    const failed = timed.filter(({ state_type }) => state_type === 'FAILED' || state_type === 'CRASHED');
    const longest = (some: typeof timed) => some.reduce((one, other) => (other.seconds > one.seconds ? other : one));
    const example = failed[0] ?? longest(timed);
    return {
      key,
      count: runs.length,
      failed: failed.length,
      run_time: inMicroseconds(timed.reduce((sum, { seconds }) => sum + seconds, 0)),
      id: example.id,
      is_subflow: example.is_subflow === 1,
    };
  });
}

/** Sums of binary fractions show errors beyond this. */
function inMicroseconds(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6;
}

/** The name in a key without the mark of the code that clients add: `extract` for `extract-1f0c93aa`. */
function nameOf(key: string): string {
  return key.replace(/-(?:[0-9a-f]{8}|unknown)$/, '');
}

/**
 * Pairs the tasks of two runs: those with one key, then those with one name, whose code differs. The greatest difference
 * of their run time comes first.
 */
export function pairedTasks(a: readonly Task[], b: readonly Task[]): ComparedTask[] {
  const keys = new Map(b.map((task) => [task.key, task]));
  const same = a.flatMap((task) => (keys.has(task.key) ? [[task, keys.get(task.key)] as const] : []));
  const paired = new Set(same.map(([{ key }]) => key));
  const left = Map.groupBy(
    b.filter(({ key }) => !paired.has(key)),
    ({ key }) => nameOf(key),
  );
  const renewed = a.flatMap((task) =>
    paired.has(task.key) ? [] : [[task, left.get(nameOf(task.key))?.shift()] as const],
  );
  const added = [...left.values()].flat().map((task) => [undefined, task] as const);
  return [...same, ...renewed, ...added]
    .map(([one, other]) => ({
      name: nameOf((one ?? other)!.key),
      a: one ?? null,
      b: other ?? null,
      is_changed: one !== undefined && other !== undefined && one.key !== other.key,
    }))
    .sort((one, other) => differenceOf(other) - differenceOf(one) || (one.name < other.name ? -1 : 1));
}

function differenceOf({ a, b }: ComparedTask): number {
  return Math.abs((a?.run_time ?? 0) - (b?.run_time ?? 0));
}

interface ExcerptLog {
  readonly id: string;
  readonly timestamp: Timestamp;
  readonly level: number;
  readonly message: string;
  readonly task_run_id: string | null;
}

const HALF = MOST_LOGS / 2;

const logsInOrder = (direction: 'asc' | 'desc', most: number) =>
  statement<{ id: string }, ExcerptLog>(
    (_query, given) =>
      sql<ExcerptLog>`select id, timestamp, level, task_run_id,
          case when length(message) > ${sql.lit(LOG_LENGTH)}
            then substr(message, length(message) - ${sql.lit(LOG_LENGTH - 1)}) else message end as message
        from log where log."workspace" = ${given.workspace} and flow_run_id = ${given.id}
        order by timestamp ${sql.raw(direction)}, log.id ${sql.raw(direction)} limit ${sql.lit(most)}`,
  );
const firstLogs = logsInOrder('asc', MOST_LOGS + 1);
const lastLogs = logsInOrder('desc', HALF);

/** Undefined when the run does not exist. */
export async function readLogExcerpt({ db }: Context, id: string) {
  if (!(await findFlowRun(db, id))) return undefined;
  const logs = await db.all(firstLogs, { id });
  if (logs.length <= MOST_LOGS) return { logs, gap: null };
  const last = await db.all(lastLogs, { id });
  return { logs: [...logs.slice(0, HALF), ...last.reverse()], gap: HALF };
}
