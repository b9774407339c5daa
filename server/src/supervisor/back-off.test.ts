import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BackOff } from './back-off.ts';

test('the first start is at once, and a process that never serves is tried each half minute at last', () => {
  const backOff = new BackOff();
  assert.deepEqual(
    Array.from({ length: 8 }, () => backOff.next(0)),
    [0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000],
  );
  assert.deepEqual([backOff.next(60_000), backOff.next(100)], [0, 1000]);
});
