import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { scaleOf, workedUntil } from './time-scale.ts';

const folded = [
  { from: 1000, to: 9000 },
  { from: 10_000, to: 20_000 },
];

describe('the scale of a timeline', () => {
  test('is even without idle time', () => {
    const { xOf, workedAt, breaks } = scaleOf([], { from: -100, span: 1000 }, 500);
    assert.deepEqual([-100, 0, 400].map(xOf), [0, 50, 250]);
    assert.equal(workedAt(250), 400);
    assert.deepEqual(breaks, []);
  });

  test('gives idle time a narrow break, however long it is', () => {
    assert.equal(workedUntil(folded, 25_000), 7000);
    const { xOf, workedAt, breaks, stretches } = scaleOf(folded, { from: 0, span: 7000 }, 748);
    assert.deepEqual(
      breaks.map(({ left, width }) => [left, width]),
      [
        [100, 24],
        [224, 24],
      ],
    );
    assert.deepEqual([0, 1000, 5000, 9000, 10_000, 20_000, 25_000].map(xOf), [0, 100, 112, 124, 224, 248, 748]);
    assert.deepEqual([0, 100, 112, 124, 748].map(workedAt), [0, 1000, 1000, 1000, 7000]);
    assert.deepEqual(stretches, [
      { from: 0, to: 1000 },
      { from: 9000, to: 10_000 },
      { from: 20_000, to: 25_000 },
    ]);
  });

  test('shows only the breaks of the part that is in view', () => {
    const { xOf, breaks, stretches } = scaleOf(folded, { from: 1500, span: 1000 }, 124);
    assert.deepEqual(
      breaks.map(({ span, left }) => [span.from, left]),
      [[10_000, 50]],
    );
    assert.deepEqual([9500, 10_000, 20_000, 20_500].map(xOf), [0, 50, 74, 124]);
    assert.ok(xOf(1000) < 0);
    assert.deepEqual(stretches[0], { from: 9500, to: 10_000 });
  });

  test('leaves room for the bars where breaks are many', () => {
    const many = Array.from({ length: 20 }, (_, index) => ({ from: index * 100 + 10, to: index * 100 + 90 }));
    const { breaks } = scaleOf(many, { from: 0, span: 400 }, 200);
    assert.equal(breaks.length, 20);
    assert.ok(breaks.reduce((sum, { width }) => sum + width, 0) <= 81);
  });
});
