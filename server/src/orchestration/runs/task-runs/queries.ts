import { sql } from 'kysely';
import type { Expression, SqlDialect } from '../../../database/dialect/dialect.ts';
import { listedColumns } from '../../../database/lists/large-values.ts';
import { rows } from '../../../database/rows.ts';
import { rowOf, statement } from '../../../database/statement.ts';
import type { Db, Tx } from '../../../database/store.ts';
import type { NewRow, Row } from '../../../database/tables/tables.ts';
import type { JsonText } from '../../../values/json.ts';
import type { Timestamp } from '../../../values/time.ts';
import type { ListPart } from '../../filters/pagination.ts';
import { type RelatedFilters, taskRunCondition } from '../../filters/related-conditions.ts';
import { logs } from '../../logs/queries.ts';
import { flowRuns } from '../rows/flow-runs.ts';
import { runOrder } from '../rows/order.ts';
import { runTimeOf } from '../rows/run-estimates.ts';
import { type JoinedState, listedStateColumns, stateColumns } from '../rows/stored-state.ts';
import type { TaskRunSort } from './schema.ts';

export type TaskRunRow = Row<'task_run'>;

export const taskRuns = rows('task_run');

/** A task run with its state. */
export interface TaskRunWithState extends Omit<TaskRunRow, 'state_id'>, JoinedState {}

const columns = sql`task_run.*, ${stateColumns}`;

const joins = sql`left join task_run_state state on state.workspace = task_run.workspace and state.id = task_run.state_id`;

const taskRunById = statement<{ id: string }, TaskRunWithState>(
  (_query, given) =>
    sql<TaskRunWithState>`select ${columns} from task_run ${joins}
      where task_run."workspace" = ${given.workspace} and task_run.id = ${given.id}`,
);

/** Identifies a task run: two requests with the same natural key mean the same run. */
interface NaturalKey {
  /** Null for background task runs, which do not belong to a flow run. */
  readonly flow_run_id: string | null;
  readonly task_key: string;
  readonly dynamic_key: string;
}

const taskRunInFlowRun = statement<NaturalKey, TaskRunWithState>(
  (_query, given) =>
    sql<TaskRunWithState>`select ${columns} from task_run ${joins} where task_run."workspace" = ${given.workspace}
      and task_run.flow_run_id = ${given.flow_run_id}
      and task_run.task_key = ${given.task_key} and task_run.dynamic_key = ${given.dynamic_key}`,
);

const backgroundTaskRun = statement<NaturalKey, TaskRunWithState>(
  (_query, given) =>
    sql<TaskRunWithState>`select ${columns} from task_run ${joins} where task_run."workspace" = ${given.workspace}
      and task_run.flow_run_id is null
      and task_run.task_key = ${given.task_key} and task_run.dynamic_key = ${given.dynamic_key}`,
);

const insertRun = statement<NewRow<'task_run'>, Pick<TaskRunRow, 'id'>>((query, given) =>
  query
    .insertInto('task_run')
    .values(rowOf('task_run', given))
    .onConflict((conflict) => conflict.doNothing())
    .returning('id'),
);

const insertTags = statement<{ id: string; tags: JsonText }, unknown>(
  (_query, given, dialect) =>
    sql`insert into task_run_tag ("workspace", tag, task_run_id)
      select distinct ${dialect.typed(given.workspace, 'integer')}, tag.value, ${dialect.typed(given.id, 'uuid')}
      from ${dialect.textsFrom(given.tags)} tag`,
);

export function findTaskRun(db: Db, id: string): Promise<TaskRunWithState | undefined> {
  return db.first(taskRunById, { id });
}

export function findTaskRunByNaturalKey(db: Db, key: NaturalKey): Promise<TaskRunWithState | undefined> {
  return db.first(key.flow_run_id === null ? backgroundTaskRun : taskRunInFlowRun, key);
}

/** False when the natural key or the id is taken. The unique indexes decide, so two writers cannot both succeed. */
export async function insertTaskRunIfAbsent(tx: Tx, run: NewRow<'task_run'>): Promise<boolean> {
  if (!(await tx.first(insertRun, run))) return false;
  if (run.tags !== '[]') await tx.run(insertTags, { id: run.id, tags: run.tags });
  return true;
}

/**
 * Deletes the run with its states and logs. Flow runs that it started stay, without a parent. False when the run does
 * not exist.
 */
export async function deleteTaskRunRow(tx: Tx, id: string): Promise<boolean> {
  await flowRuns.changeAll(tx, { parent_task_run_id: id }, { parent_task_run_id: null });
  const deleted = await taskRuns.removeAll(tx, { id });
  if (deleted > 0) await logs.removeAll(tx, { task_run_id: id });
  return deleted > 0;
}

/** Selects the ids of the page first and joins the rows after, so a deep offset reads the index and not the rows. */
export function listTaskRuns(
  db: Db,
  filters: RelatedFilters,
  page: ListPart<TaskRunSort>,
  now: Timestamp,
): Promise<TaskRunWithState[]> {
  const { dialect } = db;
  const order = orderOf(page.sort, now, dialect);
  return db.query(
    sql<TaskRunWithState>`select ${listedColumns(db, 'task_run')}, ${listedStateColumns(db, 'task_run_state')} from
      (select task_run.id from task_run where task_run."workspace" = ${db.workspace}
        and ${taskRunCondition(filters, dialect)} order by ${order} limit ${page.limit} offset ${page.offset}) page
      join task_run on task_run.workspace = ${db.workspace} and task_run.id = page.id ${joins} order by ${order}`,
  );
}

export async function countTaskRuns(db: Db, filters: RelatedFilters): Promise<number> {
  const [row] = await db.query(
    sql<{ count: number }>`select count(*) as count from task_run where task_run."workspace" = ${db.workspace}
      and ${taskRunCondition(filters, db.dialect)}`,
  );
  return row?.count ?? 0;
}

function orderOf(sort: TaskRunSort, now: Timestamp, dialect: SqlDialect): Expression {
  switch (sort) {
    // Equal durations: the latest expected start first. Source: `POST /task_runs/filter` of the Prefect server 3.9.1.
    case 'DURATION_DESC':
      return sql`${runTimeOf('task_run', now, dialect)} desc, task_run.expected_start_time desc, task_run.id desc`;
    case 'DURATION_ASC':
      return sql`${runTimeOf('task_run', now, dialect)} asc, task_run.expected_start_time desc, task_run.id desc`;
    default:
      return runOrder('task_run', sort, dialect);
  }
}
