/** The graph of a flow run, with its task runs and subflow runs as nodes. */
import { DateTime, Json, Nullable, OneOf, Shape, type Static, Type, Uuid, withDefault } from '../../../schema/kinds.ts';
import { StateType } from '../../filters/field-schema.ts';
import { State } from '../rows/state-schema.ts';
import { TaskRunResult } from '../task-runs/schema.ts';

export const GraphState = Shape(
  'GraphState',
  { id: Uuid(), timestamp: DateTime(), type: StateType, name: Type.String() },
  'ignore',
);
export type GraphState = Static<typeof GraphState>;

export const GraphArtifact = Shape(
  'GraphArtifact',
  {
    id: Uuid(),
    created: DateTime(),
    key: Nullable(Type.String()),
    type: Nullable(Type.String()),
    is_latest: Type.Boolean(),
    data: Nullable(Json()),
  },
  'ignore',
);
export type GraphArtifact = Static<typeof GraphArtifact>;

export const Edge = Shape('Edge', { id: Uuid() }, 'ignore');
export type Edge = Static<typeof Edge>;

export const Node = Shape(
  'Node',
  {
    kind: OneOf(['flow-run', 'task-run']),
    id: Uuid(),
    label: Type.String(),
    state_type: StateType,
    start_time: DateTime(),
    end_time: Nullable(DateTime()),
    parents: Type.Array(Edge),
    children: Type.Array(Edge),
    encapsulating: Type.Array(Edge),
    artifacts: Type.Array(GraphArtifact),
  },
  'ignore',
);
export type Node = Static<typeof Node>;

export const Graph = Shape(
  'Graph',
  {
    start_time: Nullable(DateTime()),
    end_time: Nullable(DateTime()),
    root_node_ids: Type.Array(Uuid()),
    /** Pairs of id and node, in the order in which they are drawn. */
    nodes: Type.Array(Type.Tuple([Uuid(), Node])),
    artifacts: Type.Array(GraphArtifact),
    states: Type.Array(GraphState),
  },
  'ignore',
);
export type Graph = Static<typeof Graph>;

/** The graph omits nodes that ended before `since`. */
export const graphQuery = Type.Object({ since: withDefault(DateTime(), '0001-01-01T00:00:00Z') });

/** A node of the old graph. Run times are in seconds. */
export const DependencyResult = Shape(
  'DependencyResult',
  {
    id: Uuid(),
    name: Type.String(),
    upstream_dependencies: Type.Array(TaskRunResult),
    state: Nullable(State),
    expected_start_time: Nullable(DateTime()),
    start_time: Nullable(DateTime()),
    end_time: Nullable(DateTime()),
    total_run_time: Nullable(Type.Number()),
    estimated_run_time: Nullable(Type.Number()),
    untrackable_result: Type.Boolean(),
  },
  'ignore',
);
export type DependencyResult = Static<typeof DependencyResult>;
