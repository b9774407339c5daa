/** The graph of a flow run: its task runs and subflow runs, and the runs whose results each of them uses. */
import { type StateKind, stateKind } from '../../design/states.ts';
import type { TimelineView } from '../queries.ts';

/** The largest graph that the server returns. */
export const MOST_NODES = 10_000;

export interface GraphNode {
  readonly id: string;
  readonly name: string;
  readonly isSubflow: boolean;
  readonly kind: StateKind;
  /** Milliseconds since 1970. */
  readonly start: number;
  /** Indexes of the nodes whose results it uses. */
  readonly givers: readonly number[];
  /** Indexes of the nodes that use its result. */
  readonly takers: readonly number[];
}

export interface GraphModel {
  readonly nodes: readonly GraphNode[];
  readonly indexes: ReadonlyMap<string, number>;
}

/** Undefined for an answer without givers. */
export function modelOf({ origin, givers, ...view }: TimelineView): GraphModel | undefined {
  if (givers === null) return undefined;
  const begin = Date.parse(origin);
  const takers: number[][] = givers.map(() => []);
  for (const [taker, taken] of givers.entries()) {
    for (const giver of taken) takers[giver]?.push(taker);
  }
  return {
    indexes: new Map(view.id.map((id, index) => [id, index])),
    nodes: view.id.map((id, index) => ({
      id,
      name: view.name[index] as string,
      isSubflow: view.kind[index] === 'flow-run',
      kind: stateKind(view.state_type[index], view.state_name[index]),
      start: begin + (view.start[index] ?? view.expected[index] ?? 0),
      givers: givers[index] as number[],
      takers: takers[index] as number[],
    })),
  };
}
