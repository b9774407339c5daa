/** The graph of a flow run: its task runs and subflow runs, and the runs whose results each of them takes. */
import { queryOptions } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.ts';
import { type StateKind, stateKind } from '../../design/states.ts';

type Graph = components['schemas']['Graph'];

/** The server answers no larger graph. */
export const MOST_NODES = 10_000;

export interface GraphNode {
  readonly id: string;
  readonly name: string;
  readonly isSubflow: boolean;
  readonly kind: StateKind;
  /** Milliseconds since 1970. */
  readonly start: number;
  /** Indexes of the nodes whose results it takes. */
  readonly givers: readonly number[];
  /** Indexes of the nodes that take its result. */
  readonly takers: readonly number[];
}

export interface GraphModel {
  readonly nodes: readonly GraphNode[];
  readonly indexes: ReadonlyMap<string, number>;
}

export function graphQuery(id: string) {
  return queryOptions({
    queryKey: ['graph', id],
    meta: { watches: [id] },
    queryFn: async ({ signal }) => {
      const answer = await answered(api.GET('/flow_runs/{id}/graph-v2', { params: { path: { id } }, signal }));
      // The client's types know no tuples.
      return modelOf(answer as Graph);
    },
    // A model is compared by identity: its nodes are too many to compare one by one.
    structuralSharing: false,
  });
}

function modelOf({ nodes }: Graph): GraphModel {
  const indexes = new Map(nodes.map(([id], index) => [id, index]));
  const indexesOf = (edges: readonly { readonly id: string }[]) => edges.flatMap(({ id }) => indexes.get(id) ?? []);
  return {
    indexes,
    nodes: nodes.map(([id, node]) => ({
      id,
      name: node.label,
      isSubflow: node.kind === 'flow-run',
      kind: stateKind(node.state_type, undefined),
      start: Date.parse(node.start_time),
      givers: indexesOf(node.parents),
      takers: indexesOf(node.children),
    })),
  };
}
