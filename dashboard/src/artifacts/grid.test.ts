import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gridOf, sorted, textOf } from './grid.ts';

/** The table as it is drawn. */
function drawn(data: unknown): { columns: readonly string[]; rows: unknown[][] } | undefined {
  const grid = gridOf(data);
  if (!grid) return undefined;
  const { columns, length, cell } = grid;
  return { columns, rows: Array.from({ length }, (_, row) => columns.map((_name, column) => cell(row, column))) };
}

describe('the table of an artifact', () => {
  const grid = {
    columns: ['a', 'b'],
    rows: [
      [1, 'x'],
      [2, undefined],
    ],
  };

  test('is read from rows, and from columns by name', () => {
    assert.deepEqual(drawn([{ a: 1, b: 'x' }, { a: 2 }]), grid);
    assert.deepEqual(drawn({ a: [1, 2], b: ['x'] }), grid);
    assert.deepEqual(drawn([[1, 'x'], [2]]), { ...grid, columns: ['0', '1'] });
  });

  test('is read from the text in which clients send it', () => {
    assert.deepEqual(drawn('[{"a": 1, "b": "x"}, {"a": 2}]'), grid);
  });

  test('has each column of any row, in the order in which they come', () => {
    assert.deepEqual(gridOf([{ b: 1 }, { a: 2, b: 3 }])?.columns, ['b', 'a']);
  });

  test('may be empty', () => {
    assert.deepEqual(drawn([]), { columns: [], rows: [] });
    assert.deepEqual(drawn({}), { columns: [], rows: [] });
  });

  test('does not exist for anything else', () => {
    for (const data of ['{', 'text', 7, null, undefined, [1], [{}, 1], [null], { a: 1 }, { a: [1], b: 2 }]) {
      assert.equal(gridOf(data), undefined, JSON.stringify(data));
    }
  });

  test('has ten thousand rows where the artifact has', () => {
    assert.equal(gridOf(Array.from({ length: 10_000 }, (_, row) => ({ row })))?.length, 10_000);
  });

  test('has its first columns where there are thousands, and says how many there are', () => {
    const names = Array.from({ length: 5000 }, (_, column) => `c${column}`);
    const wide: readonly unknown[] = [
      [Object.fromEntries(names.map((name) => [name, 1]))],
      names.map((name) => ({ [name]: 1 })),
      Object.fromEntries(names.map((name) => [name, [1]])),
      [names],
    ];
    for (const data of wide) {
      const { columns, width } = gridOf(data) ?? {};
      assert.deepEqual([columns?.length, width], [100, 5000]);
    }
  });

  test('is read cell by cell, so that rows which nobody sees cost nothing', () => {
    let reads = 0;
    const row = Object.defineProperty({}, 'a', { enumerable: true, get: () => ++reads });
    const tall = gridOf(Array(300_000).fill(row));
    assert.deepEqual([tall?.length, reads], [300_000, 0]);
  });
});

test('cells are sorted as numbers and as people sort texts', () => {
  const cells = (values: readonly unknown[], isDown = false) => {
    const grid = gridOf(values.map((value) => [value]));
    return grid && sorted(grid, 0, isDown).map((row) => values[row]);
  };
  assert.deepEqual(cells([10, 9, -1]), [-1, 9, 10]);
  assert.deepEqual(cells([10, 9, -1], true), [10, 9, -1]);
  assert.deepEqual(cells(['run-10', 'run-9', 'Run-1']), ['Run-1', 'run-9', 'run-10']);
  assert.deepEqual(cells(['b', null, 'a', undefined]), [null, undefined, 'a', 'b']);
});

test('a cell shows its value, and an empty one nothing', () => {
  assert.deepEqual([null, undefined, 0, false, 'x', { a: [1] }].map(textOf), ['', '', '0', 'false', 'x', '{"a":[1]}']);
});
