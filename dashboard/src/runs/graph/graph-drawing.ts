/** Draws the visible part of a graph. While nodes are too small for names, all nodes of one state are one path. */
import { MARK_SIZE, markShapes } from '../../design/state-shapes.ts';
import { type StateKind, stateKinds, tokenOf } from '../../design/states.ts';
import { type GraphBox, NODE_HEIGHT, NODE_WIDTH, visitNodes } from './graph-layout.ts';
import type { GraphNode } from './graph-model.ts';
import type { PlacedGraph } from './use-layout.ts';

/** The graph's point at the upper left corner of the canvas, and the scale in pixels for each pixel of the graph. */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export interface GraphPicture {
  readonly graph: PlacedGraph;
  readonly view: View;
  readonly width: number;
  readonly height: number;
  readonly chosen: number | undefined;
  readonly over: number | undefined;
}

/** The scale from which nodes have a mark and a name. */
export const NAMES_FROM = 0.55;
/** With more visible lines than this, only the lines of the selected node are drawn. */
const MOST_LINES = 3000;
const SMALLEST_NODE = 2;
const PADDING = 8;

type Token = (name: string) => string;

export function drawGraph(context: CanvasRenderingContext2D, picture: GraphPicture): void {
  const { view, width, height } = picture;
  const ratio = devicePixelRatio;
  const { canvas } = context;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(`--${name}`);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const scale = ratio * view.scale;
  context.setTransform(scale, 0, 0, scale, -view.x * scale, -view.y * scale);
  drawLines(context, picture, token);
  if (view.scale < NAMES_FROM) drawSmallNodes(context, picture, token);
  else drawNodes(context, picture, token);
}

function boxOf({ view, width, height }: GraphPicture): GraphBox {
  const { x, y, scale } = view;
  return { left: x, top: y, right: x + width / scale, bottom: y + height / scale };
}

/** Lines go from the right edge of a node to the left edge of each node that uses its result. */
function drawLines(context: CanvasRenderingContext2D, picture: GraphPicture, token: Token): void {
  const { graph, view, chosen, over } = picture;
  const all = linesInSight(picture);
  if (all) {
    context.lineWidth = 1 / Math.min(1, view.scale);
    context.strokeStyle = token('control');
    context.globalAlpha = view.scale < NAMES_FROM ? 0.4 : 0.7;
    context.stroke(all);
    context.globalAlpha = 1;
  }
  const lit = new Path2D();
  for (const index of new Set([chosen, over])) {
    const node = index === undefined ? undefined : graph.nodes[index];
    if (index === undefined || !node) continue;
    for (const giver of node.givers) addLine(lit, graph, giver, index);
    for (const taker of node.takers) addLine(lit, graph, index, taker);
  }
  context.lineWidth = 1.5 / view.scale;
  context.strokeStyle = token('accent');
  context.stroke(lit);
}

/** Undefined when there are too many to follow. */
function linesInSight(picture: GraphPicture): Path2D | undefined {
  const { layout, nodes } = picture.graph;
  const { left, top, right, bottom } = boxOf(picture);
  const path = new Path2D();
  let count = 0;
  for (const [taker, { givers }] of nodes.entries()) {
    const endX = layout.x[taker] as number;
    const endY = (layout.y[taker] as number) + NODE_HEIGHT;
    if (endX < left) continue;
    for (const giver of givers) {
      const startX = (layout.x[giver] as number) + NODE_WIDTH;
      const startY = layout.y[giver] as number;
      if (startX > right || Math.max(endY, startY + NODE_HEIGHT) < top) continue;
      if (Math.min(startY, endY - NODE_HEIGHT) > bottom) continue;
      if (++count > MOST_LINES) return undefined;
      addLine(path, picture.graph, giver, taker);
    }
  }
  return path;
}

function addLine(path: Path2D, { layout }: PlacedGraph, from: number, to: number): void {
  const x1 = (layout.x[from] as number) + NODE_WIDTH;
  const x2 = layout.x[to] as number;
  const y1 = (layout.y[from] as number) + NODE_HEIGHT / 2;
  const y2 = (layout.y[to] as number) + NODE_HEIGHT / 2;
  const bend = Math.max(16, Math.abs(x2 - x1) / 2);
  path.moveTo(x1, y1);
  path.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
  path.moveTo(x2 - 5, y2 - 3);
  path.lineTo(x2, y2);
  path.lineTo(x2 - 5, y2 + 3);
}

/** Failures are drawn on top and are never too small to see. */
function drawSmallNodes(context: CanvasRenderingContext2D, picture: GraphPicture, token: Token): void {
  const { graph, view, chosen } = picture;
  const paths = new Map<StateKind, Path2D>(stateKinds.map((kind) => [kind, new Path2D()]));
  const least = SMALLEST_NODE / view.scale;
  const [width, height] = [Math.max(NODE_WIDTH, least), Math.max(NODE_HEIGHT, least)];
  const { x, y } = graph.layout;
  visitNodes(graph.layout, boxOf(picture), (index) => {
    const { kind } = graph.nodes[index] as GraphNode;
    paths.get(kind)?.rect(x[index] as number, y[index] as number, width, height);
  });
  for (const kind of stateKinds.toReversed()) {
    context.fillStyle = token(tokenOf(kind));
    context.fill(paths.get(kind) as Path2D);
  }
  if (chosen === undefined) return;
  context.lineWidth = 2 / view.scale;
  context.strokeStyle = token('accent');
  context.strokeRect(
    (x[chosen] as number) - least,
    (y[chosen] as number) - least,
    width + least * 2,
    height + least * 2,
  );
}

function drawNodes(context: CanvasRenderingContext2D, picture: GraphPicture, token: Token): void {
  const { graph, chosen, over } = picture;
  const marks = new Marks(token);
  context.font = `12px ${token('font-sans') || 'sans-serif'}`;
  context.textBaseline = 'middle';
  visitNodes(graph.layout, boxOf(picture), (index) => {
    const { kind, name, isSubflow } = graph.nodes[index] as GraphNode;
    const x = graph.layout.x[index] as number;
    const y = graph.layout.y[index] as number;
    context.strokeStyle = token(index === chosen ? 'accent' : 'line');
    context.lineWidth = index === chosen ? 2 : 1;
    // A subflow represents many tasks, so it looks like a stack.
    if (isSubflow) drawBox(context, x + 3, y + 3, token('surface'));
    drawBox(context, x, y, token(index === chosen ? 'selected' : index === over ? 'hover' : 'surface'));
    marks.draw(context, kind, x + PADDING, y + (NODE_HEIGHT - MARK_SIZE) / 2);
    context.fillStyle = token('ink');
    const left = MARK_SIZE + PADDING * 1.75;
    context.fillText(shortened(context, name, NODE_WIDTH - left - PADDING), x + left, y + NODE_HEIGHT / 2 + 0.5);
  });
}

function drawBox(context: CanvasRenderingContext2D, x: number, y: number, fill: string): void {
  context.fillStyle = fill;
  context.beginPath();
  context.roundRect(x, y, NODE_WIDTH, NODE_HEIGHT, 4);
  context.fill();
  context.stroke();
}

class Marks {
  readonly #token: Token;

  constructor(token: Token) {
    this.#token = token;
  }

  draw(context: CanvasRenderingContext2D, kind: StateKind, x: number, y: number): void {
    context.save();
    context.translate(x, y);
    context.lineCap = 'round';
    context.lineJoin = 'round';
    for (const { path, isInk, width, dashes } of markShapes[kind]) {
      const colour = this.#token(isInk ? 'surface' : tokenOf(kind));
      if (width === undefined) {
        context.fillStyle = colour;
        context.fill(new Path2D(path));
      } else {
        context.strokeStyle = colour;
        context.lineWidth = width;
        context.setLineDash([...(dashes ?? [])]);
        context.lineCap = dashes ? 'butt' : 'round';
        context.stroke(new Path2D(path));
      }
    }
    context.restore();
  }
}

const shortNames = new Map<string, string>();
const MOST_SHORT_NAMES = 20_000;

/** Names are shortened at the start, because their end numbers the runs of one task. */
function shortened(context: CanvasRenderingContext2D, name: string, width: number): string {
  const known = shortNames.get(name);
  if (known !== undefined) return known;
  if (shortNames.size >= MOST_SHORT_NAMES) shortNames.clear();
  const fits = (text: string) => context.measureText(text).width <= width;
  let short = name;
  if (!fits(name)) {
    let kept = Math.min(name.length - 1, 60);
    const cut = () => `${name.slice(0, Math.max(0, kept - 6))}…${name.slice(-6)}`;
    while (kept > 6 && !fits(cut())) kept--;
    short = cut();
  }
  shortNames.set(name, short);
  return short;
}
