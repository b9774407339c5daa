import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, count, failedOf, milliseconds } from './figures.ts';

test('a time is as exact as its size', () => {
  assert.deepEqual([0, 412, 9_940, 83_400, 2_100_000, 75_000_000].map(milliseconds), [
    '0.0 ms',
    '0.4 ms',
    '9.9 ms',
    '83 ms',
    '2.1 s',
    '75.0 s',
  ]);
  assert.deepEqual([9_960, 999_900].map(milliseconds), ['10 ms', '1.0 s']);
  assert.equal(milliseconds(null), '–');
});

test('a size is in bytes, thousands or millions', () => {
  assert.equal(bytes(999_960), '1 MB');
  assert.deepEqual([0, 999, 1000, 8_200, 64_000_000].map(bytes), ['0 B', '999 B', '1.0 kB', '8.2 kB', '64 MB']);
});

test('a count has its thousands apart, and a denial is no failure', () => {
  assert.equal(count(1_234_567), '1,234,567');
  assert.equal(failedOf({ failed: 2, invalid: 1 }), 3);
});
