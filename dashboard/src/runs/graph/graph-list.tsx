/** The nodes of a graph as a list, in the order of the graph: for screen readers, and for finding a node. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { Workflow } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { StateMark } from '../../design/state-mark.tsx';
import { usePreferences } from '../../preferences/preferences.ts';
import type { GraphNode } from './graph-model.ts';
import type { PlacedGraph } from './use-layout.ts';

const ROW = { dense: 24, comfortable: 30 } as const;
/** Names of givers for screen readers. */
const MOST_NAMED = 3;

interface Props {
  readonly graph: PlacedGraph;
  /** Index of the selected node. */
  readonly chosen: number | undefined;
  readonly onChoose: (node: number) => void;
  readonly height: number;
}

export function GraphList({ graph, chosen, onChoose, height }: Props) {
  const { density } = usePreferences();
  const rowHeight = ROW[density];
  const scroller = useRef<HTMLDivElement>(null);
  const { order } = graph.layout;
  const virtual = useVirtualizer({
    count: order.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the heights of all rows change with it.
  useEffect(() => virtual.measure(), [rowHeight]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a choice moves the list, not a graph that changes.
  useEffect(() => {
    const list = scroller.current;
    if (chosen === undefined || !list) return;
    const top = order.indexOf(chosen) * rowHeight;
    const isSeen = top >= list.scrollTop && top + rowHeight <= list.scrollTop + height;
    if (!isSeen) list.scrollTo({ top: top - height / 2 });
  }, [chosen]);
  return (
    <div ref={scroller} className="overflow-y-auto" style={{ height }}>
      <ul
        className="relative"
        style={{ height: virtual.getTotalSize() }}
        aria-label={`${order.length.toLocaleString('en')} task runs by dependency`}
      >
        {virtual.getVirtualItems().map(({ index, start, size }) => {
          const node = order[index] as number;
          return (
            <li
              key={node}
              aria-setsize={order.length}
              aria-posinset={index + 1}
              className="absolute inset-x-0 flex hover:bg-hover has-aria-pressed:bg-selected"
              style={{ top: start, height: size }}
            >
              <Row graph={graph} node={node} isChosen={node === chosen} onChoose={onChoose} />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

interface RowProps {
  readonly graph: PlacedGraph;
  readonly node: number;
  readonly isChosen: boolean;
  readonly onChoose: (node: number) => void;
}

function Row({ graph, node, isChosen, onChoose }: RowProps) {
  const { name, kind, isSubflow, givers } = graph.nodes[node] as GraphNode;
  return (
    <button
      type="button"
      aria-pressed={isChosen || undefined}
      onClick={() => onChoose(node)}
      className="flex min-w-0 flex-1 items-center gap-1.5 px-2 text-left text-xs aria-pressed:font-medium"
    >
      <StateMark kind={kind} size={12} alone />
      {isSubflow ? <Workflow size={12} aria-label="Subflow" className="shrink-0 text-quiet" /> : null}
      <span className="truncate">{name}</span>
      {givers.length > 0 ? (
        <span className="tabular ml-auto shrink-0 text-2xs text-quiet">
          <span aria-hidden="true">← {givers.length}</span>
          <span className="sr-only">{waitsFor(graph, givers)}</span>
        </span>
      ) : null}
    </button>
  );
}

function waitsFor({ nodes }: PlacedGraph, givers: readonly number[]): string {
  const named = givers.slice(0, MOST_NAMED).map((giver) => nodes[giver]?.name);
  const more = givers.length - named.length;
  return `takes results of ${named.join(', ')}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}`;
}
