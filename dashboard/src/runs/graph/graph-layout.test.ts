import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layOut, NODE_HEIGHT, NODE_WIDTH, nodeAt, visitNodes } from './graph-layout.ts';

const layoutOf = (givers: number[][], starts = givers.map((_, node) => node)) =>
  layOut({ starts: Float64Array.from(starts), givers });

test('a graph without nodes has the room of one', () => {
  const { width, order, columns } = layoutOf([]);
  assert.deepEqual([width, order.length, columns.length], [NODE_WIDTH, 0, 0]);
});

test('a node stands right of all nodes whose results it takes', () => {
  // 0 gives to 1 and 3, 1 to 2, 2 to 3: the longest path decides.
  const { x } = layoutOf([[], [0], [1], [0, 2]]);
  assert.deepEqual(
    [...x],
    [...x].toSorted((left, right) => left - right),
  );
  assert.equal(new Set(x).size, 4);
});

test('nodes of a layer follow the order of their givers, then their start', () => {
  const { order } = layoutOf([[], [], [1], [0], []], [20, 10, 0, 1, 15]);
  assert.deepEqual([...order], [1, 4, 0, 2, 3]);
});

test('nodes of a layer that start together stand in the order in which they come', () => {
  assert.deepEqual([...layoutOf([[], [], []], [5, 5, 5]).order], [0, 1, 2]);
});

test('nodes that wait for each other in a circle are placed', () => {
  const { x, width } = layoutOf([[], [0, 2], [1]]);
  assert.ok((x[1] as number) > (x[0] as number));
  assert.ok((x[2] as number) <= width - NODE_WIDTH);
});

test('a node that takes its own result is placed', () => {
  const { order } = layoutOf([[0], []]);
  assert.deepEqual([...order].toSorted(), [0, 1]);
});

test('no two nodes lie over each other', () => {
  const { x, y } = layoutOf([[], [], [], [0, 1], [1, 2], [3, 4], [3]]);
  const corners = Array.from(x, (left, node) => ({ left, top: y[node] as number }));
  for (const [index, one] of corners.entries()) {
    for (const other of corners.slice(index + 1)) {
      const isBeside = Math.abs(one.left - other.left) >= NODE_WIDTH;
      assert.ok(isBeside || Math.abs(one.top - other.top) >= NODE_HEIGHT);
    }
  }
});

test('ten thousand nodes of one layer stand in a block, and each is found at its place', () => {
  const count = 10_000;
  const layout = layoutOf(Array.from({ length: count }, (_, node) => (node === 0 ? [] : [0])));
  assert.ok(layout.width / layout.height < 5);
  assert.ok(layout.width / layout.height > 2);
  const places = new Set(Array.from(layout.x, (x, node) => `${x} ${layout.y[node]}`));
  assert.equal(places.size, count);
  for (const node of [0, 1, 4321, count - 1]) {
    assert.equal(nodeAt(layout, (layout.x[node] as number) + 5, (layout.y[node] as number) + 5), node);
  }
});

test('a chain of ten thousand nodes is ten thousand columns', () => {
  const { columns, order } = layoutOf(Array.from({ length: 10_000 }, (_, node) => (node === 0 ? [] : [node - 1])));
  assert.equal(columns.length, 10_000);
  assert.equal(order.at(-1), 9999);
});

test('nothing is found between two nodes, and only nodes in sight are drawn', () => {
  const layout = layoutOf([[], [0]]);
  assert.equal(nodeAt(layout, NODE_WIDTH + 10, layout.height / 2), undefined);
  const drawn: number[] = [];
  visitNodes(layout, { left: 0, right: NODE_WIDTH, top: 0, bottom: layout.height }, (node) => drawn.push(node));
  assert.deepEqual(drawn, [0]);
});
