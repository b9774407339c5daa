import assert from 'node:assert/strict';
import { test } from 'node:test';
import { intervalOf } from './event-intervals.ts';

const start = '2026-11-21T12:00:00.000Z';
const lasting = (seconds: number) => ({
  start,
  end: new Date(Date.parse(start) + seconds * 1000).toISOString(),
});

test('a histogram has at most 96 bars, of a length that people know', () => {
  const lengths = [60, 96, 3600, 86_400, 604_800, 2_592_000].map((seconds) => intervalOf(lasting(seconds)));
  assert.deepEqual(lengths, [1, 1, 60, 900, 7200, 43_200]);
});

test('a histogram of years has at most 96 bars', () => {
  const years = 10 * 365 * 86_400;
  assert.ok(years / intervalOf(lasting(years)) <= 96);
});
