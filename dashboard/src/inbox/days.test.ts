import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countsOfDays } from './days.ts';

test('each of the last days has a bar, today the last one, and days without failures are empty', () => {
  const now = Date.parse('2026-11-29T23:30:00Z');
  const days = [
    { day: '2026-10-01', count: 9 },
    { day: '2026-11-27', count: 2 },
    { day: '2026-11-29', count: 5 },
  ];
  assert.deepEqual(countsOfDays(days, 3, now), [
    { day: '2026-11-27', count: 2 },
    { day: '2026-11-28', count: 0 },
    { day: '2026-11-29', count: 5 },
  ]);
});
