/**
 * The path from a failed flow run to what made it fail. A run often fails because one of its task runs did, and a task
 * run that stands for a subflow failed because that did. The words of a run decide whether a failed task run explains it:
 * a run may also fail after it has handled the failures of its task runs.
 */
import { sql } from 'kysely';
import { statement } from '../../database/statement.ts';
import type { Db } from '../../database/store.ts';
import { FIRST_TIME, LAST_TIME, type Timestamp } from '../../values/time.ts';
import type { StateType } from '../filters/field-schema.ts';
import { type Attempt, hasFailed, listAttempts } from '../runs/attempts.ts';
import { stateColumns } from '../runs/rows/stored-state.ts';
import { explainedBy, lettersOf, raisedBy } from './failure-cause.ts';

interface FailedRun {
  readonly id: string;
  readonly name: string;
  readonly flow_name: string;
  /** The attempt that failed. */
  readonly attempt: Attempt;
}

interface FailedTask {
  readonly id: string;
  readonly name: string;
  readonly state_type: StateType;
  readonly state_name: string | null;
  readonly start_time: Timestamp | null;
  readonly end_time: Timestamp | null;
  readonly message: string | null;
}

export interface FailingPath {
  /** The run itself, then the subflows that failed in each other. */
  readonly runs: readonly FailedRun[];
  /** The task run that made the last of them fail. Undefined when no task run did. */
  readonly task: FailedTask | undefined;
}

/** Deeper subflows are not followed. */
const MOST_RUNS = 20;
/** Failed task runs of one run among which the cause is looked for. */
const MOST_TASKS = 50;

export async function findFailingPath(db: Db, run: FailedRun): Promise<FailingPath> {
  const runs = [run];
  for (;;) {
    const last = runs.at(-1) as FailedRun;
    const task = await findCause(db, last);
    const subflow = task && (await findFailedSubflow(db, task.id, last.attempt.until));
    if (!subflow || runs.length === MOST_RUNS) return { runs, task };
    runs.push(subflow);
  }
}

async function findCause(db: Db, { id, attempt }: FailedRun): Promise<FailedTask | undefined> {
  const { message, began, until, first_run, last_run } = attempt;
  const tasks = await db.all(failedTasks, { id, first_run, last_run, ...bounds({ began, until }) });
  const task = explainedBy(message, tasks);
  if (task || tasks.length === 0 || raisedBy(message) === undefined) return task;
  // An exception that was raised from another has both in its traceback.
  const logs = (await db.all(errorLogsOfRun, { id, ...bounds({ began, until }) })).map((log) => lettersOf(log.message));
  return tasks.find((failed) => isIn(logs, raisedBy(failed.message)));
}

/**
 * The newest run of the subflow that a task run stands for, as of the end of the parent's attempt, if it failed. A run
 * of a subflow may have been retried since then.
 */
async function findFailedSubflow(db: Db, task: string, until: Timestamp | null): Promise<FailedRun | undefined> {
  const run = await db.first(newestSubflow, { id: task, ...bounds({ began: null, until }) });
  if (!run) return undefined;
  const attempts = await listAttempts(db, run);
  const attempt = attempts.findLast((one) => until === null || one.began === null || one.began < until);
  return attempt && hasFailed(attempt) ? { ...run, attempt } : undefined;
}

function isIn(logs: readonly string[], raised: string | undefined): boolean {
  return raised !== undefined && logs.some((log) => log.includes(raised));
}

/** Timestamps in place of missing bounds, so that one statement serves all attempts. */
export function bounds({ began, until }: Pick<Attempt, 'began' | 'until'>) {
  return { began: began ?? FIRST_TIME, until: until ?? LAST_TIME };
}

/**
 * Task runs that failed in the attempt. One that failed by its own error comes before one that failed because its flow
 * run ended. Clients make new task runs in each attempt, which carry the number of the run. Those that stand for
 * subflows have no number and are used again, so their states within the attempt count.
 */
const failedTasks = statement<
  { id: string; first_run: number; last_run: number; began: Timestamp; until: Timestamp },
  FailedTask
>(
  (_query, given, dialect) =>
    sql<FailedTask>`select task_run.id, task_run.name, state.type as state_type, state.name as state_name,
        task_run.start_time, task_run.end_time, state.message
      from task_run
      join task_run_state state on state.workspace = task_run.workspace and state.id = case
        when task_run.flow_run_run_count between ${given.first_run} and ${given.last_run} then task_run.state_id
        when task_run.flow_run_run_count = 0 or task_run.flow_run_run_count > ${given.last_run} then (
          select id from task_run_state past where past.workspace = task_run.workspace
            and past.task_run_id = task_run.id and past.timestamp >= ${given.began} and past.timestamp < ${given.until}
          order by past.timestamp desc limit 1) end
      where task_run."workspace" = ${given.workspace} and task_run.flow_run_id = ${given.id}
        and state.type in ('FAILED', 'CRASHED')
      order by state.type desc, ${dialect.orderBy(sql`state.timestamp`, 'asc')}, task_run.id
      limit ${sql.lit(MOST_TASKS)}`,
);

type Subflow = Omit<FailedRun, 'attempt'> & Parameters<typeof listAttempts>[1];

/** Sorts without the index of ids, which would be read from end to end for a task run without a subflow. */
const newestSubflow = statement<{ id: string; until: Timestamp }, Subflow>(
  (_query, given, dialect) =>
    sql<Subflow>`select flow_run.id, flow_run.name, flow.name as flow_name, flow_run.created, flow_run.run_count, ${stateColumns}
      from flow_run
      join flow on flow.workspace = flow_run.workspace and flow.id = flow_run.flow_id
      join flow_run_state state on state.workspace = flow_run.workspace and state.id = flow_run.state_id
      where flow_run."workspace" = ${given.workspace} and flow_run.parent_task_run_id = ${given.id}
        and flow_run.created < ${given.until}
      order by ${dialect.unindexed(sql`flow_run.id`)} desc limit 1`,
);

interface LogText {
  readonly message: string;
}

const ERROR_LEVEL = 40;

export const errorLogsOfTask = statement<{ id: string }, LogText>(
  (_query, given) =>
    sql<LogText>`select message from log where log."workspace" = ${given.workspace} and task_run_id = ${given.id}
      and level >= ${sql.lit(ERROR_LEVEL)} order by timestamp desc limit 5`,
);

export const errorLogsOfRun = statement<{ id: string; began: Timestamp; until: Timestamp }, LogText>(
  (_query, given) =>
    sql<LogText>`select message from log where log."workspace" = ${given.workspace} and flow_run_id = ${given.id}
      and task_run_id is null and timestamp >= ${given.began} and timestamp < ${given.until} and level >= ${sql.lit(ERROR_LEVEL)} order by timestamp desc limit 5`,
);
