import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compare, gridOf, textOf } from './grid.ts';

describe('the table of an artifact', () => {
  const grid = {
    columns: ['a', 'b'],
    rows: [
      [1, 'x'],
      [2, undefined],
    ],
  };

  test('is read from rows, and from columns by name', () => {
    assert.deepEqual(gridOf([{ a: 1, b: 'x' }, { a: 2 }]), grid);
    assert.deepEqual(gridOf({ a: [1, 2], b: ['x'] }), grid);
    assert.deepEqual(gridOf([[1, 'x'], [2]]), { columns: ['0', '1'], rows: [[1, 'x'], [2]] });
  });

  test('is read from the text in which clients send it', () => {
    assert.deepEqual(gridOf('[{"a": 1, "b": "x"}, {"a": 2}]'), grid);
  });

  test('has each column of any row, in the order in which they come', () => {
    assert.deepEqual(gridOf([{ b: 1 }, { a: 2, b: 3 }])?.columns, ['b', 'a']);
  });

  test('may be empty', () => {
    assert.deepEqual(gridOf([]), { columns: [], rows: [] });
    assert.deepEqual(gridOf({}), { columns: [], rows: [] });
  });

  test('does not exist for anything else', () => {
    for (const data of ['{', 'text', 7, null, undefined, [1], [{}, 1], [null], { a: 1 }, { a: [1], b: 2 }]) {
      assert.equal(gridOf(data), undefined, JSON.stringify(data));
    }
  });

  test('has ten thousand rows where the artifact has', () => {
    assert.equal(gridOf(Array.from({ length: 10_000 }, (_, row) => ({ row })))?.rows.length, 10_000);
  });
});

test('cells are sorted as numbers and as people sort texts', () => {
  assert.deepEqual([10, 9, -1].toSorted(compare), [-1, 9, 10]);
  assert.deepEqual(['run-10', 'run-9', 'Run-1'].toSorted(compare), ['Run-1', 'run-9', 'run-10']);
  assert.deepEqual(['b', null, 'a', undefined].toSorted(compare), [null, 'a', 'b', undefined]);
});

test('a cell shows its value, and an empty one nothing', () => {
  assert.deepEqual([null, undefined, 0, false, 'x', { a: [1] }].map(textOf), ['', '', '0', 'false', 'x', '{"a":[1]}']);
});
