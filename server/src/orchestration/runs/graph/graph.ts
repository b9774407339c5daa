/**
 * The graph of a flow run.
 * Source: `GET /flow_runs/{id}/graph-v2` and `GET /flow_runs/{id}/graph` of the Prefect server 3.9.1.
 */
import type { Context } from '../../../context/context.ts';
import { BadRequest, ObjectNotFound } from '../../../errors.ts';
import type { Timestamp } from '../../../values/time.ts';
import { estimatedRunTime } from '../rows/derived-columns.ts';
import { findFlowRun } from '../rows/flow-runs.ts';
import { readDetails, wireState } from '../rows/stored-state.ts';
import {
  artifactsOfFlowRun,
  type DependencyRow,
  type GraphArtifactRow,
  type GraphNodeRow,
  nodesOfFlowRun,
  statesOfFlowRun,
  taskRunsOfFlowRun,
} from './graph-queries.ts';
import type { Edge, GraphArtifact } from './graph-schema.ts';
import { ENCLOSING_INPUT, upstreamOf } from './task-inputs.ts';

const MAX_NODES = 10_000;
const MAX_ARTIFACTS = 10_000;

/**
 * The graph that the dashboard draws, without the nodes that ended before `since`. Edges still name those nodes. Throws
 * ObjectNotFound, and BadRequest for a run with too many nodes.
 */
export async function readFlowRunGraph(context: Context, id: string, since: Timestamp) {
  const run = await findFlowRun(context.db, id);
  if (!run) throw new ObjectNotFound(`Flow run ${id} not found`);
  const [rows, artifacts, states] = await Promise.all([
    context.db.all(nodesOfFlowRun, { id, limit: MAX_NODES + 1 }),
    context.db.all(artifactsOfFlowRun, { id, limit: MAX_ARTIFACTS }),
    context.db.all(statesOfFlowRun, { id }),
  ]);
  checkSize(id, rows.length);
  const edges = edgesOf(rows);
  const artifactsOf = Map.groupBy(artifacts, ({ task_run_id }) => task_run_id);
  const shown = rows.filter(({ end_time }) => end_time === null || end_time >= since);
  return {
    start_time: run.start_time ?? run.expected_start_time,
    end_time: run.end_time,
    root_node_ids: shown.filter((row) => edges.get(row.id)?.parents.size === 0).map((row) => row.id),
    nodes: shown.map((row) => [row.id, node(row, edges.get(row.id), artifactsOf.get(row.id))]),
    artifacts: (artifactsOf.get(null) ?? []).map(graphArtifact),
    states,
  };
}

function checkSize(id: string, nodes: number): void {
  if (nodes > MAX_NODES) throw new BadRequest(`The graph of flow run ${id} has more than ${MAX_NODES} nodes.`);
}

interface Edges {
  readonly parents: Set<string>;
  readonly children: Set<string>;
  readonly encapsulating: Set<string>;
}

/** Edges between the nodes of the run, without duplicates. Inputs that refer to other runs give no edge. */
function edgesOf(rows: readonly GraphNodeRow[]): ReadonlyMap<string, Edges> {
  const edges = new Map<string, Edges>(
    rows.map(({ id }) => [id, { parents: new Set(), children: new Set(), encapsulating: new Set() }]),
  );
  for (const { id, task_inputs } of rows) {
    for (const { name, upstream } of upstreamOf(task_inputs)) {
      const other = edges.get(upstream);
      if (!other) continue;
      if (name === ENCLOSING_INPUT) {
        edges.get(id)?.encapsulating.add(upstream);
      } else {
        edges.get(id)?.parents.add(upstream);
        other.children.add(id);
      }
    }
  }
  return edges;
}

function node(
  { task_inputs, ...row }: GraphNodeRow,
  edges: Edges | undefined,
  artifacts: readonly GraphArtifactRow[] = [],
) {
  return {
    ...row,
    parents: edgeList(edges?.parents),
    children: edgeList(edges?.children),
    encapsulating: edgeList(edges?.encapsulating),
    artifacts: artifacts.map(graphArtifact),
  };
}

function edgeList(ids: ReadonlySet<string> = new Set()): Edge[] {
  return Array.from(ids, (id) => ({ id }));
}

function graphArtifact({ task_run_id, ...artifact }: GraphArtifactRow): GraphArtifact {
  return artifact;
}

/**
 * The older graph: every task run with the task runs that it waited for. Throws ObjectNotFound, and BadRequest for a
 * run with too many task runs.
 */
export async function readFlowRunDependencies(context: Context, id: string) {
  if (!(await findFlowRun(context.db, id))) throw new ObjectNotFound(`Flow run with id ${id} not found`);
  const rows = await context.db.all(taskRunsOfFlowRun, { id, limit: MAX_NODES + 1 });
  checkSize(id, rows.length);
  return rows.map((row) => dependency(row, context.now));
}

function dependency(row: DependencyRow, now: Timestamp) {
  const upstream = upstreamOf(row.task_inputs).filter(({ kind }) => kind === 'task_run');
  return {
    ...row,
    upstream_dependencies: [...new Set(upstream.map((input) => input.upstream))].map((id) => ({
      input_type: 'task_run',
      id,
    })),
    state: wireState(row),
    estimated_run_time: estimatedRunTime(row, now),
    untrackable_result: row.joined_details !== null && readDetails(row.joined_details).untrackable_result,
  };
}
