/** The task runs of a flow run in columns, so that ten thousand of them are sent and drawn quickly. */
import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../../context/context.ts';
import { statement } from '../../../database/statement.ts';
import type { JsonText } from '../../../values/json.ts';
import { FIRST_TIME, LAST_TIME, microsecondsOf, type Timestamp } from '../../../values/time.ts';
import type { StateType } from '../../filters/field-schema.ts';
import { findAttempt } from '../../runs/attempts.ts';
import { giversOf } from '../../runs/graph/task-inputs.ts';
import { findFlowRun } from '../../runs/rows/flow-runs.ts';
import { bounds } from '../../why/failing-path.ts';
import { NAME_LENGTH } from '../runs/run-row.ts';
import { pastStates } from './flow-run-queries.ts';

const MOST_TASKS = 10_000;
const MOST_ATTEMPT_STATES = 20_000;

interface TaskRow {
  readonly id: string;
  readonly kind: 'task-run' | 'flow-run';
  readonly task_run_id: string;
  readonly name: string;
  readonly state_type: StateType | null;
  readonly state_name: string | null;
  readonly expected: Timestamp | null;
  readonly start: Timestamp | null;
  readonly end: Timestamp | null;
  readonly run_count: number;
  readonly task_inputs: JsonText | null;
}

interface Asked {
  readonly id: string;
  readonly first_run: number;
  readonly last_run: number;
  readonly began: Timestamp;
  readonly until: Timestamp;
}

type Given = { readonly [Name in keyof Asked]: unknown };

const childJoin = (given: Given) => sql`left join flow_run child on child.workspace = task_run.workspace
    and child.parent_task_run_id = task_run.id and child.created >= ${given.began} and child.created < ${given.until}
  left join flow on flow.workspace = child.workspace and flow.id = child.flow_id`;

/** Task runs carry the number of the run; those that stand for subflows do not, and are used again. */
const inAttempt = (given: Given) => sql<boolean>`(
  task_run.flow_run_run_count between ${given.first_run} and ${given.last_run}
  or ((task_run.flow_run_run_count = 0 or task_run.flow_run_run_count > ${given.last_run}) and exists (
    select 1 from task_run_state past where past.workspace = task_run.workspace and past.task_run_id = task_run.id
      and past.timestamp >= ${given.began} and past.timestamp < ${given.until})))`;

/** Every task run is within these numbers. */
const ALL_ATTEMPTS = { first_run: 0, last_run: 2_147_483_647, began: FIRST_TIME, until: LAST_TIME };

/** Inputs may be large and the timeline does not draw them, so they are only read for a graph. */
const tasksWith = (inputs: RawBuilder<JsonText | null>) =>
  statement<Asked, TaskRow>(
    (_query, given, dialect) =>
      sql<TaskRow>`select ${inputs} as task_inputs, coalesce(child.id, task_run.id) as id, task_run.id as task_run_id,
        case when child.id is null then 'task-run' else 'flow-run' end as kind,
        substr(case when child.id is null then task_run.name else flow.name || ' / ' || child.name end, 1, ${sql.lit(NAME_LENGTH)})
          as name,
        coalesce(child.state_type, task_run.state_type) as state_type,
        coalesce(child.state_name, task_run.state_name) as state_name,
        coalesce(child.expected_start_time, task_run.expected_start_time) as expected,
        coalesce(child.start_time, task_run.start_time) as start,
        coalesce(child.end_time, task_run.end_time) as "end",
        coalesce(child.run_count, task_run.run_count) as run_count
      from task_run ${childJoin(given)}
      where task_run."workspace" = ${given.workspace} and task_run.flow_run_id = ${given.id} and ${inAttempt(given)}
      order by ${dialect.orderBy(sql`coalesce(child.start_time, task_run.start_time, child.expected_start_time, task_run.expected_start_time)`, 'asc')},
        task_run.id limit ${sql.lit(MOST_TASKS)}`,
  );
const tasksOfRun = tasksWith(sql`null`);
const tasksWithInputs = tasksWith(sql`task_run.task_inputs`);

interface AttemptRow {
  readonly task_run_id: string;
  readonly timestamp: Timestamp;
  readonly type: StateType;
  readonly name: string | null;
}

const attemptsOfRun = statement<{ id: string }, AttemptRow>(
  (_query, given) =>
    sql<AttemptRow>`select state.task_run_id, state.timestamp, state.type, state.name from task_run
      join task_run_state state on state.workspace = task_run.workspace and state.task_run_id = task_run.id
      where task_run."workspace" = ${given.workspace} and task_run.flow_run_id = ${given.id} and task_run.run_count > 1
      order by state.task_run_id, state.timestamp limit ${sql.lit(MOST_ATTEMPT_STATES)}`,
);

const countOfTasks = statement<Asked, { count: number }>(
  (_query, given) =>
    sql<{ count: number }>`select count(*) as count from task_run
      where task_run."workspace" = ${given.workspace} and flow_run_id = ${given.id} and ${inAttempt(given)}`,
);

interface Shown {
  /** Only the task runs and states of this attempt. */
  readonly attempt?: number;
  /** If true, the answer also lists the tasks whose results each task uses. */
  readonly givers: boolean;
}

/** Undefined when the run, or the attempt, does not exist. */
export async function readTimeline({ db, now }: Context, id: string, { attempt: number, givers }: Shown) {
  const run = await findFlowRun(db, id);
  if (!run) return undefined;
  const attempt = number === undefined ? undefined : await findAttempt(db, run, number);
  if (number !== undefined && !attempt) return undefined;
  const asked = { id, ...(attempt ? { ...attempt, ...bounds(attempt) } : ALL_ATTEMPTS) };
  const [tasks, attempts, all, counted] = await Promise.all([
    db.all(givers ? tasksWithInputs : tasksOfRun, asked),
    db.all(attemptsOfRun, { id }),
    db.all(pastStates, { id }),
    db.first(countOfTasks, asked),
  ]);
  const states = all.filter(({ timestamp }) => timestamp >= asked.began && timestamp < asked.until);
  const start = attempt?.began ?? run.start_time ?? run.expected_start_time ?? run.created;
  const origin = [start, tasks[0]?.start].filter(isTime).sort()[0]!;
  const since = (time: Timestamp) => (microsecondsOf(time) - microsecondsOf(origin)) / 1000;
  const sinceOrNull = (time: Timestamp | null) => (time === null ? null : since(time));
  const positions = Map.groupBy(tasks.keys(), (position) => tasks[position]!.task_run_id);
  return {
    as_of: now,
    origin,
    total: counted?.count ?? 0,
    id: tasks.map((task) => task.id),
    kind: tasks.map((task) => task.kind),
    name: tasks.map((task) => task.name),
    state_type: tasks.map((task) => task.state_type),
    state_name: tasks.map((task) => task.state_name),
    expected: tasks.map((task) => sinceOrNull(task.expected)),
    start: tasks.map((task) => sinceOrNull(task.start)),
    end: tasks.map((task) => sinceOrNull(task.end)),
    run_count: tasks.map((task) => task.run_count),
    attempts: attempts.flatMap(({ task_run_id, timestamp, type, name }) => {
      // Each attempt of the parent may have a run of the same subflow, in the order of their starts.
      const runs = positions.get(task_run_id) ?? [];
      const task = runs.findLast((position) => (tasks[position]?.start ?? timestamp) <= timestamp) ?? runs[0];
      return task === undefined ? [] : [{ task, at: since(timestamp), type, name }];
    }),
    givers: givers ? giversOfAll(tasks) : null,
    states: states.map(({ timestamp, type, name }) => ({ at: since(timestamp), type, name })),
  };
}

/** Positions without duplicates. Runs outside the list give no edge. */
function giversOfAll(tasks: readonly TaskRow[]): number[][] {
  const positions = new Map(tasks.map(({ id }, position) => [id, position]));
  return tasks.map(({ task_inputs }) => {
    const found = task_inputs === null ? [] : giversOf(task_inputs).map((id) => positions.get(id));
    return [...new Set(found.filter((position) => position !== undefined))];
  });
}

function isTime(time: Timestamp | null | undefined): time is Timestamp {
  return time !== null && time !== undefined;
}
