import { sql } from 'kysely';
import { statement } from '../../../database/statement.ts';
import type { Row } from '../../../database/tables/tables.ts';
import type { JsonText } from '../../../values/json.ts';
import type { Timestamp } from '../../../values/time.ts';
import { type JoinedState, stateColumns } from '../rows/stored-state.ts';
import type { GraphArtifact, GraphState, Node } from './graph-schema.ts';

/** A stored node. The inputs of its task run contain its edges. */
export interface GraphNodeRow extends Pick<Node, 'kind' | 'id' | 'label' | 'state_type' | 'end_time'> {
  readonly start_time: Timestamp | null;
  readonly task_inputs: JsonText;
}

/**
 * A task run that represents a subflow run becomes the node of that run. A run that has not started starts at its
 * expected time. A completed run without an end, such as a short run of an old client, ends at its expected time.
 * At most `limit` nodes, sorted by start, then end, as the graph draws them.
 */
export const nodesOfFlowRun = statement<{ id: string; limit: number }, GraphNodeRow>(
  (_query, given, dialect) =>
    sql<GraphNodeRow>`select * from (
        select coalesce(child.id, task_run.id) as id,
          case when child.id is null then 'task-run' else 'flow-run' end as kind,
          case when child.id is null then task_run.name else flow.name || ' / ' || child.name end as label,
          coalesce(child.state_type, task_run.state_type) as state_type,
          coalesce(child.start_time, child.expected_start_time, task_run.start_time, task_run.expected_start_time)
            as start_time,
          coalesce(child.end_time, task_run.end_time,
            case when task_run.state_type = 'COMPLETED' then task_run.expected_start_time end) as end_time,
          task_run.task_inputs
        from task_run
        left join flow_run child on child.workspace = task_run.workspace and child.parent_task_run_id = task_run.id
        left join flow on flow.workspace = child.workspace and flow.id = child.flow_id
        where task_run."workspace" = ${given.workspace} and task_run.flow_run_id = ${given.id}
      ) node
      order by ${dialect.orderBy(sql`node.start_time`, 'asc')}, ${dialect.orderBy(sql`node.end_time`, 'asc')}, node.id
      limit ${given.limit}`,
);

export interface GraphArtifactRow extends GraphArtifact {
  readonly task_run_id: string | null;
}

/** At most `limit` artifacts of the run and its task runs, oldest first, without results and untyped artifacts. */
export const artifactsOfFlowRun = statement<{ id: string; limit: number }, GraphArtifactRow>(
  (_query, given) =>
    sql<GraphArtifactRow>`select artifact.id, artifact.created, artifact.key, artifact.type, artifact.task_run_id,
        case when artifact.type = 'progress' then artifact.data end as data,
        artifact.key is null or collection.id is not null as is_latest
      from artifact
      left join artifact_collection collection on collection.workspace = artifact.workspace
        and collection.key = artifact.key and collection.latest_id = artifact.id
      where artifact."workspace" = ${given.workspace} and artifact.flow_run_id = ${given.id} and artifact.type <> 'result'
      order by artifact.created, artifact.id limit ${given.limit}`,
);

export const statesOfFlowRun = statement<{ id: string }, GraphState>((query, given) =>
  query
    .selectFrom('flow_run_state')
    .select(['id', 'timestamp', 'type', 'name'])
    .where('workspace', '=', given.workspace)
    .where('flow_run_id', '=', given.id)
    .orderBy('timestamp')
    .$castTo<GraphState>(),
);

export type DependencyRow = JoinedState &
  Pick<
    Row<'task_run'>,
    | 'id'
    | 'name'
    | 'task_inputs'
    | 'expected_start_time'
    | 'start_time'
    | 'end_time'
    | 'total_run_time'
    | 'state_type'
    | 'state_timestamp'
  >;

/** At most `limit` task runs with their states. */
export const taskRunsOfFlowRun = statement<{ id: string; limit: number }, DependencyRow>(
  (_query, given) =>
    sql<DependencyRow>`select task_run.id, task_run.name, task_run.task_inputs, task_run.expected_start_time,
        task_run.start_time, task_run.end_time, task_run.total_run_time, task_run.state_id, task_run.state_type,
        task_run.state_timestamp, ${stateColumns}
      from task_run
      left join task_run_state state on state.workspace = task_run.workspace and state.id = task_run.state_id
      where task_run."workspace" = ${given.workspace} and task_run.flow_run_id = ${given.id}
      order by task_run.id limit ${given.limit}`,
);
