/**
 * Counts runs whose task runs never arrived. Clients report task runs as events on a websocket, and logs over HTTP: if
 * a client's websockets are refused, or do not pass a proxy, its flow succeeds, and only its logs name the tasks that
 * ran.
 */
import { sql } from 'kysely';
import type { Config } from '../../../config.ts';
import { statement } from '../../../database/statement.ts';
import type { Db } from '../../../database/store.ts';
import { socketCures } from '../../../identity/callers/socket-cures.ts';
import { addSeconds, type Timestamp } from '../../../values/time.ts';

/** A correctly configured client has reported its task runs this long after their logs. */
const REPORTED_SECONDS = 10;
/** Log lines that are read: the oldest of a run, the latest of a workspace. */
const MAX_LINES = 1000;

interface NamedTasks {
  /** Number of task runs that the logs name. */
  readonly named: number;
  /** Number of those that are recorded. */
  readonly recorded: number;
}

const tasksNamedByLogs = statement<{ id: string; before: Timestamp }, NamedTasks>(
  (_query, given) =>
    sql<NamedTasks>`select count(*) as named, count(task_run.id) as recorded from (
        select distinct task_run_id from (
          select task_run_id from log where log."workspace" = ${given.workspace} and flow_run_id = ${given.id}
            and timestamp < ${given.before} order by timestamp limit ${sql.lit(MAX_LINES)}) line
        where task_run_id is not null) task
      left join task_run on task_run."workspace" = ${given.workspace} and task_run.id = task.task_run_id`,
);

const runsNamedByLogs = statement<{ since: Timestamp; before: Timestamp }, { flow_run_id: string }>(
  (_query, given) =>
    sql<{ flow_run_id: string }>`select line.flow_run_id from (
        select flow_run_id, task_run_id from log where log."workspace" = ${given.workspace}
          and timestamp >= ${given.since} and timestamp < ${given.before}
          order by timestamp desc limit ${sql.lit(MAX_LINES)}) line
      join flow_run on flow_run."workspace" = ${given.workspace} and flow_run.id = line.flow_run_id
      left join task_run on task_run."workspace" = ${given.workspace} and task_run.id = line.task_run_id
      where line.task_run_id is not null
      group by line.flow_run_id having count(task_run.id) = 0`,
);

/** The number of task runs that the logs of a run name, if none of them is recorded; otherwise 0. */
export async function countUnrecordedTasks(db: Db, id: string, now: Timestamp): Promise<number> {
  const found = await db.first(tasksNamedByLogs, { id, before: addSeconds(now, -REPORTED_SECONDS) });
  return found && Number(found.recorded) === 0 ? Number(found.named) : 0;
}

/** The number of flow runs with such task runs, in the latest log lines of a workspace since a time. */
export async function countRunsWithUnrecordedTasks(db: Db, since: Timestamp, now: Timestamp): Promise<number> {
  return (await db.all(runsNamedByLogs, { since, before: addSeconds(now, -REPORTED_SECONDS) })).length;
}

/** The settings that the client may lack, one for each way in which it may reach the workspace. */
export function curesOfUnrecordedTasks({ apiAuth }: Pick<Config, 'apiAuth'>, isDefault: boolean): string[] {
  const ofDefault = {
    open: [],
    basic: [`At /api: ${socketCures.oldClient}.`],
    key: [`At /api: ${socketCures.key}. A client before 3.6: ${socketCures.keyOfOldClient}.`],
  };
  return [
    ...(isDefault ? ofDefault[apiAuth] : []),
    `At the address of the workspace: ${socketCures.hosted}.`,
    'Behind a proxy: let websockets pass.',
  ];
}
