import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { alignedLogs } from './aligned-logs.ts';

const logs = (...messages: string[]) => messages.map((message) => ({ level: 20, message }));

function aligned(a: readonly string[], b: readonly string[], names: readonly [string, string] = ['', '']) {
  return alignedLogs({ logs: logs(...a), names: [names[0]] }, { logs: logs(...b), names: [names[1]] }).map(
    ({ a, b, kind, elsewhere }) =>
      [
        a?.message ?? null,
        b?.message ?? null,
        kind,
        ...(elsewhere.a || elsewhere.b ? [[elsewhere.a, elsewhere.b]] : []),
      ] as const,
  );
}

describe('the logs of two runs', () => {
  test('stand beside each other where they say the same', () => {
    assert.deepEqual(aligned(['start', 'read', 'end'], ['start', 'end', 'bye']), [
      ['start', 'start', 'equal'],
      ['read', null, 'apart'],
      ['end', 'end', 'equal'],
      [null, 'bye', 'apart'],
    ]);
  });

  test('have lines apart in one row where both say something else', () => {
    assert.deepEqual(aligned(['start', 'left', 'end'], ['start', 'right', 'more', 'end']), [
      ['start', 'start', 'equal'],
      ['left', 'right', 'apart'],
      [null, 'more', 'apart'],
      ['end', 'end', 'equal'],
    ]);
  });

  test('are equal but for ids, times, marks of task runs and the name of the run', () => {
    const line = (run: string, mark: string, id: string, time: string) =>
      `${run}: Created task run 'extract-${mark}' ${id} at ${time} in <x at 0x${mark}>`;
    const a = line('calm-fox', '3f2', '01a21809-0000-7000-8000-000000000001', '2026-11-22T12:00:01.5Z');
    const b = line('bold-owl', 'a07', '01a21809-0000-7000-8000-0000000000ff', '2026-11-23T07:10:59Z');
    assert.deepEqual(aligned([a], [b], ['calm-fox', 'bold-owl']), [[a, b, 'equal']]);
  });

  test('have changed where only figures differ', () => {
    assert.deepEqual(aligned(['read 100 rows in 3.2 s'], ['read 5 rows in 3.2 s']), [
      ['read 100 rows in 3.2 s', 'read 5 rows in 3.2 s', 'changed'],
    ]);
  });

  test('say of a line in another place that it is there', () => {
    assert.deepEqual(aligned(['x', 'y', 'y'], ['y', 'x']), [
      ['x', null, 'apart', [true, false]],
      ['y', 'y', 'equal'],
      ['y', 'x', 'apart', [false, true]],
    ]);
  });

  test('differ in a line of another level', () => {
    const rows = alignedLogs(
      { logs: [{ level: 20, message: 'x' }], names: [] },
      { logs: [{ level: 40, message: 'x' }], names: [] },
    );
    assert.equal(rows[0]?.kind, 'apart');
  });

  test('may be empty, and keep every line of a thousand', () => {
    assert.deepEqual(aligned([], []), []);
    assert.deepEqual(aligned([], ['x']), [[null, 'x', 'apart']]);
    const many = (start: number) =>
      Array.from({ length: 1000 }, (_, index) => `line ${'abcdefghij'[(start + index) % 10]}`);
    const rows = aligned(many(0), many(5));
    assert.equal(rows.filter(([a]) => a !== null).length, 1000);
    assert.equal(rows.filter(([, b]) => b !== null).length, 1000);
  });
});
