/**
 * The tasks that a retry of a flow run repeats. A client looks for the result of each task before it runs it, so a
 * completed task is repeated if its result was not kept, has expired, or is kept below a key that a later run cannot
 * find.
 */
import { sql } from 'kysely';
import type { Context } from '../../../context/context.ts';
import { statement } from '../../../database/statement.ts';
import type { Timestamp } from '../../../values/time.ts';
import type { StateType } from '../../filters/field-schema.ts';
import { listAttempts } from '../../runs/attempts.ts';
import { findFlowRun } from '../../runs/rows/flow-runs.ts';
import { taskOfKey } from '../narrowing/task-run-fields.ts';
import { NAME_LENGTH } from '../runs/run-row.ts';
import type { RepeatedTask } from './flow-run-schema.ts';

const MOST_TASKS = 10_000;
/** Tasks that the answer names, of each kind. */
const MOST_NAMED = 50;

interface TaskOfAttempt {
  readonly task: string;
  readonly state_type: StateType | null;
  /** Null if the result was not kept. */
  readonly storage_key: string | null;
  readonly expiration: string | null;
}

/** Task runs that stand for subflows are used again in each attempt. */
const tasksOfAttempt = statement<{ id: string; first_run: number; last_run: number }, TaskOfAttempt>(
  (_query, given, dialect) =>
    sql<TaskOfAttempt>`select substr(task_run.task_key, 1, ${sql.lit(NAME_LENGTH)}) as task, task_run.state_type,
        ${dialect.jsonText(sql`state.data`, 'storage_key')} as storage_key,
        ${dialect.jsonText(sql`state.data`, 'expiration')} as expiration
      from task_run
      left join task_run_state state on state.workspace = task_run.workspace and state.id = task_run.state_id
      where task_run."workspace" = ${given.workspace} and task_run.flow_run_id = ${given.id}
        and (task_run.flow_run_run_count = 0
          or task_run.flow_run_run_count between ${given.first_run} and ${given.last_run})
      order by task_run.id limit ${sql.lit(MOST_TASKS + 1)}`,
);

/** Undefined when the run does not exist. */
export async function readRetryPlan({ db, now }: Context, id: string) {
  const run = await findFlowRun(db, id);
  if (!run) return undefined;
  const { first_run, last_run } = (await listAttempts(db, run)).at(-1)!;
  const tasks = await db.all(tasksOfAttempt, { id, first_run, last_run });
  const repeated = new Map<string, RepeatedTask & { count: number }>();
  const kept = new Map<string, { task: string; count: number }>();
  for (const [key, runs] of Map.groupBy(tasks.slice(0, MOST_TASKS), ({ task }) => task)) {
    const task = taskOfKey(key);
    const cannotBeFound = runs.every(({ storage_key }) => storage_key === null || isDrawn(storage_key));
    for (const one of runs) {
      const reason = reasonOf(one, cannotBeFound, now);
      const counted = reason ? repeated : kept;
      const place = `${task} ${reason}`;
      const before = counted.get(place) ?? { task, count: 0, reason: reason ?? 'no_result' };
      counted.set(place, { ...before, count: before.count + 1 });
    }
  }
  return {
    repeated: mostFirst([...repeated.values()]),
    kept: mostFirst([...kept.values()]),
    is_complete: tasks.length <= MOST_TASKS && repeated.size <= MOST_NAMED && kept.size <= MOST_NAMED,
  };
}

function reasonOf(
  { state_type, storage_key, expiration }: TaskOfAttempt,
  cannotBeFound: boolean,
  now: Timestamp,
): RepeatedTask['reason'] | undefined {
  if (state_type !== 'COMPLETED') return 'not_completed';
  if (storage_key === null || cannotBeFound) return 'no_result';
  return expiration !== null && Date.parse(expiration) <= Date.parse(now) ? 'expired' : undefined;
}

/** A random UUID of version 4, which a client draws for a result of a task without a cache policy. */
const DRAWN = /(?:^|[\\/])[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}$/;

/** One key in 64 that is computed looks like one that was drawn, so all results of a task are looked at. */
function isDrawn(storageKey: string): boolean {
  return DRAWN.test(storageKey);
}

function mostFirst<Counted extends { readonly count: number }>(tasks: readonly Counted[]): Counted[] {
  return tasks.toSorted((one, other) => other.count - one.count).slice(0, MOST_NAMED);
}
