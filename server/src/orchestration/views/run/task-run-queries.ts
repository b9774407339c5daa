/** The queries of the page of a task run, except the one for the task run itself. */
import { sql } from 'kysely';
import { statement } from '../../../database/statement.ts';
import type { Db } from '../../../database/store.ts';
import type { LinkedRun } from './task-run-schema.ts';

interface FlowRunOfTask {
  readonly id: string;
  readonly name: string;
  readonly flow_name: string;
}

export const flowRunOfTask = statement<{ id: string }, FlowRunOfTask>(
  (_query, given) =>
    sql<FlowRunOfTask>`select flow_run.id, flow_run.name, flow.name as flow_name from flow_run
      join flow on flow.workspace = flow_run.workspace and flow.id = flow_run.flow_id
      where flow_run."workspace" = ${given.workspace} and flow_run.id = ${given.id}`,
);

/** Sorts without the index of ids, which would be read from end to end for a task run without a subflow. */
export const childOfTask = statement<{ id: string }, LinkedRun>(
  (_query, given, dialect) =>
    sql<LinkedRun>`select 'flow_run' as kind, flow_run.id, flow.name || ' / ' || flow_run.name as name,
        flow_run.state_type, flow_run.state_name from flow_run
      join flow on flow.workspace = flow_run.workspace and flow.id = flow_run.flow_id
      where flow_run."workspace" = ${given.workspace} and flow_run.parent_task_run_id = ${given.id}
      order by ${dialect.unindexed(sql`flow_run.id`)} desc limit 1`,
);

const MOST_USERS = 50;

/**
 * Runs that still exist, in no particular order. A subflow is listed by its own id or by the id of the task run that
 * represents it.
 */
export function listLinkedRuns(db: Db, ids: readonly string[]): Promise<LinkedRun[]> {
  if (ids.length === 0) return Promise.resolve([]);
  const { dialect } = db;
  return db.query(
    sql<LinkedRun>`select 'task_run' as kind, task_run.id, task_run.name, task_run.state_type, task_run.state_name
        from task_run where task_run."workspace" = ${db.workspace} and ${dialect.oneOf(sql`task_run.id`, ids, 'uuid')}
      union all
      select 'flow_run' as kind, flow_run.id, flow_run.name, flow_run.state_type, flow_run.state_name
        from flow_run where flow_run."workspace" = ${db.workspace} and ${dialect.oneOf(sql`flow_run.id`, ids, 'uuid')}`,
  );
}

/** Reads the inputs of all task runs of the flow run, because they are stored as text without an index. */
export function listUsers(db: Db, run: { readonly id: string; readonly flow_run_id: string }): Promise<LinkedRun[]> {
  return db.query(
    sql<LinkedRun>`select 'task_run' as kind, task_run.id, task_run.name, task_run.state_type, task_run.state_name
      from task_run where task_run."workspace" = ${db.workspace} and task_run.flow_run_id = ${run.flow_run_id}
        and ${db.dialect.containsLiterally(sql`cast(task_run.task_inputs as text)`, run.id)}
      order by task_run.id limit ${sql.lit(MOST_USERS)}`,
  );
}
