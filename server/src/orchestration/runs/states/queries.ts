import { statement } from '../../../database/statement.ts';
import type { Db } from '../../../database/store.ts';
import type { Row } from '../../../database/tables.ts';

const flowRunStateById = statement<{ id: string }, Row<'flow_run_state'>>((query, given) =>
  query.selectFrom('flow_run_state').selectAll().where('workspace', '=', given.workspace).where('id', '=', given.id),
);

const taskRunStateById = statement<{ id: string }, Row<'task_run_state'>>((query, given) =>
  query.selectFrom('task_run_state').selectAll().where('workspace', '=', given.workspace).where('id', '=', given.id),
);

const statesOfFlowRun = statement<{ flow_run_id: string }, Row<'flow_run_state'>>((query, given) =>
  query
    .selectFrom('flow_run_state')
    .selectAll()
    .where('workspace', '=', given.workspace)
    .where('flow_run_id', '=', given.flow_run_id)
    .orderBy('timestamp'),
);

const statesOfTaskRun = statement<{ task_run_id: string }, Row<'task_run_state'>>((query, given) =>
  query
    .selectFrom('task_run_state')
    .selectAll()
    .where('workspace', '=', given.workspace)
    .where('task_run_id', '=', given.task_run_id)
    .orderBy('timestamp'),
);

export function findFlowRunState(db: Db, id: string): Promise<Row<'flow_run_state'> | undefined> {
  return db.first(flowRunStateById, { id });
}

export function findTaskRunState(db: Db, id: string): Promise<Row<'task_run_state'> | undefined> {
  return db.first(taskRunStateById, { id });
}

/** Oldest first. Empty when the run does not exist. */
export function listFlowRunStates(db: Db, flow_run_id: string): Promise<Row<'flow_run_state'>[]> {
  return db.all(statesOfFlowRun, { flow_run_id });
}

/** Oldest first. Empty when the run does not exist. */
export function listTaskRunStates(db: Db, task_run_id: string): Promise<Row<'task_run_state'>[]> {
  return db.all(statesOfTaskRun, { task_run_id });
}
