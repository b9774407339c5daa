/**
 * The path from a failed flow run to what made it fail. A run often fails because one of its task runs did, and a task
 * run that stands for a subflow failed because that did. The words of a run decide whether a failed task run explains it:
 * a run may also fail after it has handled the failures of its task runs.
 */
import { sql } from 'kysely';
import { statement } from '../../database/statement.ts';
import type { Db } from '../../database/store.ts';
import type { Timestamp } from '../../values/time.ts';
import type { StateType } from '../filters/field-schema.ts';
import { latestAttempt } from '../runs/attempts.ts';
import { explainedBy, lettersOf, raisedBy } from './failure-cause.ts';

interface FailedRun {
  readonly id: string;
  readonly name: string;
  readonly flow_id: string;
  readonly flow_name: string;
  readonly run_count: number;
  readonly state_type: StateType;
  readonly message: string | null;
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
  /** The task run that made the last of them fail; undefined when that failed by itself. */
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
    const subflow = task && (await db.first(failedSubflow, { id: task.id }));
    if (!subflow || runs.length === MOST_RUNS) return { runs, task };
    runs.push(subflow);
  }
}

async function findCause(db: Db, run: FailedRun): Promise<FailedTask | undefined> {
  const tasks = await db.all(failedTasks, { id: run.id, ...(await latestAttempt(db, run)) });
  const task = explainedBy(run.message, tasks);
  if (task || tasks.length === 0 || raisedBy(run.message) === undefined) return task;
  // An exception that was raised from another has both in its traceback.
  const logs = (await db.all(errorLogsOfRun, { id: run.id })).map(({ message }) => lettersOf(message));
  return tasks.find(({ message }) => isIn(logs, raisedBy(message)));
}

function isIn(logs: readonly string[], raised: string | undefined): boolean {
  return raised !== undefined && logs.some((log) => log.includes(raised));
}

/**
 * Task runs of the latest attempt. One that failed by its own error comes before one that failed because its flow run
 * ended. The number of attempts decides to which attempt a task run belongs; those that stand for subflows have no such
 * number, so their time decides.
 */
const failedTasks = statement<{ id: string; number: number; began: Timestamp | null }, FailedTask>(
  (_query, given, dialect) =>
    sql<FailedTask>`select task_run.id, task_run.name, task_run.state_type, task_run.state_name, task_run.start_time,
        task_run.end_time, state.message
      from task_run
      left join task_run_state state on state.workspace = task_run.workspace and state.id = task_run.state_id
      where task_run."workspace" = ${given.workspace} and task_run.flow_run_id = ${given.id}
        and task_run.state_type in ('FAILED', 'CRASHED')
        and (${dialect.typed(given.began, 'timestamp')} is null or task_run.flow_run_run_count >= ${given.number}
          or (task_run.flow_run_run_count = 0 and task_run.state_timestamp >= ${given.began}))
      order by task_run.state_type desc, ${dialect.orderBy(sql`task_run.state_timestamp`, 'asc')}, task_run.id
      limit ${sql.lit(MOST_TASKS)}`,
);

/**
 * The newest run of the subflow that a task run stands for, if it failed. Sorts without the index of ids, which would
 * be read from end to end for a task run without a subflow.
 */
const failedSubflow = statement<{ id: string }, FailedRun>(
  (_query, given, dialect) =>
    sql<FailedRun>`select id, name, flow_id, flow_name, run_count, state_type, message from (
        select flow_run.id, flow_run.name, flow_run.flow_id, flow.name as flow_name, flow_run.run_count, flow_run.state_type, state.message
        from flow_run
        join flow on flow.workspace = flow_run.workspace and flow.id = flow_run.flow_id
        left join flow_run_state state on state.workspace = flow_run.workspace and state.id = flow_run.state_id
        where flow_run."workspace" = ${given.workspace} and flow_run.parent_task_run_id = ${given.id}
        order by ${dialect.unindexed(sql`flow_run.id`)} desc limit 1
      ) newest where state_type in ('FAILED', 'CRASHED')`,
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

export const errorLogsOfRun = statement<{ id: string }, LogText>(
  (_query, given) =>
    sql<LogText>`select message from log where log."workspace" = ${given.workspace} and flow_run_id = ${given.id}
      and task_run_id is null and level >= ${sql.lit(ERROR_LEVEL)} order by timestamp desc limit 5`,
);
