import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countOfRuns } from './count-of-runs.ts';

test('runs are counted up to a thousand', () => {
  assert.deepEqual([0, 1, 2, 1000, 1001].map(countOfRuns), [
    '0 runs',
    '1 run',
    '2 runs',
    '1000 runs',
    'more than 1,000 runs',
  ]);
});
