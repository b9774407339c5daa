import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clashesOf } from './clashes.ts';

test('runs that overlap beyond the limit clash, from the first excess run to the last', () => {
  const planned = [
    { starts: [0, 100_000], durationMilliseconds: 10_000 },
    { starts: [5000], durationMilliseconds: 10_000 },
    { starts: [6000], durationMilliseconds: 2000 },
  ];
  assert.deepEqual(clashesOf(planned, 1), [{ start: 5000, end: 10_000, peak: 3 }]);
  assert.deepEqual(clashesOf(planned, 2), [{ start: 6000, end: 8000, peak: 3 }]);
  assert.deepEqual(clashesOf(planned, 3), []);
});

test('a run that starts when another ends does not clash with it; two that start together do', () => {
  assert.deepEqual(clashesOf([{ starts: [0, 10_000, 20_000], durationMilliseconds: 10_000 }], 1), []);
  const together = [
    { starts: [0], durationMilliseconds: 0 },
    { starts: [0], durationMilliseconds: 0 },
  ];
  assert.equal(clashesOf(together, 1)[0]?.peak, 2);
});

test('a schedule whose runs last longer than their interval clashes with itself', () => {
  assert.deepEqual(clashesOf([{ starts: [0, 10_000, 20_000], durationMilliseconds: 15_000 }], 1), [
    { start: 10_000, end: 15_000, peak: 2 },
    { start: 20_000, end: 25_000, peak: 2 },
  ]);
});
