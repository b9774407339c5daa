// Runs in a process of its own: steps are counted only in code that is loaded afterwards, and counting slows it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesPattern } from '../../src/events/label-pattern.ts';
import { stepsOf } from './steps.ts';

test('the steps within a function are counted, the same ones each time', async () => {
  const match = (length: number) => stepsOf(() => matchesPattern('*b', 'a'.repeat(length)));
  const [once, again, twice] = [await match(1000), await match(1000), await match(2000)];
  assert.equal(once, again);
  assert.ok(once > 1000 && twice - once >= 1000, `${once} steps, then ${twice}`);
});
