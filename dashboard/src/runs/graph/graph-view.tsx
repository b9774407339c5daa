/**
 * The task runs and subflow runs of a flow run by their dependencies: a canvas, and a list of the same runs beside it.
 */
import { Maximize, Minus, Plus } from 'lucide-react';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { IconButton } from '../../components/button.tsx';
import { CanvasHints } from '../../components/canvas-hints.tsx';
import { Skeleton } from '../../components/states-of-loading.tsx';
import { useWidth } from '../../components/use-width.ts';
import type { TimelineView } from '../queries.ts';
import { GraphCanvas } from './graph-canvas.tsx';
import { NAMES_FROM, type View } from './graph-drawing.ts';
import { type GraphLayout, NODE_HEIGHT, NODE_WIDTH } from './graph-layout.ts';
import { GraphList } from './graph-list.tsx';
import { type GraphNode, modelOf } from './graph-model.ts';
import { type PlacedGraph, usePlaced } from './use-layout.ts';

const LIST_WIDTH = 260;
/** Height of the list on narrower pages, which show it below the canvas. */
const NARROW = 640;
const NARROW_LIST_HEIGHT = 144;
const MARGIN = 24;
const MOST_SCALE = 2;
const PAN_PIXELS = 80;
const panSteps: Readonly<Record<string, { readonly x: number; readonly y: number }>> = {
  ArrowLeft: { x: PAN_PIXELS, y: 0 },
  ArrowRight: { x: -PAN_PIXELS, y: 0 },
  ArrowUp: { x: 0, y: PAN_PIXELS },
  ArrowDown: { x: 0, y: -PAN_PIXELS },
};

interface Props {
  readonly view: TimelineView;
  /** Id of the selected task run or subflow run. */
  readonly chosen: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
  /** Height in pixels. */
  readonly height: number;
}

export function GraphView({ view, chosen, onChoose, height }: Props) {
  const graph = usePlaced(useMemo(() => modelOf(view), [view]));
  if (!graph) return <Skeleton rows={6} />;
  return <PlacedView graph={graph} chosen={chosen} onChoose={onChoose} height={height} />;
}

interface PlacedProps extends Omit<Props, 'view'> {
  readonly graph: PlacedGraph;
}

function PlacedView({ graph, chosen, onChoose, height }: PlacedProps) {
  const place = useRef<HTMLElement>(null);
  const whole = useWidth(place);
  const [moved, setMoved] = useState<View>();
  const isNarrow = whole < NARROW;
  const width = Math.max(0, isNarrow ? whole : whole - LIST_WIDTH);
  const { layout, nodes } = graph;
  const fit = fitting(layout, width, height);
  const view = moved ?? fit;
  const chosenNode = chosen === undefined ? undefined : graph.indexes.get(chosen);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only a choice moves the view, not each move of the view.
  useEffect(() => {
    if (chosenNode === undefined || width === 0 || !moved) return;
    const [x, y] = [layout.x[chosenNode] as number, layout.y[chosenNode] as number];
    const isSeen =
      x > view.x &&
      x + NODE_WIDTH < view.x + width / view.scale &&
      y > view.y &&
      y + NODE_HEIGHT < view.y + height / view.scale;
    if (isSeen) return;
    setMoved({
      ...view,
      x: x + NODE_WIDTH / 2 - width / 2 / view.scale,
      y: y + NODE_HEIGHT / 2 - height / 2 / view.scale,
    });
  }, [chosenNode]);

  const zoom = (factor: number, at = { x: width / 2, y: height / 2 }) => {
    const scale = Math.min(MOST_SCALE, Math.max(fit.scale, view.scale / factor));
    const kept = 1 / view.scale - 1 / scale;
    setMoved(scale === fit.scale ? undefined : { x: view.x + at.x * kept, y: view.y + at.y * kept, scale });
  };
  const pan = (x: number, y: number) =>
    setMoved((old = fit) => ({
      ...old,
      x: within(old.x - x / old.scale, layout.width, width / old.scale),
      y: within(old.y - y / old.scale, layout.height, height / old.scale),
    }));
  const choose = (node: number | undefined) =>
    onChoose(node === undefined || node === chosenNode ? undefined : nodes[node]?.id);
  /** Moves the view to the node, and zooms until its name is readable. */
  const goTo = (node: number) => {
    const scale = Math.max(1, view.scale);
    const [x, y] = [layout.x[node] as number, layout.y[node] as number];
    setMoved({ x: x + NODE_WIDTH / 2 - width / 2 / scale, y: y + NODE_HEIGHT / 2 - height / 2 / scale, scale });
    onChoose(nodes[node]?.id);
  };
  const nextFailure = () => {
    const from = chosenNode === undefined ? -1 : layout.order.indexOf(chosenNode);
    const order = [...layout.order.subarray(from + 1), ...layout.order.subarray(0, from + 1)];
    const found = order.find((node) => /^(FAILED|CRASHED)$/.test((nodes[node] as GraphNode).kind));
    if (found !== undefined) goTo(found);
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = panSteps[event.key];
    if (step) pan(step.x, step.y);
    else if (event.key === 'e') nextFailure();
    else if (event.key === '0') setMoved(undefined);
    else if (event.key === '+' || event.key === '=') zoom(0.5);
    else if (event.key === '-') zoom(2);
    else return;
    event.preventDefault();
  };
  return (
    <section ref={place} aria-label="Graph" className="relative" onKeyDown={press}>
      <div className="absolute -top-8 right-0 flex items-center gap-1" data-screen-only>
        <IconButton label="Show all (0)" onClick={() => setMoved(undefined)}>
          <Maximize size={14} />
        </IconButton>
        <IconButton label="Zoom out (-)" onClick={() => zoom(2)}>
          <Minus size={14} />
        </IconButton>
        <IconButton label="Zoom in (+)" onClick={() => zoom(0.5)}>
          <Plus size={14} />
        </IconButton>
      </div>
      <div className={`flex border-y border-line ${isNarrow ? 'flex-col-reverse' : ''}`}>
        <div
          className={isNarrow ? 'border-t border-line' : 'border-r border-line'}
          style={{ width: isNarrow ? whole : LIST_WIDTH }}
        >
          <GraphList
            graph={graph}
            chosen={chosenNode}
            onChoose={goTo}
            height={isNarrow ? NARROW_LIST_HEIGHT : height}
          />
        </div>
        <div className="relative overflow-hidden bg-canvas" style={{ width, height }}>
          <GraphCanvas
            graph={graph}
            view={view}
            width={width}
            height={height}
            chosen={chosenNode}
            onPan={pan}
            onZoom={zoom}
            onChoose={choose}
          />
        </div>
      </div>
      <p className="mt-1 flex flex-wrap gap-3 text-2xs text-quiet" data-screen-only>
        <CanvasHints moves="drag or arrow keys move" />
        {view.scale < NAMES_FROM ? <span>names appear when zoomed in</span> : null}
        {layout.columns.length === 1 && nodes.length > 1 ? <span>no task run takes the result of another</span> : null}
      </p>
    </section>
  );
}

/** Shows the whole graph in the middle, at most in its original size. */
function fitting(layout: GraphLayout, width: number, height: number): View {
  const scale = Math.min(1, (width - 2 * MARGIN) / layout.width, (height - 2 * MARGIN) / layout.height);
  const positive = Math.max(scale, 0.001);
  return {
    x: (layout.width - width / positive) / 2,
    y: (layout.height - height / positive) / 2,
    scale: positive,
  };
}

/** Keeps the middle of the view inside the graph. */
function within(from: number, whole: number, seen: number): number {
  return Math.max(-seen / 2, Math.min(whole - seen / 2, from));
}
