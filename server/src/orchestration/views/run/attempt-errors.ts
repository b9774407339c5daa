/** Reads why attempts of task runs failed. The client keeps the error of an attempt that it repeats in its log only. */
import { sql } from 'kysely';
import { statement } from '../../../database/statement.ts';
import type { Db } from '../../../database/store.ts';
import type { Timestamp } from '../../../values/time.ts';
import type { StateType } from '../../filters/field-schema.ts';
import { exceptionOf } from '../../why/failure-cause.ts';
import { MESSAGE_LENGTH } from '../runs/run-row.ts';

interface AttemptError {
  readonly task_run_id: string;
  /** The number of the attempt, from 1. */
  readonly try: number;
  readonly message: string;
}

interface Task {
  readonly task_run_id: string;
  readonly state_type: StateType | null;
  readonly run_count: number;
}

interface State {
  readonly task_run_id: string;
  readonly timestamp: Timestamp;
  readonly type: StateType;
  readonly name: string | null;
}

interface Message {
  readonly task_run_id: string;
  readonly message: string | null;
}

const MOST_ERRORS = 100;
/** Characters that are read of a message; the exception is shown without the words around it. */
const READ_LENGTH = 2000;
const startOf = (column: string) => sql`substr(${sql.ref(column)}, 1, ${sql.lit(READ_LENGTH)})`;

/** `states` are those of the task runs that ran more than once, in the order of task runs and times. */
export async function attemptErrors(db: Db, tasks: readonly Task[], states: readonly State[]): Promise<AttemptError[]> {
  const failed = tasks.filter(({ state_type }) => state_type === 'FAILED' || state_type === 'CRASHED');
  const repeated = repeatedAttempts(states);
  const [last, earlier] = await Promise.all([
    failed.length === 0 ? [] : db.all(lastMessages, { ids: idsOf(failed) }),
    repeated.length === 0 ? [] : db.all(loggedErrors, { attempts: JSON.stringify(repeated) }),
  ]);
  const tries = new Map(failed.map(({ task_run_id, run_count }) => [task_run_id, run_count]));
  return [
    ...earlier.flatMap(({ task_run_id, message, number }) => {
      const text = repeatedError(message);
      return text === undefined ? [] : [{ task_run_id, try: number, message: text }];
    }),
    ...last.map(({ task_run_id, message }) => ({
      task_run_id,
      try: Math.max(1, tries.get(task_run_id) ?? 1),
      message: shortened(message ?? ''),
    })),
  ].filter(({ message }) => message !== '');
}

function idsOf(tasks: readonly Task[]): string {
  return JSON.stringify(tasks.slice(0, MOST_ERRORS).map(({ task_run_id }) => ({ id: task_run_id })));
}

interface Attempt {
  readonly id: string;
  readonly number: number;
  readonly at: Timestamp;
}

/** Attempts that another one followed, with the time at which they ended. */
function repeatedAttempts(states: readonly State[]): Attempt[] {
  const found: Attempt[] = [];
  for (const task of Map.groupBy(states, ({ task_run_id }) => task_run_id).values()) {
    let number = 0;
    for (const [index, { task_run_id, type }] of task.entries()) {
      if (type !== 'RUNNING') continue;
      number += 1;
      const next = task[index + 1];
      const isRepeated = next && (next.name === 'AwaitingRetry' || next.name === 'Retrying');
      if (isRepeated) found.push({ id: task_run_id, number, at: next.timestamp });
      if (found.length === MOST_ERRORS) return found;
    }
  }
  return found;
}

const lastMessages = statement<{ ids: string }, Message>(
  (_query, given, dialect) =>
    sql<Message>`select item.id as task_run_id, coalesce(${startOf('child_state.message')}, ${startOf('state.message')}) as message
      from ${dialect.rowsFrom(given.ids, { id: 'uuid' })} item
      join task_run on task_run.workspace = ${given.workspace} and task_run.id = item.id
      left join task_run_state state on state.workspace = ${given.workspace} and state.id = task_run.state_id
      left join flow_run child on child.workspace = ${given.workspace} and child.parent_task_run_id = task_run.id
      left join flow_run_state child_state on child_state.workspace = ${given.workspace} and child_state.id = child.state_id
      where task_run."workspace" = ${given.workspace}`,
);

/** Lines that a client may log between the error and the state that follows it. */
const LINES_BETWEEN = 20;
const PHRASE = 'Task run failed with ';

const loggedErrors = statement<{ attempts: string }, Message & Pick<Attempt, 'number'>>(
  (_query, given, dialect) =>
    sql<Message & Pick<Attempt, 'number'>>`select item.id as task_run_id, item.number, (
        select ${startOf('message')} from (
          select message, timestamp from log
          where log."workspace" = ${given.workspace} and task_run_id = item.id and timestamp <= item.at
          order by timestamp desc limit ${sql.lit(LINES_BETWEEN)}
        ) line where ${dialect.startsWithLiterally(sql`message`, PHRASE)} order by timestamp desc limit 1) as message
      from ${dialect.rowsFrom(given.attempts, { id: 'uuid', number: 'integer', at: 'timestamp' })} item`,
);

/** `ValueError('x')` of `Task run failed with exception: ValueError('x') - Retry 1/2 will start immediately`. */
const REPEATED = /^Task run failed with \w+: (.*) - Retry \d+\/\d+ will start /s;

function repeatedError(message: string | null): string | undefined {
  const [, error] = REPEATED.exec(message ?? '') ?? [];
  return error === undefined ? undefined : shortened(`encountered an exception ${error}`, error);
}

/** `ValueError: x`, or else the first line. */
function shortened(message: string, otherwise = message): string {
  const exception = exceptionOf(message);
  const text = exception ? `${exception.type}${exception.message ? `: ${exception.message}` : ''}` : otherwise;
  return text.split('\n', 1).join('').slice(0, MESSAGE_LENGTH);
}
