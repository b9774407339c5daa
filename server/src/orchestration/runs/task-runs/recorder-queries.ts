/** The statements that record many task runs at once; each takes its rows as one JSON parameter. */
import { sql } from 'kysely';
import { statement } from '../../../database/statement.ts';
import type { Tx } from '../../../database/store.ts';
import type { NewRow } from '../../../database/tables/tables.ts';
import type { TaskRunRow } from './queries.ts';

/** The keys that find a task run. */
interface RunReference {
  readonly id: string;
  readonly flow_run_id: string | null;
  readonly task_key: string;
  readonly dynamic_key: string;
}

const referenceKinds = { id: 'uuid', flow_run_id: 'uuid', task_key: 'text', dynamic_key: 'text' } as const;

/**
 * Looks up natural keys one by one. A new database has no statistics, and without them a join reads the table once for
 * each event.
 */
const runsByReference = statement<{ references: string }, TaskRunRow>((_query, given, dialect) => {
  const references = dialect.rowsFrom(given.references, referenceKinds);
  const sameKey = sql`same.workspace = ${given.workspace} and same.task_key = wanted.task_key
    and same.dynamic_key = wanted.dynamic_key`;
  const ids = sql`select wanted.id from ${references} wanted
    union all select (select same.id from task_run same where ${sameKey} and same.flow_run_id = wanted.flow_run_id)
      from ${references} wanted where wanted.flow_run_id is not null
    union all select (select same.id from task_run same where ${sameKey} and same.flow_run_id is null)
      from ${references} wanted where wanted.flow_run_id is null`;
  return sql<TaskRunRow>`select run.* from task_run run where run."workspace" = ${given.workspace}
    and ${dialect.isAmong(sql`run.id`, ids)} order by run.id ${dialect.forUpdate}`;
});

const runKinds = {
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  name: 'text',
  flow_run_id: 'uuid',
  task_key: 'text',
  dynamic_key: 'text',
  cache_key: 'text',
  cache_expiration: 'timestamp',
  task_version: 'text',
  empirical_policy: 'text',
  tags: 'text',
  labels: 'text',
  task_inputs: 'text',
  state_id: 'uuid',
  state_type: 'text',
  state_name: 'text',
  state_timestamp: 'timestamp',
  run_count: 'integer',
  flow_run_run_count: 'integer',
  expected_start_time: 'timestamp',
  next_scheduled_start_time: 'timestamp',
  start_time: 'timestamp',
  end_time: 'timestamp',
  total_run_time: 'float',
} as const satisfies Record<keyof NewRow<'task_run'>, string>;

const neverUpdated = ['id', 'created'];

/**
 * Compares the time again, because another replica may have inserted a run since the rows were read. Reads and writes
 * rows in the order of their ids, so that two replicas cannot deadlock.
 */
const upsertRuns = statement<{ runs: string }, Pick<TaskRunRow, 'id'>>((_query, given, dialect) => {
  const names = Object.keys(runKinds);
  const columns = sql.join(names.map((name) => sql.id(name)));
  const changes = names
    .filter((name) => !neverUpdated.includes(name))
    .map((name) => sql`${sql.id(name)} = excluded.${sql.id(name)}`);
  return sql`insert into task_run ("workspace", ${columns})
    select ${dialect.typed(given.workspace, 'integer')}, ${columns} from ${dialect.rowsFrom(given.runs, runKinds)} item
    where item.flow_run_id is null or (select 1 from flow_run
      where flow_run.workspace = ${given.workspace} and flow_run.id = item.flow_run_id) = 1
    order by item.id
    on conflict ("workspace", id) do update set ${sql.join(changes)}
      where task_run.state_timestamp is null or task_run.state_timestamp < excluded.state_timestamp
    returning id`;
});

const stateKinds = {
  id: 'uuid',
  task_run_id: 'uuid',
  type: 'text',
  name: 'text',
  timestamp: 'timestamp',
  message: 'text',
  data: 'text',
  state_details: 'text',
} as const satisfies Record<keyof NewRow<'task_run_state'>, string>;

const insertStates = statement<{ states: string }, unknown>((_query, given, dialect) => {
  const columns = sql.join(Object.keys(stateKinds).map((name) => sql.id(name)));
  return sql`insert into task_run_state ("workspace", ${columns})
    select ${dialect.typed(given.workspace, 'integer')}, ${columns} from ${dialect.rowsFrom(given.states, stateKinds)} item
    where true on conflict ("workspace", id) do nothing`;
});

const deleteTags = statement<{ runs: string }, unknown>(
  (_query, given, dialect) =>
    sql`delete from task_run_tag where "workspace" = ${given.workspace}
      and task_run_id in (select item.id from ${dialect.rowsFrom(given.runs, { id: 'uuid' })} item)`,
);

const insertTags = statement<{ tags: string }, unknown>(
  (_query, given, dialect) =>
    sql`insert into task_run_tag ("workspace", tag, task_run_id)
      select ${dialect.typed(given.workspace, 'integer')}, tag, task_run_id
      from ${dialect.rowsFrom(given.tags, { tag: 'text', task_run_id: 'uuid' })} item
      where true on conflict do nothing`,
);

/** Runs with one of the ids or one of the natural keys, locked until the transaction ends. */
export function findReferencedRuns(tx: Tx, references: readonly RunReference[]): Promise<TaskRunRow[]> {
  return tx.all(runsByReference, { references: JSON.stringify(references) });
}

/**
 * Inserts runs, or updates stored runs to a newer state. Returns the ids of the written runs: without runs whose stored
 * state is as new, and without new runs whose flow run does not exist.
 */
export async function writeRuns(tx: Tx, runs: readonly NewRow<'task_run'>[]): Promise<Set<string>> {
  return new Set((await tx.all(upsertRuns, { runs: JSON.stringify(runs) })).map(({ id }) => id));
}

/** Adds states to the histories of their runs. A stored state does not change. */
export async function writeStates(tx: Tx, states: readonly NewRow<'task_run_state'>[]): Promise<void> {
  await tx.run(insertStates, { states: JSON.stringify(states) });
}

/** Replaces the tags of each run by `tags`. */
export async function replaceTags(tx: Tx, runs: readonly { id: string; tags: readonly string[] }[]): Promise<void> {
  await tx.run(deleteTags, { runs: JSON.stringify(runs.map(({ id }) => ({ id }))) });
  const rows = runs.flatMap(({ id, tags }) => [...new Set(tags)].map((tag) => ({ tag, task_run_id: id })));
  if (rows.length > 0) await tx.run(insertTags, { tags: JSON.stringify(rows) });
}
