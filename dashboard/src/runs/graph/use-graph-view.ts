/** The part of a graph that is shown, and how people move it: zoom, pan, choose, go to a failure. */
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useWidth } from '../../components/chart/use-width.ts';
import type { View } from './graph-drawing.ts';
import { type GraphLayout, NODE_HEIGHT, NODE_WIDTH } from './graph-layout.ts';
import type { GraphNode } from './graph-model.ts';
import type { PlacedGraph } from './use-layout.ts';

export const LIST_WIDTH = 260;
/** Narrower pages show the list below the canvas. */
const NARROW = 640;
const MARGIN = 24;
const MOST_SCALE = 2;
const PAN_PIXELS = 80;
const panSteps: Readonly<Record<string, { readonly x: number; readonly y: number }>> = {
  ArrowLeft: { x: PAN_PIXELS, y: 0 },
  ArrowRight: { x: -PAN_PIXELS, y: 0 },
  ArrowUp: { x: 0, y: PAN_PIXELS },
  ArrowDown: { x: 0, y: -PAN_PIXELS },
};

export interface GraphProps {
  readonly graph: PlacedGraph;
  /** Id of the selected task run or subflow run. */
  readonly chosen: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
  /** Height in pixels. */
  readonly height: number;
}

export function useGraphView({ graph, chosen, onChoose, height }: GraphProps) {
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
  const showAll = () => setMoved(undefined);
  return { place, whole, width, isNarrow, view, chosenNode, zoom, pan, choose, goTo, press, showAll };
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
