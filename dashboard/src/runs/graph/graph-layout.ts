/**
 * Places the nodes of a graph. A node is to the right of all nodes whose result it uses. Nodes that wait for the same
 * step are one layer, ordered by their givers, then by their start. A layer that is too tall has several columns.
 */

export interface LayoutInput {
  /** Start of each node, in milliseconds since 1970. */
  readonly starts: Float64Array;
  /** For each node, the nodes whose results it uses. */
  readonly givers: readonly (readonly number[])[];
}

/** Nodes in one column. Lengths are in pixels before any zoom. */
export interface GraphColumn {
  readonly x: number;
  readonly y: number;
  /** Its nodes, from the top, are `first` to `first + count` of `order`. */
  readonly first: number;
  readonly count: number;
}

export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  /** Left edges of the nodes. */
  readonly x: Float32Array;
  /** Upper edges of the nodes. */
  readonly y: Float32Array;
  /** The nodes by column, each from the top. */
  readonly order: Uint32Array;
  /** Columns from the left. */
  readonly columns: readonly GraphColumn[];
}

export const NODE_WIDTH = 172;
export const NODE_HEIGHT = 28;
const ROW_HEIGHT = 38;
const LAYER_GAP = 64;
const COLUMN_GAP = 16;
/** Aspect of a graph, which is about three times as wide as tall, like its place on the page. */
const ROWS_OF_ROOT = 1.25;
const LEAST_ROWS = 10;

export function layOut(input: LayoutInput): GraphLayout {
  const count = input.starts.length;
  const mostRows = Math.max(LEAST_ROWS, Math.ceil(ROWS_OF_ROOT * Math.sqrt(count)));
  const x = new Float32Array(count);
  const y = new Float32Array(count);
  const order = new Uint32Array(count);
  const columns: GraphColumn[] = [];
  const layers = layersOf(input);
  const height = Math.min(mostRows, Math.max(1, ...layers.map(({ length }) => length))) * ROW_HEIGHT;
  let left = 0;
  let placed = 0;
  for (const layer of layers) {
    for (let from = 0; from < layer.length; from += mostRows) {
      const column = layer.slice(from, from + mostRows);
      const top = (height - column.length * ROW_HEIGHT) / 2;
      columns.push({ x: left, y: top, first: placed, count: column.length });
      for (const [row, node] of column.entries()) {
        x[node] = left;
        y[node] = top + row * ROW_HEIGHT + (ROW_HEIGHT - NODE_HEIGHT) / 2;
        order[placed++] = node;
      }
      left += NODE_WIDTH + COLUMN_GAP;
    }
    left += LAYER_GAP - COLUMN_GAP;
  }
  return { width: Math.max(NODE_WIDTH, left - LAYER_GAP), height, x, y, order, columns };
}

/** The nodes of each layer, in order. */
function layersOf({ starts, givers }: LayoutInput): number[][] {
  const layers: number[][] = [];
  for (const [node, layer] of depths(givers).entries()) {
    while (layers.length <= layer) layers.push([]);
    layers[layer]?.push(node);
  }
  /** Position in the layer, between 0 at the top and 1 at the bottom. */
  const heights = new Float64Array(starts.length);
  for (const layer of layers) {
    const wanted = new Map(layer.map((node) => [node, meanOf(givers[node] ?? [], heights)]));
    layer.sort(
      (left, right) =>
        (wanted.get(left) as number) - (wanted.get(right) as number) ||
        (starts[left] as number) - (starts[right] as number) ||
        left - right,
    );
    for (const [row, node] of layer.entries()) heights[node] = (row + 0.5) / layer.length;
  }
  return layers;
}

function meanOf(nodes: readonly number[], heights: Float64Array): number {
  let sum = 0;
  for (const node of nodes) sum += heights[node] as number;
  return nodes.length === 0 ? 0 : sum / nodes.length;
}

/** The length of the longest path to each node. Nodes in a circle come after all others. */
function depths(givers: readonly (readonly number[])[]): Uint32Array {
  const depth = new Uint32Array(givers.length);
  const missing = Uint32Array.from(givers, ({ length }) => length);
  const takers: number[][] = Array.from(givers, () => []);
  for (const [node, list] of givers.entries()) for (const giver of list) takers[giver]?.push(node);
  const ready = [...missing.keys()].filter((node) => missing[node] === 0);
  let deepest = 0;
  for (const node of ready) {
    const own = depth[node] as number;
    deepest = Math.max(deepest, own);
    for (const taker of takers[node] ?? []) {
      depth[taker] = Math.max(depth[taker] as number, own + 1);
      missing[taker] = (missing[taker] as number) - 1;
      if (missing[taker] === 0) ready.push(taker);
    }
  }
  for (const node of missing.keys()) if ((missing[node] as number) > 0) depth[node] = deepest + 1;
  return depth;
}

export interface GraphBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Calls `visit` for each node that overlaps the box. */
export function visitNodes(layout: GraphLayout, box: GraphBox, visit: (node: number) => void): void {
  for (const { x, y, first, count } of layout.columns) {
    if (x > box.right || x + NODE_WIDTH < box.left) continue;
    const from = Math.max(0, Math.floor((box.top - y) / ROW_HEIGHT));
    const to = Math.min(count, Math.ceil((box.bottom - y) / ROW_HEIGHT));
    for (let row = from; row < to; row++) visit(layout.order[first + row] as number);
  }
}

export function nodeAt(layout: GraphLayout, x: number, y: number): number | undefined {
  let found: number | undefined;
  visitNodes(layout, { left: x, right: x, top: y, bottom: y + 1 }, (node) => {
    found = node;
  });
  return found;
}
