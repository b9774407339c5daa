/** The subflow runs of a flow run, of any depth, such as its logs include. */
import { sql } from 'kysely';
import { statement } from '../../../database/statement.ts';
import type { Db } from '../../../database/store.ts';
import { findFlowRun } from '../../runs/rows/flow-runs.ts';
import { NAME_LENGTH } from '../runs/run-row.ts';
import type { Subflow } from './flow-run-schema.ts';

const MOST_SUBFLOWS = 200;
const DEEPEST = 20;

/** Reads the tree level by level, until it has enough runs. */
const subflowsOfRun = statement<{ id: string }, Subflow>(
  (_query, given, dialect) =>
    sql<Subflow>`with recursive tree(id, parent_id, depth) as (
        select flow_run.id, ${dialect.typed(null, 'uuid')}, 0 from flow_run
        where flow_run."workspace" = ${given.workspace} and flow_run.id = ${given.id}
        union all
        select child.id, tree.id, tree.depth + 1 from tree
        join task_run on task_run."workspace" = ${given.workspace} and task_run.flow_run_id = tree.id
        join flow_run child on child."workspace" = ${given.workspace} and child.parent_task_run_id = task_run.id
        where tree.depth < ${sql.lit(DEEPEST)}
      )
      select flow_run.id, tree.parent_id, substr(flow_run.name, 1, ${sql.lit(NAME_LENGTH)}) as name,
        substr(flow.name, 1, ${sql.lit(NAME_LENGTH)}) as flow_name
      from (select id, parent_id from tree where depth > 0 limit ${sql.lit(MOST_SUBFLOWS + 1)}) tree
      join flow_run on flow_run."workspace" = ${given.workspace} and flow_run.id = tree.id
      join flow on flow.workspace = flow_run.workspace and flow.id = flow_run.flow_id`,
);

/** Undefined when the run does not exist. */
export async function readSubflows(db: Db, id: string) {
  if (!(await findFlowRun(db, id))) return undefined;
  const found = await db.all(subflowsOfRun, { id });
  return { subflows: found.slice(0, MOST_SUBFLOWS), is_complete: found.length <= MOST_SUBFLOWS };
}
